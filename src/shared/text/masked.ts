/**
 * Hides secrets in all output of Countersign: exports, reports, command output, API logs. There is one mark and one way to find a
 * secret; stored data stays unchanged.
 */

/** Replaces each secret. */
export const MASK = '[masked]'

/**
 * A shorter text occurs everywhere by chance: masking the secret `s` or `key` would break words, our own sentences included, and
 * guessing one that short takes no leak. The service's secrets are much longer. A header's whole value is masked however short it is.
 */
const SHORTEST_SECRET = 6

export interface Mask {
  /** Matches each known secret in a text, or in bytes read as one character each; null if there is none to look for. */
  readonly pattern: RegExp | null
  /** Characters of the longest match. */
  readonly longest: number
  /** The text with the mark in place of each secret. */
  text(text: string): string
}

const hexOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
/** One character per byte, as header values and bodies are searched. */
const binaryOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
const utf8 = (text: string) => new TextEncoder().encode(text)

/** What a JSON writer makes of a text: plain, with escaped slashes (PHP), ASCII only (Python), safe for HTML (Go). */
function inJson(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1)
  const unit = (character: string) =>
    String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const ascii = plain.replaceAll(/[\u007f-\uffff]/g, unit)
  return [
    plain,
    plain.replaceAll('/', String.raw`\/`),
    ascii,
    ascii.replaceAll('/', String.raw`\/`),
    ascii.replaceAll(/\\u[0-9a-f]{4}/g, (escape) => String.raw`\u${escape.slice(2).toUpperCase()}`),
    plain.replaceAll(/[<>&]/g, unit),
  ]
}

/** A URL or form: upper or lower case, with or without the characters that only some encoders keep. */
function inUrl(text: string): string[] {
  const loose = encodeURIComponent(text)
  const strict = loose.replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const lower = (encoded: string) =>
    encoded.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())
  const both = [loose, strict].flatMap((encoded) => [encoded, lower(encoded)])
  return both.flatMap((encoded) => [encoded, encoded.replaceAll('%20', '+')])
}

function inHtml(text: string): string[] {
  const escaped = (quote: string, apostrophe: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe)
  return [escaped('&quot;', '&#39;'), escaped('&#34;', '&#39;'), escaped('&quot;', '&#x27;')]
}

/** Base64 at each place where the text can begin, without the characters that it shares with its neighbors. */
function inBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const whole = btoa('\0'.repeat(shift) + binaryOf(bytes))
    const own = whole.slice([0, 2, 3][shift], Math.floor(((shift + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Every form in which a secret gets into a text or a body. */
function formsOf(secret: string): string[] {
  const text = secret.toWellFormed()
  const escaped = inJson(text)
  const readable = [
    secret,
    text,
    ...escaped,
    ...escaped.flatMap(inJson),
    ...inUrl(text),
    ...inHtml(text),
  ]
  const bytes = utf8(text)
  const hex = hexOf(bytes)
  const characters = Array.from(text)
  return [
    ...readable,
    ...readable.map((form) => binaryOf(utf8(form))),
    ...[text, ...escaped].flatMap((form) => inBase64(utf8(form))),
    hex,
    hex.toUpperCase(),
    // UTF-16, as its bytes.
    ...(characters.every((character) => character.charCodeAt(0) < 0x80)
      ? [
          characters.map((character) => `${character}\0`).join(''),
          characters.map((character) => `\0${character}`).join(''),
        ]
      : []),
  ]
}

/** Makes the mask for secrets given in clear. */
export function createMask(secrets: readonly string[]): Mask {
  const wanted = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET)
  // The longest first: if two begin alike, the whole of the longer one is hidden.
  const forms = [...new Set(wanted.flatMap(formsOf))].toSorted(
    (one, other) => other.length - one.length,
  )
  const longest = forms[0]?.length ?? 0
  if (longest === 0) return { pattern: null, longest, text: (text) => text }
  const pattern = new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g')
  return { pattern, longest, text: (text) => text.replaceAll(pattern, MASK) }
}
