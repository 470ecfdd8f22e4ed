import { readJson, type JsonNode } from '../json/tree.ts'

const MOST_MEMBERS = 5_000

interface LooseMember {
  /** Empty for the items of a list. */
  readonly name: string
  readonly value: LooseJson
}

/** JSON value whose members are found in any spelling: `rawBody`, `raw-body`, `RAW_BODY`. */
export class LooseJson {
  readonly #node: JsonNode
  #members: readonly LooseMember[] | null = null
  #byName: ReadonlyMap<string, LooseJson> | null = null

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

  /** The first 5,000 members or items. */
  get members(): readonly LooseMember[] {
    return (this.#members ??= this.#node.children
      .slice(0, MOST_MEMBERS)
      .map((child) => ({ name: child.name ?? '', value: new LooseJson(child) })))
  }

  get items(): readonly LooseJson[] {
    return this.isList ? this.members.map(({ value }) => value) : []
  }

  get string(): string | null {
    return this.#node.string
  }

  /** Text of a string, number, true or false. */
  get scalar(): string | null {
    return this.isObject || this.isList || this.isNull ? null : (this.string ?? this.source)
  }

  get isEmpty(): boolean {
    return this.isObject || this.isList ? this.count === 0 : (this.scalar ?? '') === ''
  }

  /** Returns the first accepted member of these lookup names; by default, any but null. */
  get(
    names: string | readonly string[],
    accepts = (value: LooseJson) => !value.isNull,
  ): LooseJson | null {
    if (!this.isObject) return null
    this.#byName ??= new Map(
      this.members.flatMap(({ name, value }) => (value.isNull ? [] : [[lookupName(name), value]])),
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

/** Converts `raw-body` to `rawbody`, the form for lookup. */
export function lookupName(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase()
}

/** Returns null if the text isn't JSON. */
export function readLooseJson(text: string): LooseJson | null {
  const node = readJson(text)
  return node === null ? null : new LooseJson(node)
}
