/**
 * Escapes of JSON, JavaScript, URLs, forms and HTML, undone layer by layer to find secrets in any
 * spelling.
 */
import { encodeByteText } from './byte-text.ts'
import type { Place } from './masked-places.ts'

/** `\ud83d\ude00`, `\u0041`, `\x41` or `%41`, `&#65;`, `&#x41;`, `&quot;`, `\n`, or line breaks. */
const ESCAPE =
  /\\u(?<high>d[89ab][\da-f]{2})\\u(?<low>d[c-f][\da-f]{2})|\\u(?<unit>[\da-f]{4})|(?:\\x|%)(?<byte>[\da-f]{2})|&#(?<decimal>\d{1,7});|&#x(?<hex>[\da-f]{1,6});|&(?<name>amp|lt|gt|quot|apos);|\\(?<short>["'\\/bfnrt])|[\r\n]+/gi

export const MAY_BE_ESCAPED = /[\\%&\r\n]/

const htmlCharacters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '', r: '', t: '\t' }

/** Decodes an escape to a byte text; a line break to none, since Base64 is broken into lines. */
function decodeMatch({ groups = {} }: RegExpExecArray): string {
  const { high, low, unit, byte, decimal, hex, name, short } = groups
  if (name !== undefined) return htmlCharacters[name.toLowerCase()] ?? ''
  if (short !== undefined) return shortEscapes[short] ?? short
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16))
  const code = (digits: string) => Number.parseInt(digits, 16)
  if (high !== undefined && low !== undefined)
    return encodeByteText(String.fromCharCode(code(high), code(low)))
  const point = decimal === undefined ? code(unit ?? hex ?? '') : Number(decimal)
  if (Number.isNaN(point) || point === LINE_FEED || point === CARRIAGE_RETURN) return ''
  return point > 0x10_ff_ff ? '' : encodeByteText(String.fromCodePoint(point).toWellFormed())
}

/**
 * Undoes the outer escapes of a text.
 * @returns `originalPlace` maps a place to the given text
 */
export function undoEscapes(
  text: string,
): { text: string; originalPlace: (place: Place) => Place } | null {
  const pieces: string[] = []
  /** Place in the given text of each decoded character; no escape is shorter than its meaning. */
  const starts = new Uint32Array(text.length)
  const ends = new Uint32Array(text.length)
  let at = 0
  let length = 0
  const keep = (to: number) => {
    pieces.push(text.slice(at, to))
    for (; at < to; at++, length++) {
      starts[length] = at
      ends[length] = at + 1
    }
  }
  for (const match of text.matchAll(ESCAPE)) {
    keep(match.index)
    const decoded = decodeMatch(match)
    pieces.push(decoded)
    const end = at + match[0].length
    starts.fill(at, length, length + decoded.length)
    ends.fill(end, length, length + decoded.length)
    length += decoded.length
    at = end
  }
  if (pieces.length === 0) return null
  keep(text.length)
  return {
    text: pieces.join(''),
    originalPlace: ({ start, end }) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }),
  }
}
