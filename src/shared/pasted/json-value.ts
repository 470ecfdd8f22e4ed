/** JSON value with its source. */
import { readJson, type JsonNode } from '../json/tree.ts'

const MOST_MEMBERS = 5_000

/** Value whose members are looked up without case, dashes and underscores. */
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

  get count(): number {
    return this.#node.children.length
  }

  /** Members, or items with empty names: the first 5,000. */
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

  /** Text of a string, number or word. */
  get scalar(): string | null {
    return this.isObject || this.isList || this.isNull ? null : (this.string ?? this.source)
  }

  get isEmpty(): boolean {
    return this.isObject || this.isList ? this.count === 0 : (this.scalar ?? '') === ''
  }

  /** Returns the first accepted member of these names; by default, any but null. */
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

  text(names: string | readonly string[]): string | null {
    return this.get(names)?.scalar ?? null
  }
}

/** Converts a name to its form for lookup. */
export function plainName(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase()
}

/** Reads a JSON text; null if it isn't JSON. */
export function readJsonValue(text: string): JsonValue | null {
  const node = readJson(text)
  return node === null ? null : new JsonValue(node)
}
