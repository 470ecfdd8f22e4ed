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
  /** Expressions for what `<base64>` encodes, as bytes and as text, and for the bytes of the file named by the first argument. */
  readonly bytes: string
  readonly text: string
  readonly fileBody: string
  /** With holes for the parts of the vector: `<body>`, `<url>`, `<timestamp>`, `<signature>`. */
  readonly program: string
}

/** The variable from which the programs read the secret. */
export const SECRET_VARIABLE = 'WEBHOOK_SECRET'

/** A body longer than this, in bytes, is read from a file. */
export const LONGEST_INLINE_BODY = 4_096

/** A body in Base64 if it is short enough to embed; else null. */
export function inlineBody(body: Uint8Array): string | null {
  return body.length > LONGEST_INLINE_BODY ? null : toBase64(body)
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}

/**
 * The program for a delivery. A text is in double quotes; if it contains characters that aren't plain in every language, it is an
 * expression that decodes it from Base64.
 */
export function snippetOf(
  { bytes, text, fileBody, program }: SnippetLanguage,
  { bodyBase64, url, timestamp, signature }: Vector,
): string {
  const decoded = (expression: string, base64: string) => expression.replace('<base64>', base64)
  const literal = (value: string) =>
    /^[A-Za-z0-9 :/.?&=_%+~,;@-]*$/.test(value)
      ? `"${value}"`
      : decoded(text, toBase64(new TextEncoder().encode(value)))
  const body = bodyBase64 === null ? fileBody : decoded(bytes, bodyBase64)
  const parts: Readonly<Record<string, string>> = {
    body,
    url: literal(url),
    timestamp: literal(timestamp),
    signature: literal(signature),
  }
  return program.replaceAll(
    /<(body|url|timestamp|signature)>/g,
    (_, name: string) => parts[name] ?? '',
  )
}
