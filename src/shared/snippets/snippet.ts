/**
 * Program that verifies a delivery (section 5.2). Received data becomes Base64 or harmless ASCII,
 * never code.
 */

export interface Vector {
  /** Body, unless it is too long for a program. */
  readonly bodyBase64: string | null
  readonly url: string
  readonly timestamp: string
  readonly signature: string
}

export interface SnippetLanguage {
  readonly id: string
  readonly name: string
  readonly file: string
  readonly run: string
  /** Expressions that decode Base64 to bytes and to text, and that read a file. */
  readonly bytes: string
  readonly text: string
  readonly fileBody: string
  /** Source with `<body>`, `<url>`, `<timestamp>` and `<signature>`. */
  readonly program: string
}

export const SECRET_VARIABLE = 'WEBHOOK_SECRET'

/** Bytes above which a body is read from a file. */
export const LONGEST_INLINE_BODY = 4_096

/** Encodes a body in Base64; null if it is too long. */
export function inlineBody(body: Uint8Array): string | null {
  return body.length > LONGEST_INLINE_BODY ? null : toBase64(body)
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}

/** Fills in a program; unusual text is decoded from Base64. */
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
