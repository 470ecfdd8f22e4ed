/** A value of a JSON text with its source, which a parsed value would lose. Members are read on demand. */
import { decodedString, scanJson } from '../json/scan.ts'

/** Members of an object or list that are read. */
const MOST_MEMBERS = 5_000

type Member = readonly [name: string, value: JsonValue]

/** One value of a valid JSON text. Its members are looked up without case, dashes and underscores. */
export class JsonValue {
  /** Its part of the text, without whitespace around it. */
  readonly source: string
  #read: { readonly members: readonly Member[]; readonly count: number } | null = null

  constructor(source: string) {
    this.source = source
  }

  get isObject(): boolean {
    return this.source.startsWith('{')
  }

  get isList(): boolean {
    return this.source.startsWith('[')
  }

  /** Members of an object, or items of a list with empty names: the first 5,000. */
  get members(): readonly Member[] {
    return this.#readMembers().members
  }

  /** The number of all members. */
  get count(): number {
    return this.#readMembers().count
  }

  get items(): readonly JsonValue[] {
    return this.isList ? this.members.map(([, value]) => value) : []
  }

  /** A string's characters; null for other values. */
  get string(): string | null {
    return this.source.startsWith('"') ? decodedString(this.source) : null
  }

  /** A string, number or word as text; null for objects, lists and null. */
  get scalar(): string | null {
    if (this.isObject || this.isList || this.source === 'null') return null
    return this.string ?? this.source
  }

  /** Whether it is null, or has nothing in it. */
  get isEmpty(): boolean {
    return this.isObject || this.isList ? this.count === 0 : (this.scalar ?? '') === ''
  }

  /** The first member with one of the names that isn't null; the names in the order of preference. */
  get(...names: readonly string[]): JsonValue | null {
    if (!this.isObject) return null
    for (const name of names) {
      const found = this.members.findLast(
        ([given, value]) => plainName(given) === name && value.source !== 'null',
      )
      if (found !== undefined) return found[1]
    }
    return null
  }

  #readMembers() {
    if (this.#read !== null) return this.#read
    const { source } = this
    const members: Member[] = []
    let count = 0
    let depth = 0
    let start = 0
    let name = ''
    const add = (from: number, to: number) => {
      count++
      if (members.length < MOST_MEMBERS) members.push([name, new JsonValue(source.slice(from, to))])
    }
    if (this.isObject || this.isList)
      scanJson(source, {
        key(from, to) {
          if (depth === 1 && members.length < MOST_MEMBERS)
            name = decodedString(source.slice(from, to))
        },
        scalar(from, to) {
          if (depth === 1) add(from, to)
        },
        open(at) {
          if (depth === 1) start = at
          depth++
        },
        close(at) {
          depth--
          if (depth === 1) add(start, at + 1)
        },
      })
    this.#read = { members, count }
    return this.#read
  }
}

/** A name in the form that members are looked up by. */
export function plainName(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase()
}

/** The value of a JSON text; null if it isn't JSON. */
export function readJsonValue(text: string): JsonValue | null {
  const ignore = () => undefined
  const plain = text.trim()
  const { outcome } = scanJson(plain, { key: ignore, scalar: ignore, open: ignore, close: ignore })
  return outcome === 'json' ? new JsonValue(plain) : null
}
