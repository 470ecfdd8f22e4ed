/**
 * Masking of secrets in output; stored data stays unchanged. A text is searched for each secret's
 * forms (as Base64, in hex, …), then again without its outer escapes, layer by layer.
 */
import { byteTextOf } from './byte-text.ts'
import { MAY_BE_ESCAPED, undoEscapes } from './escapes.ts'
import { type Place, mergePlaces, maskPlaces } from './masked-places.ts'

/** Shorter texts occur everywhere by chance; a header's value is masked at any length. */
const SHORTEST_SECRET = 6

/** Characters to read beyond a cut, so that a secret across it is still found. */
export const MASKED_BEYOND = 16_384

/** Returns a cut text's last word, which may begin a secret. */
function lastWord(text: string): Place[] {
  const { length } = text
  const ends = Array.from(' \n"<>,', (end) => text.lastIndexOf(end) + 1)
  const start = Math.max(length - MASKED_BEYOND, ...ends)
  return start === length ? [] : [{ start, end: length }]
}

const utf8 = (text: string) => new TextEncoder().encode(text)

const hexOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Spells JSON plainly, with escaped slashes (PHP), and in ASCII (Python). */
function inJson(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1)
  const ascii = plain.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return [plain, ascii].flatMap((spelling) => [spelling, spelling.replaceAll('/', String.raw`\/`)])
}

/** Nested escapes: JSON in JSON in a form, and one spare. */
const MOST_LAYERS = 4

type Finder = (text: string) => readonly Place[]

const NO_FORMS: readonly string[] = []
/** Adds a character to a hash; shifted by 6 bits each time, only the last six stay in 32 bits. */
const nextHash = (hash: number, code: number) => (hash << 6) ^ code

/**
 * Creates a finder that looks up a rolling hash of the last six characters (`SHORTEST_SECRET`):
 * the ends of forms, because many secrets share a beginning.
 */
function createFinder(forms: ReadonlySet<string>): Finder {
  const byHash = new Map<number, readonly string[]>()
  for (const form of forms) {
    let hash = 0
    for (let at = form.length - SHORTEST_SECRET; at < form.length; at++)
      hash = nextHash(hash, form.charCodeAt(at))
    byHash.set(hash, [...(byHash.get(hash) ?? NO_FORMS), form])
  }
  return (text) => {
    const places: Place[] = []
    let hash = 0
    for (let end = 1; end <= text.length; end++) {
      hash = nextHash(hash, text.charCodeAt(end - 1))
      for (const form of byHash.get(hash) ?? NO_FORMS)
        if (text.endsWith(form, end)) places.push({ start: end - form.length, end })
    }
    return places
  }
}

function findIn(text: string, finders: readonly Finder[], layers: number): readonly Place[] {
  const places = finders.flatMap((find) => find(text))
  const inner = layers === 0 || !MAY_BE_ESCAPED.test(text) ? null : undoEscapes(text)
  return inner === null
    ? places
    : [...places, ...findIn(inner.text, finders, layers - 1).map(inner.originalPlace)]
}

const BITS_PER_BYTE = 8
const BITS_PER_CHARACTER = 6

/**
 * Encodes bytes as part of a longer text, without the characters that also have bits of their
 * neighbors. Base64 groups three bytes, so up to 2 bytes before them shift all characters.
 */
function inBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((bytesBefore) => {
    const whole = btoa('\0'.repeat(bytesBefore) + byteTextOf(bytes))
    const start = Math.ceil((bytesBefore * BITS_PER_BYTE) / BITS_PER_CHARACTER)
    const end = Math.floor(((bytesBefore + bytes.length) * BITS_PER_BYTE) / BITS_PER_CHARACTER)
    const form = whole.slice(start, end)
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function formsOf(secret: string): string[] {
  const text = secret.toWellFormed()
  const bytes = utf8(text)
  const hex = hexOf(bytes)
  const readable = [secret, text, byteTextOf(bytes)]
  const isAscii = bytes.every((byte) => byte < 0x80)
  return [
    ...readable,
    // Hexadecimal has either letter case.
    ...(/^[\da-f]+$/i.test(text) ? [text.toLowerCase(), text.toUpperCase()] : []),
    ...readable.flatMap((form) => [form.replaceAll(/[\r\n]/g, ''), form.replaceAll(' ', '+')]),
    ...[...new Set([text, ...inJson(text)])].flatMap((form) => inBase64(utf8(form))),
    hex,
    hex.toUpperCase(),
    // UTF-16 in either byte order.
    ...(isAscii ? [text.replaceAll(/[^]/g, '$&\0'), text.replaceAll(/[^]/g, '\0$&')] : []),
  ].filter((form) => form.length >= SHORTEST_SECRET)
}

/** Returns an upper bound for the length of a secret's spellings. */
const longestSpelling = (secret: string) => Math.min(secret.length, 512) * 16 + secret.length * 4

/** Creates a mask, for the secrets of a previous one too. */
export function createMask(allSecrets: readonly string[], previous?: Mask): Mask {
  const secrets = [...new Set(allSecrets)].filter((secret) => secret.length >= SHORTEST_SECRET)
  const finders = [...(previous?.finders ?? [])]
  if (secrets.length > 0) finders.push(createFinder(new Set(secrets.flatMap(formsOf))))
  const longest = Math.max(0, ...secrets.map(longestSpelling), previous?.longest ?? 0)
  const places: Mask['places'] = (text, isCut = false) =>
    finders.length === 0
      ? []
      : mergePlaces([...findIn(text, finders, MOST_LAYERS), ...(isCut ? lastWord(text) : [])])
  return {
    finders,
    longest,
    places,
    text(text, most, isCut) {
      const searched = most === undefined ? text : text.slice(0, most + longest)
      return maskPlaces(searched, places(searched, isCut), most)
    },
  }
}

export interface Mask {
  readonly finders: readonly Finder[]
  /** Characters of the longest spelling. */
  readonly longest: number
  /**
   * Finds secrets in a text, or in bytes as characters; in order.
   * @param isCut only the start was stored
   */
  places(text: string, isCut?: boolean): readonly Place[]
  text(text: string, most?: number, isCut?: boolean): string
}

export interface KnownSecrets {
  mask(): Promise<Mask['text']>
}
