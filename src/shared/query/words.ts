/**
 * The only definition of a word. The full-text index stores these words, searches without it
 * compare them, and highlighting searches for them. All three find the same, because none splits
 * text in its own way.
 */

/** A longer run counts by its beginning: a picture in base64 is one run of megabytes, and nobody types more than this. */
const LONGEST_WORD = 256

const ASCII_ONLY = /^[\0-\x7f]*$/
const ASCII_RUNS = /[a-z0-9]+/g
/**
 * Characters of scripts that don't put spaces between words, or join endings to them (Korean): each is a word, so that text is found
 * anywhere in a sentence.
 */
const UNSPACED = String.raw`[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]`
const RUNS = new RegExp(`${UNSPACED}|[[\\p{L}\\p{N}]--${UNSPACED}]+`, 'gv')
const ONE_UNSPACED = new RegExp(`^${UNSPACED}$`, 'v')

function shortened(word: string): string {
  if (word.length <= LONGEST_WORD) return word
  const cut = word.slice(0, LONGEST_WORD)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/**
 * Returns a text in lower case, with compatibility forms expanded (NFKD) and diacritics removed, so
 * that `Café` and `cafe` are the same.
 */
export function foldText(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase()
  // Lower-casing can produce a mark (İ) or a character that expands again, so normalization also follows it. A final sigma has
  // another form, which must not prevent `οδοσ` from matching `ΟΔΟΣ`.
  const folded = text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ς', 'σ')
  // Without marks, only Hangul syllables are put together again.
  return folded.normalize('NFC')
}

/**
 * The words of a text in order: runs of letters and digits, or single characters of scripts without
 * spaces, folded. Splitting the words joined by spaces gives the same words again.
 */
export function splitWords(text: string): string[] {
  const folded = foldText(text)
  return (folded.match(ASCII_ONLY.test(folded) ? ASCII_RUNS : RUNS) ?? []).map(shortened)
}

export interface SearchedParts {
  readonly path: string | null
  readonly headers: readonly (readonly [string, string])[]
  /** The stored bytes of the body. */
  readonly body: Uint8Array
}

const decoder = new TextDecoder()
const JSON_START = /^\s*[[{"]/
/** An escape in a JSON string (RFC 8259, section 7). */
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|(.))/gs
const PLAIN_ESCAPES = /[\\"/]/

/** Bytes of a body whose words are searched: while storing a delivery, the index needs about 300 bytes of memory for each word. */
export const SEARCHED_BYTES = 262_144

/**
 * The searched text of a body: the decoded UTF-8 of its first `SEARCHED_BYTES`. If it looks like JSON, escapes are decoded
 * (`\u00e9` is é).
 */
export function searchedBodyText(body: Uint8Array): string {
  const text = decoder.decode(body.subarray(0, SEARCHED_BYTES))
  if (!JSON_START.test(text) || !text.includes('\\')) return text
  return text.replaceAll(
    ESCAPE,
    (_whole: string, code: string | undefined, sign: string | undefined) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      return sign !== undefined && PLAIN_ESCAPES.test(sign) ? sign : ' '
    },
  )
}

/** All words of a delivery in index order: path, headers (name, value), body. */
export function wordsOfDelivery({ path, headers, body }: SearchedParts): string[] {
  return [path ?? '', ...headers.flat(), searchedBodyText(body)].flatMap(splitWords)
}

/** Whether the last word is a single character that no longer word begins with. */
export function endsUnspaced(words: readonly string[]): boolean {
  return ONE_UNSPACED.test(words.at(-1) ?? '')
}

/** The meaning of free text: adjacent words, the last one complete or a prefix. */
export interface WantedWords {
  readonly words: readonly string[]
  /** The last word may be a prefix: `coff` finds `coffee`. Quoted text requires the whole word. */
  readonly prefix: boolean
}

/** Whether the words are adjacent somewhere in the delivery. */
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

/** False only if no word of a text can contain the letters: much faster to tell than by splitting it into words. */
const mayContain = (text: string, letters: string) =>
  !ASCII_ONLY.test(text) || text.toLowerCase().includes(letters)

/**
 * Whether a delivery contains the words. A single word is searched in the path and headers first; if found, the body isn't read.
 */
export function deliveryHasWords(parts: SearchedParts, wanted: WantedWords): boolean {
  const [word] = wanted.words
  if (word === undefined || wanted.words.length > 1) return hasWords(wordsOfDelivery(parts), wanted)
  const has = (text: string) => mayContain(text, word) && hasWords(splitWords(text), wanted)
  return [parts.path ?? '', ...parts.headers.flat()].some(has) || has(searchedBodyText(parts.body))
}

/** The same as an expression for FTS5's MATCH. Words contain only letters and digits, so nothing needs escaping. */
export function matchExpression({ words, prefix }: WantedWords): string {
  return `"${words.join(' ')}"${prefix ? ' *' : ''}`
}
