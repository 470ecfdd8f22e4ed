/** A value of a JSON text with its source, which a parsed value would lose. */
import { readJson, type JsonNode } from '../json/tree.ts'

/** Members of an object or list that are read. */
const MOST_MEMBERS = 5_000

/** A value whose members are looked up without case, dashes and underscores. */
export class JsonValue {
  readonly #node: JsonNode
  #members: readonly (readonly [name: string, value: JsonValue])[] | null = null
  #byName: ReadonlyMap<string, JsonValue> | null = null

  constructor(node: JsonNode) {
    this.#node = node
  }

  get source(): string {
    return this.#node.raw
  }

  get isObject(): boolean {
    return this.#node.kind === 'object'
  }

  get isList(): boolean {
    return this.#node.kind === 'array'
  }

  get isNull(): boolean {
    return this.source === 'null'
  }

  get isTrue(): boolean {
    return this.source === 'true'
  }

  /** The number of all members. */
  get count(): number {
    return this.#node.children.length
  }

  /** Members of an object, or items of a list with empty names: the first 5,000. */
  get members(): readonly (readonly [name: string, value: JsonValue])[] {
    return (this.#members ??= this.#node.children
      .slice(0, MOST_MEMBERS)
      .map((child) => [child.name ?? '', new JsonValue(child)]))
  }

  get items(): readonly JsonValue[] {
    return this.isList ? this.members.map(([, value]) => value) : []
  }

  get string(): string | null {
    return this.#node.string
  }

  /** A string, number or word as text; null for objects, lists and null. */
  get scalar(): string | null {
    return this.isObject || this.isList || this.isNull ? null : (this.string ?? this.source)
  }

  /** Whether it is null, or has nothing in it. */
  get isEmpty(): boolean {
    return this.isObject || this.isList ? this.count === 0 : (this.scalar ?? '') === ''
  }

  /**
   * The member with one of the names, in the order of preference, that `accepts`: by default, any
   * but null.
   */
  get(
    names: string | readonly string[],
    accepts = (value: JsonValue) => !value.isNull,
  ): JsonValue | null {
    if (!this.isObject) return null
    this.#byName ??= new Map(
      this.members.flatMap(([name, value]) => (value.isNull ? [] : [[plainName(name), value]])),
    )
    for (const name of [names].flat()) {
      const member = this.#byName.get(name)
      if (member !== undefined && accepts(member)) return member
    }
    return null
  }

  /** The text of such a member. */
  text(names: string | readonly string[]): string | null {
    return this.get(names)?.scalar ?? null
  }
}

/** A name in the form that members are looked up by. */
export function plainName(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase()
}

/** The value of a JSON text; null if it isn't JSON. */
export function readJsonValue(text: string): JsonValue | null {
  const node = readJson(text)
  return node === null ? null : new JsonValue(node)
}
