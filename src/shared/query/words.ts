/**
 * What a word is, said once. The index of full text stores these words, the plain filter compares them and whatever marks
 * hits in a text looks for them; all three find the same because none of them splits a text in its own way.
 */

/** A longer run counts by its beginning: a picture in base64 is one run of megabytes, and nobody types more than this. */
const LONGEST_WORD = 256

const ASCII_ONLY = /^[\0-\x7f]*$/
const ASCII_RUNS = /[a-z0-9]+/g
const RUNS = /[\p{L}\p{N}]+/gu

function shortened(word: string): string {
  if (word.length <= LONGEST_WORD) return word
  const cut = word.slice(0, LONGEST_WORD)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/**
 * The words of a text in their order: runs of letters and digits, in lower case, compatibility forms written out (NFKD) and
 * marks removed, so that `Café` and `cafe` are one word. Splitting the words joined by spaces gives the same words again.
 */
export function splitWords(text: string): string[] {
  if (ASCII_ONLY.test(text)) return (text.toLowerCase().match(ASCII_RUNS) ?? []).map(shortened)
  // Lower-casing can bring forth a mark (İ) or a character that is written out again, so the form is made after it as well;
  // a sigma at the end of a word is written otherwise, which must not keep `οδοσ` from finding `ΟΔΟΣ`.
  const folded = text.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ς', 'σ')
  return (folded.match(RUNS) ?? []).map(shortened)
}

/** What free text is looked for in, of one delivery. */
export interface SearchedParts {
  readonly path: string | null
  readonly headers: readonly (readonly [string, string])[]
  /** The bytes kept of the body. */
  readonly body: Uint8Array
}

const decoder = new TextDecoder()
const JSON_START = /^\s*[[{"]/
/** An escape of a JSON string (RFC 8259, section 7). */
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|(.))/gs
const PLAIN_ESCAPES = /[\\"/]/

/** Words of a body are looked for in so many bytes: the index takes about 300 bytes of memory a word while it stores a delivery. */
export const SEARCHED_BYTES = 262_144

/** The text of a body as it is searched: the decoded UTF-8 of its first `SEARCHED_BYTES`; where it looks like JSON, with escapes written out (`\u00e9` is é). */
export function searchedBodyText(body: Uint8Array): string {
  const text = decoder.decode(body.subarray(0, SEARCHED_BYTES))
  if (!JSON_START.test(text) || !text.includes('\\')) return text
  return text.replaceAll(ESCAPE, (_whole: string, code: string | undefined, sign: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return sign !== undefined && PLAIN_ESCAPES.test(sign) ? sign : ' '
  })
}

/** All words of a delivery, in the order in which the index stores them: path, headers (name, value), body. */
export function wordsOfDelivery({ path, headers, body }: SearchedParts): string[] {
  return [path ?? '', ...headers.flat(), searchedBodyText(body)].flatMap(splitWords)
}

/** What a free text asks for: words in a row, the last of them whole or only begun. */
export interface WantedWords {
  readonly words: readonly string[]
  /** The last word need only begin so: `coff` finds `coffee`. A quoted text wants it whole. */
  readonly prefix: boolean
}

/** Whether the words stand in a row somewhere among those of a delivery. */
function hasWords(all: readonly string[], { words, prefix }: WantedWords): boolean {
  const last = words.length - 1
  if (last < 0) return false
  return all.some(
    (_, start) =>
      start + last < all.length &&
      words.every((word, offset) => {
        const there = all[start + offset] ?? ''
        return prefix && offset === last ? there.startsWith(word) : there === word
      }),
  )
}

/** Whether a delivery has the words. A single one is looked for in the path and headers first: where it is there, the body is left unread. */
export function deliveryHasWords(parts: SearchedParts, wanted: WantedWords): boolean {
  if (wanted.words.length !== 1) return hasWords(wordsOfDelivery(parts), wanted)
  return (
    [parts.path ?? '', ...parts.headers.flat()].some((text) => hasWords(splitWords(text), wanted)) ||
    hasWords(splitWords(searchedBodyText(parts.body)), wanted)
  )
}

/** The same as an expression for FTS5's MATCH. Words are letters and digits only, so nothing in them needs escaping. */
export function matchExpression({ words, prefix }: WantedWords): string {
  return `"${words.join(' ')}"${prefix ? ' *' : ''}`
}
