/** Prints JSON like the serializers of common languages. */
import { readTree, type JsonNode } from '../../../shared/json/tree.ts'

export interface Spelling {
  /** Indent per level; null for one line. */
  readonly indent: string | null
  readonly comma: string
  readonly colon: string
  /** Converts a raw string or key, with its quotes. */
  readonly text: (raw: string) => string
  readonly number: (raw: string) => string
  /** Prints `true`, `false` and `null`. */
  readonly word: (raw: string) => string
  /** Whether to omit a member with this printed value; the root's have depth 1. */
  readonly omits: (written: string, depth: number) => boolean
  /** Order of keys; `length` puts shorter ones first, as PostgreSQL's jsonb. */
  readonly sortKeys: boolean | 'length'
  /** Whether duplicate keys stay; otherwise the last value moves to the first. */
  readonly keepDuplicates: boolean
  /** Whether numeric keys come first, as in JavaScript. */
  readonly indexKeysFirst: boolean
  /** Form of an empty object; PHP prints a list. */
  readonly emptyObject: '{}' | '[]'
}

/** Spelling without whitespace that keeps everything else. */
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

/** Whether JavaScript treats a key as an index, and moves it to the front: `0`, `10`. */
export const isIndexKey = (name: string) => /^(?:0|[1-9]\d{0,9})$/.test(name)

export const memberNameOf = ({ name }: JsonNode): string => name ?? ''

function orderedMembers(
  members: readonly JsonNode[],
  { sortKeys, keepDuplicates, indexKeysFirst }: Spelling,
): readonly JsonNode[] {
  const distinct = keepDuplicates
    ? members
    : [...new Map(members.map((member) => [memberNameOf(member), member])).values()]
  if (sortKeys !== false) {
    const lengthOf = (name: string) => (sortKeys === 'length' ? Buffer.byteLength(name) : 0)
    return distinct
      .map((member) => ({ member, name: memberNameOf(member) }))
      .sort((a, b) => lengthOf(a.name) - lengthOf(b.name) || (a.name < b.name ? -1 : 1))
      .map(({ member }) => member)
  }
  if (!indexKeysFirst) return distinct
  const indexes = distinct.filter((member) => isIndexKey(memberNameOf(member)))
  if (indexes.length === 0) return distinct
  return [
    ...indexes.toSorted((a, b) => Number(memberNameOf(a)) - Number(memberNameOf(b))),
    ...distinct.filter((member) => !isIndexKey(memberNameOf(member))),
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
        : orderedMembers(node.children, spelling).flatMap((member) => {
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

/** Prints a number like JavaScript, Go and PHP: `10.00` as `10`. */
export function shortNumber(raw: string): string {
  return JSON.stringify(Number(raw))
}

/** Prints a number like Python, Ruby, Java and C#: `10.00` as `10.0`. */
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
  /** Letter case of `\uXXXX` for everything beyond ASCII. */
  readonly ascii?: 'lower' | 'upper'
  /** Flag to print `/` as `\/`. */
  readonly slashes?: true
  /** Characters to print as `\uXXXX` too. */
  readonly escaped?: RegExp
}

/** Returns a function that decodes and encodes strings. */
export function textSpelling({ ascii, slashes, escaped }: TextSpelling = {}): Spelling['text'] {
  const escape = ascii === 'upper' ? upperEscape : unicodeEscape
  const write = (raw: string): string => {
    let inner = JSON.stringify(JSON.parse(raw)).slice(1, -1)
    if (slashes === true) inner = inner.replaceAll('/', String.raw`\/`)
    if (escaped !== undefined) {
      // These serializers treat an escaped quote as one character.
      inner = inner.replace(/\\"|[^\\]|\\./gsu, (character) => {
        if (character === String.raw`\"`) return escaped.test('"') ? escape('"') : character
        return character.length === 1 && escaped.test(character) ? escape(character) : character
      })
    }
    if (ascii !== undefined) inner = inner.replaceAll(/[\u0080-\uffff]/g, escape)
    return `"${inner}"`
  }
  // Keys repeat often, so their texts are cached.
  const cache = new Map<string, string>()
  return (raw) => {
    if (ALIKE_EVERYWHERE.test(raw)) return raw
    let text = cache.get(raw)
    if (text === undefined) {
      text = write(raw)
      cache.set(raw, text)
    }
    return text
  }
}

/** Strings that every serializer prints alike. */
const ALIKE_EVERYWHERE = /^"[A-Za-z0-9 _.:,;!?@#$%*()[\]{}|~^-]*"$/

/** Depth limit, to keep the stack. */
const MAX_DEPTH = 200

/** Reads a JSON text; null if it isn't JSON or too deep. */
export function readShallowJson(text: string): JsonNode | null {
  return readTree(text, { maxDepth: MAX_DEPTH })?.root ?? null
}
