/**
 * The parts of a program that verifies a delivery (section 5.2) in another language. All input is embedded as Base64 or as plain
 * ASCII without characters that any of the languages interprets: received data never becomes code.
 */

/** A delivery as a test vector. */
export interface Vector {
  /** The whole body in Base64; null if it is too long for a program, which then reads it from a file. */
  readonly bodyBase64: string | null
  /** The registered URL. */
  readonly url: string
  readonly timestamp: string
  readonly signature: string
}

export interface SnippetLanguage {
  readonly id: string
  readonly name: string
  /** The suggested file name. */
  readonly file: string
  /** The shell command to run it. */
  readonly run: string
  readonly write: (vector: Vector) => string
}

/** The variable from which the programs read the secret. */
export const SECRET_VARIABLE = 'WEBHOOK_SECRET'

/** A body longer than this, in bytes, is read from a file. */
export const LONGEST_INLINE_BODY = 4_096

/**
 * A text in double quotes; if it contains characters that aren't plain in every language, an expression that decodes it from
 * Base64.
 */
export function literal(text: string, decode: (base64: string) => string): string {
  return /^[A-Za-z0-9 :/.?&=_%+~,;@-]*$/.test(text)
    ? `"${text}"`
    : decode(toBase64(new TextEncoder().encode(text)))
}

/** A body in Base64 if it is short enough to embed; else null. */
export function inlineBody(body: Uint8Array): string | null {
  return body.length > LONGEST_INLINE_BODY ? null : toBase64(body)
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}
