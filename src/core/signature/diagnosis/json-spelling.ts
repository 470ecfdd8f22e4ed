/** Prints JSON like the serializers of common languages, with one option per difference. */
import { nodesOf, readTree, type JsonNode } from '../../../shared/json/tree.ts'

export interface Spelling {
  /** The indent per level; null: all on one line. */
  readonly indent: string | null
  readonly comma: string
  readonly colon: string
  /** Converts a raw string or key, with its quotes. */
  readonly text: (raw: string) => string
  readonly number: (raw: string) => string
  /** Prints `true`, `false` and `null`. */
  readonly word: (raw: string) => string
  /**
   * Whether a member with this printed value is left out. `depth`: 1 for the members of the root.
   */
  readonly omits: (written: string, depth: number) => boolean
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
  word: (raw) => raw,
  omits: () => false,
  sortKeys: false,
  keepDuplicates: true,
  indexKeysFirst: false,
  emptyObject: '{}',
}

const isIndex = (name: string) => /^(?:0|[1-9]\d{0,9})$/.test(name)

/** A member of an object, which has a name. */
const nameOf = ({ name }: JsonNode): string => name ?? ''

function ordered(
  members: readonly JsonNode[],
  { sortKeys, keepDuplicates, indexKeysFirst }: Spelling,
): readonly JsonNode[] {
  const kept = keepDuplicates
    ? members
    : [...new Map(members.map((member) => [nameOf(member), member])).values()]
  if (sortKeys !== false) {
    const lengthOf = (name: string) => (sortKeys === 'length' ? Buffer.byteLength(name) : 0)
    return kept
      .map((member) => ({ member, name: nameOf(member) }))
      .sort((a, b) => lengthOf(a.name) - lengthOf(b.name) || (a.name < b.name ? -1 : 1))
      .map(({ member }) => member)
  }
  if (!indexKeysFirst) return kept
  const indexes = kept.filter((member) => isIndex(nameOf(member)))
  if (indexes.length === 0) return kept
  return [
    ...indexes.toSorted((a, b) => Number(nameOf(a)) - Number(nameOf(b))),
    ...kept.filter((member) => !isIndex(nameOf(member))),
  ]
}

export function writeJson(tree: JsonNode, spelling: Spelling): string {
  const { indent, comma, colon } = spelling
  const write = (node: JsonNode, depth: number): string => {
    if (node.kind === 'number') return spelling.number(node.raw)
    if (node.kind === 'string') return spelling.text(node.raw)
    if (node.kind === 'word') return spelling.word(node.raw)
    const parts =
      node.kind === 'array'
        ? node.children.map((item) => write(item, depth + 1))
        : ordered(node.children, spelling).flatMap((member) => {
            const value = write(member, depth + 1)
            return spelling.omits(value, depth + 1)
              ? []
              : [spelling.text(member.rawName ?? '') + colon + value]
          })
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

export function peculiaritiesOf(tree: JsonNode): Peculiarities {
  let numbers = false
  let duplicates = false
  let indexKeys = false
  let unsorted = false
  let emptyObjects = false
  for (const { kind, raw, children } of nodesOf(tree)) {
    if (kind === 'number') numbers ||= shortNumber(raw) !== raw || floatNumber(raw) !== raw
    if (kind !== 'object') continue
    const names = children.map(nameOf)
    duplicates ||= new Set(names).size < names.length
    indexKeys ||= names.some(isIndex)
    unsorted ||= names.some((name, index) => index > 0 && !(names[index - 1]! < name))
    emptyObjects ||= names.length === 0
  }
  return { numbers, duplicates, indexKeys, unsorted, emptyObjects }
}

/** All strings (including keys) and numbers of a tree as written, each once. */
function distinctLeaves(tree: JsonNode): {
  readonly texts: readonly string[]
  readonly numbers: readonly string[]
} {
  const texts = new Set<string>()
  const numbers = new Set<string>()
  for (const { kind, raw, rawName } of nodesOf(tree)) {
    if (rawName !== null) texts.add(rawName)
    if (kind === 'string') texts.add(raw)
    else if (kind === 'number') numbers.add(raw)
  }
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

/**
 * Prints one tree in many spellings of all members, skipping those that can't differ for this tree.
 */
export function createJsonWriter(
  tree: JsonNode,
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

/** No serializer is imitated beyond this depth: it would overflow the stack. */
const DEEPEST = 200

/** Reads a JSON text; null if it isn't JSON or is nested too deep. */
export function readShallowJson(text: string): JsonNode | null {
  return readTree(text, { maxDepth: DEEPEST })?.root ?? null
}
