/** A request from copied text, and its text and bytes. */
import { AppError } from '../contract/errors.ts'
import type { RawHeaders } from '../model/delivery.ts'
import type { SignatureReport } from '../model/signature.ts'

export interface PastedRequest {
  readonly method: string
  /** Complete if the text has a host; else null. */
  readonly url: string | null
  /** Path and query, as in the request line. */
  readonly path: string
  /** One character per byte. */
  readonly headers: RawHeaders
  /** The body as copied, then what it may have been before it was copied, likeliest first. */
  readonly bodies: readonly Uint8Array[]
  /** ISO time of the request, if the text has one. */
  readonly at: string | null
  /** A remark on the text, such as that it is cut off. */
  readonly note: string | null
}

/**
 * The requests of a text, and the number of unsigned requests left out; or why the text can't be
 * read.
 */
export type Pasted =
  | { readonly requests: readonly PastedRequest[]; readonly skipped: number }
  | { readonly refused: string }

/** Throws a sentence about what can't be read. */
export function refuse(sentence: string): never {
  throw new AppError('UNSUPPORTED', sentence)
}

/** Returns the result, or the sentence that was thrown instead. */
export function attempt<T extends object>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

const MOST_HEADERS = 1_000

/** Throws if a request has too many headers. */
export function checkHeaderCount({ length }: { readonly length: number }): void {
  if (length > MOST_HEADERS)
    refuse(
      `A request has more than ${MOST_HEADERS} headers. Paste it without those that don't matter.`,
    )
}

export function isSigned(headers: RawHeaders): boolean {
  return headers.some(([name]) => name.toLowerCase().endsWith('-signature'))
}

/** Throws if a text has a variable of an API client. */
export function checkVariables(text: string): void {
  const variable = /\{\{\s*[$\w][\w.$ -]*\}\}/.exec(text)?.[0]
  if (variable !== undefined)
    refuse(`The request has the variable ${excerpt(variable)}. Replace it with its value.`)
}

/** Bytes as text, one character per byte. */
export function latin1OfBytes(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let from = 0; from < bytes.length; from += 8_192)
    parts.push(Reflect.apply(String.fromCharCode, null, bytes.subarray(from, from + 8_192)))
  return parts.join('')
}

/**
 * Spaces of a copied text, as bytes: also no-break, zero-width and ideographic ones, which chats
 * and wikis add.
 */
const LEADING_SPACES =
  /(?:[ \t\r]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf]|\xe2\x81\xa0|\xe3\x80\x80|\xef\xbb\xbf)+/y
const LAST_SPACE =
  /(?:[ \t\r]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf]|\xe2\x81\xa0|\xe3\x80\x80|\xef\xbb\xbf)$/

/** The text without any such spaces around it. One pass: no part of it is searched again. */
export function trimSpaces(text: string): string {
  LEADING_SPACES.lastIndex = 0
  const start = LEADING_SPACES.exec(text)?.[0].length ?? 0
  let end = text.length
  for (;;) {
    const found = LAST_SPACE.exec(text.slice(Math.max(start, end - 3), end))
    if (found === null) return text.slice(start, end)
    end -= found[0].length
  }
}

const encoder = new TextEncoder()

/** The bytes of a text in UTF-8, one character per byte. */
export function latin1Of(text: string): string {
  return latin1OfBytes(encoder.encode(text))
}

export function bytesOfLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index) & 0xff
  return bytes
}

/** The text of bytes, one character each: UTF-8, or Latin-1 if it isn't. */
export function textOfLatin1(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOfLatin1(text))
  } catch {
    return text
  }
}

/** Bytes of a Base64 text as characters, one each; null if it isn't Base64. */
export function decodeBase64(text: string): string | null {
  const plain = text.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  try {
    return atob(plain)
  } catch {
    return null
  }
}

export const letters: Readonly<Record<string, string>> = {
  0: '\0',
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  E: '\x1b',
}

/**
 * Returns the text of C's escapes, of which several may be one character; null if a letter is
 * unknown. `plain` stand for themselves.
 */
export function decodedEscape(escape: string, plain: string): string | null {
  if (/^\\u[^]/i.test(escape))
    return escape
      .split(/\\u/i)
      .slice(1)
      .map((code) => characterOf(Number.parseInt(code, 16)))
      .join('')
  const hex = /^\\x([^]+)/.exec(escape)?.[1]
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
  const one = escape.slice(1)
  return letters[one] ?? (plain.includes(one) ? one : null)
}

/** Returns the character of a number; nothing if there is none. */
export function characterOf(point: number): string {
  return point > 0x10ffff ? '' : String.fromCodePoint(point)
}

/** A text for a sentence: on one line, its beginning only. */
export function excerpt(text: string): string {
  const line = textOfLatin1(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

/** Path and query of a URL, as written. */
export function pathInUrl(url: string): string {
  const path = /^[a-z][\w+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url
  return path.startsWith('/') ? path : `/${path}`
}

/** Returns the URL, if a path or host says it, and the path with its query. */
export function addressIn(
  target: string,
  host: string | null,
): Pick<PastedRequest, 'url' | 'path'> {
  const path = pathInUrl(target)
  if (/^https?:\/\//i.test(target)) return { url: target.split('#', 1)[0] ?? '', path }
  return { url: host === null ? null : `https://${host}${path}`, path }
}

/** Replaces the double quotes that mails and wikis make typographic. */
export function straightened(text: string): string {
  return text.replaceAll(/\xe2\x80[\x9c\x9d\x9e]/g, '"')
}

/** Whether a text can be in a request line. */
export function isRequestTarget(path: string): boolean {
  return /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(path)
}

/** Shown if copying may explain an invalid signature. */
export const COPIED_CAVEAT =
  'Copying may have changed the body: whitespace, line ends or escapes. If you can, use the file that was received.'

/** Whether copying may have changed the body: only if nothing else explains the signature. */
export function mayBeCopied({
  verdict,
  diagnosis,
}: Pick<SignatureReport, 'verdict' | 'diagnosis'>): boolean {
  return verdict === 'invalid' && (diagnosis === null || diagnosis.cause.startsWith('body:'))
}
