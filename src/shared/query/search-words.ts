/** Definition of a word, for the index, searches and highlighting. */

/** Characters of a word that are indexed and compared. */
const LONGEST_WORD = 256

const ASCII_ONLY = /^[\0-\x7f]*$/
const ASCII_WORDS = /[a-z0-9]+/g
/** Scripts without spaces between words: each character is a word. */
const UNSPACED = String.raw`[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]`
const WORDS = new RegExp(`${UNSPACED}|[[\\p{L}\\p{N}]--${UNSPACED}]+`, 'gv')
const ONE_UNSPACED = new RegExp(`^${UNSPACED}$`, 'v')

function shortened(word: string): string {
  if (word.length <= LONGEST_WORD) return word
  const cut = word.slice(0, LONGEST_WORD)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** Folds case, compatibility forms (NFKD) and diacritics: `Café` is `cafe`. */
export function foldText(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase()
  // Lower-casing can produce a mark (İ), so normalization also follows it. `οδοσ` must match
  // `ΟΔΟΣ`.
  const folded = text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ς', 'σ')
  // Without marks, NFC only joins Hangul syllables again.
  return folded.normalize('NFC')
}

/** Splits a text into folded words, which split into themselves. */
export function splitWords(text: string): string[] {
  const folded = foldText(text)
  return (folded.match(ASCII_ONLY.test(folded) ? ASCII_WORDS : WORDS) ?? []).map(shortened)
}

export interface SearchedParts {
  readonly path: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

const decoder = new TextDecoder()
const JSON_START = /^\s*[[{"]/
/** JSON escape (RFC 8259, section 7). */
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|(.))/gs
/** Escaped signs that stand for themselves; others are whitespace. */
const ESCAPED_SIGN = /[\\"/]/

/** Searched bytes of a body; the index needs about 300 bytes per word. */
export const SEARCHED_BYTES = 262_144

/** Decodes a body's searched bytes, and escapes of JSON. */
export function searchedBodyText(body: Uint8Array): string {
  const text = decoder.decode(body.subarray(0, SEARCHED_BYTES))
  if (!JSON_START.test(text) || !text.includes('\\')) return text
  return text.replaceAll(
    ESCAPE,
    (_whole: string, code: string | undefined, sign: string | undefined) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      return sign !== undefined && ESCAPED_SIGN.test(sign) ? sign : ' '
    },
  )
}

/** Lists all words in index order: path, headers, body. */
export function wordsOfDelivery({ path, headers, body }: SearchedParts): string[] {
  return [path ?? '', ...headers.flat(), searchedBodyText(body)].flatMap(splitWords)
}

/** Whether the last word is a character of a script without spaces, which ends the word. */
export function endsUnspaced(words: readonly string[]): boolean {
  return ONE_UNSPACED.test(words.at(-1) ?? '')
}

export interface SearchPhrase {
  readonly words: readonly string[]
  /** Allows the last word to be a prefix. */
  readonly prefix: boolean
}

function hasWords(all: readonly string[], { words, prefix }: SearchPhrase): boolean {
  const last = words.length - 1
  if (last < 0) return false
  return all.some(
    (_, start) =>
      start + last < all.length &&
      words.every((word, offset) => {
        const candidate = all[start + offset] ?? ''
        return prefix && offset === last ? candidate.startsWith(word) : candidate === word
      }),
  )
}

/** Whether a word may contain the letters; faster than splitting. */
const mayContain = (text: string, letters: string) =>
  !ASCII_ONLY.test(text) || text.toLowerCase().includes(letters)

/** Whether a delivery has the words; reads the body last. */
export function deliveryHasWords(parts: SearchedParts, phrase: SearchPhrase): boolean {
  const [word] = phrase.words
  if (word === undefined || phrase.words.length > 1) return hasWords(wordsOfDelivery(parts), phrase)
  const has = (text: string) => mayContain(text, word) && hasWords(splitWords(text), phrase)
  return [parts.path ?? '', ...parts.headers.flat()].some(has) || has(searchedBodyText(parts.body))
}

/** Writes FTS5's MATCH expression; letters and digits need no escaping. */
export function matchExpression({ words, prefix }: SearchPhrase): string {
  return `"${words.join(' ')}"${prefix ? ' *' : ''}`
}
