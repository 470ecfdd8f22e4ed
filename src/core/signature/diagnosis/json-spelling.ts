/** Prints JSON like the serializers of common languages, with one option per difference. */
import { OBJECT, scanJson } from '../../../shared/json/scan.ts'

export interface Spelling {
  /** The indent per level; null: all on one line. */
  readonly indent: string | null
  readonly comma: string
  readonly colon: string
  /** Converts a raw string or key, with its quotes. */
  readonly text: (raw: string) => string
  readonly number: (raw: string) => string
  /** `length`: shorter keys first, like PostgreSQL's jsonb. */
  readonly sortKeys: boolean | 'length'
  /** For duplicate keys: keep both, or keep the last value at the first position. */
  readonly keepDuplicates: boolean
  /** Numeric keys come first, like in a JavaScript object. */
  readonly indexKeysFirst: boolean
  /** An empty object becomes an empty list, like a PHP array. */
  readonly emptyObject: '{}' | '[]'
}

export const asWritten: Spelling = {
  indent: null,
  comma: ',',
  colon: ':',
  text: (raw) => raw,
  number: (raw) => raw,
  sortKeys: false,
  keepDuplicates: true,
  indexKeysFirst: false,
  emptyObject: '{}',
}

type Members = Extract<RawJson, { readonly kind: 'object' }>['members']

const isIndex = (name: string) => /^(?:0|[1-9]\d{0,9})$/.test(name)

function nameOf(key: string): string {
  return key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1)
}

function ordered(
  members: Members,
  { sortKeys, keepDuplicates, indexKeysFirst }: Spelling,
): Members {
  let kept = members
  if (!keepDuplicates) {
    const last = new Map(members.map((member) => [nameOf(member[0]), member]))
    kept = [...last.values()]
  }
  if (sortKeys !== false) {
    const lengthOf = (key: string) => (sortKeys === 'length' ? Buffer.byteLength(nameOf(key)) : 0)
    return kept.toSorted(
      ([a], [b]) => lengthOf(a) - lengthOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
    )
  }
  if (!indexKeysFirst) return kept
  const indexes = kept.filter(([key]) => isIndex(nameOf(key)))
  if (indexes.length === 0) return kept
  return [
    ...indexes.toSorted(([a], [b]) => Number(nameOf(a)) - Number(nameOf(b))),
    ...kept.filter(([key]) => !isIndex(nameOf(key))),
  ]
}

export function writeJson(tree: RawJson, spelling: Spelling): string {
  const { indent, comma, colon } = spelling
  const write = (node: RawJson, depth: number): string => {
    if (node.kind === 'number') return spelling.number(node.raw)
    if (node.kind === 'string') return spelling.text(node.raw)
    if (node.kind !== 'array' && node.kind !== 'object') return node.raw
    const parts =
      node.kind === 'array'
        ? node.items.map((item) => write(item, depth + 1))
        : ordered(node.members, spelling).map(
            ([key, value]) => spelling.text(key) + colon + write(value, depth + 1),
          )
    if (parts.length === 0) return node.kind === 'array' ? '[]' : spelling.emptyObject
    const [open, close] = node.kind === 'array' ? ['[', ']'] : ['{', '}']
    if (indent === null) return open + parts.join(comma) + close
    const inner = `\n${indent.repeat(depth + 1)}`
    return open + inner + parts.join(`,${inner}`) + `\n${indent.repeat(depth)}` + close
  }
  return write(tree, 0)
}

/** `10.00` as `10`, `1e2` as `100`: how JavaScript, Go and PHP print parsed numbers. */
export function shortNumber(raw: string): string {
  return JSON.stringify(Number(raw))
}

/** The same, with at least one digit after the decimal point of a fraction: Python, Ruby, Java and C#. */
export function floatNumber(raw: string): string {
  if (!/[.eE]/.test(raw)) return raw
  const text = String(Number(raw))
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

const unicodeEscape = (character: string) =>
  String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const upperEscape = (character: string) =>
  unicodeEscape(character).replace(
    /\\u(.*)/,
    (_, digits: string) => String.raw`\u${digits.toUpperCase()}`,
  )

interface TextSpelling {
  /** Everything beyond ASCII as `\uXXXX`. */
  readonly ascii?: 'lower' | 'upper'
  /** `\/` for `/`. */
  readonly slashes?: true
  /** Additional characters to print as `\uXXXX`. */
  readonly escaped?: RegExp
}

/** Strings decoded and encoded again. */
export function textSpelling({ ascii, slashes, escaped }: TextSpelling = {}): Spelling['text'] {
  const escape = ascii === 'upper' ? upperEscape : unicodeEscape
  const write = (raw: string): string => {
    let inner = JSON.stringify(JSON.parse(raw)).slice(1, -1)
    if (slashes === true) inner = inner.replaceAll('/', String.raw`\/`)
    if (escaped !== undefined) {
      // Such a serializer treats an escaped quote as one character, not two.
      inner = inner.replace(/\\"|[^\\]|\\./gsu, (one) => {
        if (one === String.raw`\"`) return escaped.test('"') ? escape('"') : one
        return one.length === 1 && escaped.test(one) ? escape(one) : one
      })
    }
    if (ascii !== undefined) inner = inner.replaceAll(/[\u0080-\uffff]/g, escape)
    return `"${inner}"`
  }
  // The same keys repeat often.
  const written = new Map<string, string>()
  return (raw) => {
    if (ALIKE_EVERYWHERE.test(raw)) return raw
    let text = written.get(raw)
    if (text === undefined) {
      text = write(raw)
      written.set(raw, text)
    }
    return text
  }
}

/** A string that every serializer prints the same way. */
const ALIKE_EVERYWHERE = /^"[A-Za-z0-9 _.:,;!?@#$%*()[\]{}|~^-]*"$/

/** The parts of a JSON text that serializers print differently. Without any, all spellings are equal. */
interface Peculiarities {
  readonly numbers: boolean
  readonly duplicates: boolean
  readonly indexKeys: boolean
  readonly unsorted: boolean
  readonly emptyObjects: boolean
}

export function peculiaritiesOf(tree: RawJson): Peculiarities {
  let numbers = false
  let duplicates = false
  let indexKeys = false
  let unsorted = false
  let emptyObjects = false
  const read = (node: RawJson): void => {
    if (node.kind === 'number')
      numbers ||= shortNumber(node.raw) !== node.raw || floatNumber(node.raw) !== node.raw
    else if (node.kind === 'array') for (const item of node.items) read(item)
    else if (node.kind === 'object') {
      const names = node.members.map(([key]) => nameOf(key))
      duplicates ||= new Set(names).size < names.length
      indexKeys ||= names.some(isIndex)
      unsorted ||= names.some((name, index) => index > 0 && !(names[index - 1]! < name))
      emptyObjects ||= names.length === 0
      for (const [, value] of node.members) read(value)
    }
  }
  read(tree)
  return { numbers, duplicates, indexKeys, unsorted, emptyObjects }
}

/** All strings (including keys) and numbers of a tree as written, each once. */
function distinctLeaves(tree: RawJson): {
  readonly texts: readonly string[]
  readonly numbers: readonly string[]
} {
  const texts = new Set<string>()
  const numbers = new Set<string>()
  const read = (node: RawJson): void => {
    if (node.kind === 'string') texts.add(node.raw)
    else if (node.kind === 'number') numbers.add(node.raw)
    else if (node.kind === 'array') for (const item of node.items) read(item)
    else if (node.kind === 'object') {
      for (const [key, value] of node.members) {
        texts.add(key)
        read(value)
      }
    }
  }
  read(tree)
  return { texts: [...texts], numbers: [...numbers] }
}

/** The leaves as one spelling prints them, and a number shared by all spellings with the same result. */
interface Effect {
  readonly number: number
  readonly write: (raw: string) => string
}

function createEffects(raws: readonly string[]): (write: (raw: string) => string) => Effect {
  const known = new Map<(raw: string) => string, Effect>()
  const alike = new Map<string, number>()
  return (write) => {
    let effect = known.get(write)
    if (effect === undefined) {
      const texts = new Map(raws.map((raw) => [raw, write(raw)]))
      const all = [...texts.values()].join('\n')
      const number = alike.get(all) ?? alike.size
      alike.set(all, number)
      effect = { number, write: (raw) => texts.get(raw) ?? raw }
      known.set(write, effect)
    }
    return effect
  }
}

/** Prints one tree in many spellings, skipping those that can't differ for this tree. */
export function createJsonWriter(
  tree: RawJson,
  has: Peculiarities,
): (spelling: Spelling) => string {
  const leaves = distinctLeaves(tree)
  const textEffect = createEffects(leaves.texts)
  const numberEffect = createEffects(leaves.numbers)
  const written = new Map<string, string>()
  return (spelling) => {
    const { indent, comma, colon, sortKeys, keepDuplicates, indexKeysFirst, emptyObject } = spelling
    const isSorting = has.unsorted || sortKeys === 'length'
    const text = textEffect(spelling.text)
    const number = numberEffect(spelling.number)
    const effects = [
      indent === null ? comma : indent,
      colon,
      indent === null,
      text.number,
      number.number,
      isSorting && sortKeys,
      has.duplicates && keepDuplicates,
      has.indexKeys && indexKeysFirst && sortKeys === false,
      has.emptyObjects && emptyObject,
    ]
    const name = JSON.stringify(effects)
    let json = written.get(name)
    if (json === undefined) {
      // Sorting changes nothing if the keys are already sorted.
      const order = {
        sortKeys: isSorting && sortKeys,
        indexKeysFirst: has.indexKeys && indexKeysFirst && sortKeys === false,
        keepDuplicates: !has.duplicates || keepDuplicates,
      }
      written.set(
        name,
        (json = writeJson(tree, { ...spelling, ...order, text: text.write, number: number.write })),
      )
    }
    return json
  }
}

// JSON as a tree that keeps key order, duplicate keys, and numbers and strings as written. A diagnosis prints it in other ways.

export type RawJson =
  | {
      readonly kind: 'object'
      readonly members: readonly (readonly [key: string, value: RawJson])[]
    }
  | { readonly kind: 'array'; readonly items: readonly RawJson[] }
  /** A number, string or word, verbatim; strings and keys with their quotes. */
  | { readonly kind: 'number' | 'string' | 'word'; readonly raw: string }

/** No serializer is imitated beyond this depth: it would overflow the stack. */
const DEEPEST = 200

type Holder =
  | { readonly kind: 'object'; readonly members: (readonly [string, RawJson])[] }
  | { readonly kind: 'array'; readonly items: RawJson[] }

/** Changes all values, inner ones first. A member whose value becomes null is dropped. `depth`: 1 for the members of the root. */
export function mapJson(
  node: RawJson,
  change: (node: RawJson, depth: number) => RawJson | null,
  depth = 0,
): RawJson | null {
  const changed = (inner: RawJson) => mapJson(inner, change, depth + 1)
  if (node.kind === 'array') {
    const items = node.items.map((item) => changed(item) ?? item)
    return change({ kind: 'array', items }, depth)
  }
  if (node.kind !== 'object') return change(node, depth)
  const members = node.members.flatMap(([key, value]) => {
    const kept = changed(value)
    return kept === null ? [] : [[key, kept] as const]
  })
  return change({ kind: 'object', members }, depth)
}

/** Reads a JSON text; null if it isn't JSON or is nested too deep. */
export function readRawJson(text: string): RawJson | null {
  const stack: Holder[] = []
  let key = ''
  let root: RawJson | null = null
  const place = (node: RawJson) => {
    const holder = stack.at(-1)
    if (holder === undefined) root = node
    else if (holder.kind === 'array') holder.items.push(node)
    else holder.members.push([key, node])
  }
  const { outcome } = scanJson(
    text,
    {
      key(start, end) {
        key = text.slice(start, end)
      },
      scalar(start, end, isString) {
        const raw = text.slice(start, end)
        place({ kind: isString ? 'string' : /^[-\d]/.test(raw) ? 'number' : 'word', raw })
      },
      open(_at, container) {
        const holder: Holder =
          container === OBJECT ? { kind: 'object', members: [] } : { kind: 'array', items: [] }
        place(holder)
        stack.push(holder)
      },
      close: () => stack.pop(),
    },
    { maxDepth: DEEPEST },
  )
  return outcome === 'json' ? root : null
}
