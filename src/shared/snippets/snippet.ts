/**
 * What a program that verifies a delivery (section 5.2) in another language is made of. Everything in it that came from outside
 * is either plain ASCII without a character that any of the languages reads, or Base-64: nothing received becomes code.
 */

/** A delivery as a test vector. */
export interface Vector {
  /** Base-64 of the whole body; null where it is too long to stand in a program: it is read from a file then. */
  readonly bodyBase64: string | null
  /** The registered URL. */
  readonly url: string
  readonly timestamp: string
  readonly signature: string
}

export interface SnippetLanguage {
  readonly id: string
  readonly name: string
  /** What the file should be called. */
  readonly file: string
  /** How it is run in a shell. */
  readonly run: string
  readonly write: (vector: Vector) => string
}

/** The variable that the programs take the secret from. */
export const SECRET_VARIABLE = 'WEBHOOK_SECRET'

/** A body longer than this, in bytes, is read from a file. */
export const LONGEST_INLINE_BODY = 4_096

/** A text in double quotes; where it holds more than is plain in every language, the expression that decodes it from Base-64. */
export function literal(text: string, decode: (base64: string) => string): string {
  return /^[A-Za-z0-9 :/.?&=_%+~,;@-]*$/.test(text) ? `"${text}"` : decode(toBase64(new TextEncoder().encode(text)))
}

/** Base-64 of a body that may stand in a program; null of a longer one. */
export function inlineBody(body: Uint8Array): string | null {
  return body.length > LONGEST_INLINE_BODY ? null : toBase64(body)
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}
