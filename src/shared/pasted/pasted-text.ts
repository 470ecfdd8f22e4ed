/** Result of reading copied text, and conversions between text and bytes. */
import { AppError } from '../contract/errors.ts'
import type { RawHeaders } from '../model/delivery.ts'
import type { SignatureReport } from '../model/signature.ts'

export interface PastedRequest {
  readonly method: string
  /** Complete, if the text has a host. */
  readonly url: string | null
  readonly path: string
  /** Each character is a byte. */
  readonly headers: RawHeaders
  /** Body as copied, then as it may have been, likeliest first. */
  readonly bodies: readonly Uint8Array[]
  readonly at: string | null
  /** Remark, such as that the text is cut off. */
  readonly note: string | null
}

/** Requests and the number of unsigned ones left out, or the reason for none. */
export type Pasted =
  | { readonly requests: readonly PastedRequest[]; readonly skipped: number }
  | { readonly refused: string }

/** Throws a sentence about what can't be read. */
export function refuse(sentence: string): never {
  throw new AppError('UNSUPPORTED', sentence)
}

/** Returns the result, or the thrown sentence. */
export function resultOrRefusal<T extends object>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

const MOST_HEADERS = 1_000

export function checkHeaderCount({ length }: { readonly length: number }): void {
  if (length > MOST_HEADERS)
    refuse(
      `A request has more than ${MOST_HEADERS} headers. Paste it without those that don't matter.`,
    )
}

export function isSigned(headers: RawHeaders): boolean {
  return headers.some(([name]) => name.toLowerCase().endsWith('-signature'))
}

export function checkVariables(text: string): void {
  const variable = /\{\{\s*[$\w][\w.$ -]*\}\}/.exec(text)?.[0]
  if (variable !== undefined)
    refuse(`The request has the variable ${excerpt(variable)}. Replace it with its value.`)
}

export function latin1OfBytes(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let from = 0; from < bytes.length; from += 8_192)
    parts.push(Reflect.apply(String.fromCharCode, null, bytes.subarray(from, from + 8_192)))
  return parts.join('')
}

/** Spaces in UTF-8 bytes, with those of chats and wikis. */
const LEADING_SPACES =
  /(?:[ \t\r]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf]|\xe2\x81\xa0|\xe3\x80\x80|\xef\xbb\xbf)+/y
const LAST_SPACE =
  /(?:[ \t\r]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf]|\xe2\x81\xa0|\xe3\x80\x80|\xef\xbb\xbf)$/

/** Trims in one pass, so that no part is searched again. */
export function trimSpaces(text: string): string {
  LEADING_SPACES.lastIndex = 0
  const start = LEADING_SPACES.exec(text)?.[0].length ?? 0
  let end = text.length
  for (;;) {
    const space = LAST_SPACE.exec(text.slice(Math.max(start, end - 3), end))
    if (space === null) return text.slice(start, end)
    end -= space[0].length
  }
}

const encoder = new TextEncoder()

export function latin1Of(text: string): string {
  return latin1OfBytes(encoder.encode(text))
}

export function bytesOfLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index) & 0xff
  return bytes
}

/** Decodes bytes, one per character: UTF-8, else Latin-1. */
export function textOfLatin1(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOfLatin1(text))
  } catch {
    return text
  }
}

/** Decodes Base64 to one character per byte. */
export function decodeBase64(text: string): string | null {
  const plain = text.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  try {
    return atob(plain)
  } catch {
    return null
  }
}

export const escapeLetters: Readonly<Record<string, string>> = {
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
 * Decodes an escape as in C; null if unknown.
 * @param plain characters that stand for themselves
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
  return escapeLetters[one] ?? (plain.includes(one) ? one : null)
}

export function characterOf(point: number): string {
  return point > 0x10ffff ? '' : String.fromCodePoint(point)
}

export function excerpt(text: string): string {
  const line = textOfLatin1(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

export function pathInUrl(url: string): string {
  const path = /^[a-z][\w+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url
  return path.startsWith('/') ? path : `/${path}`
}

/** Returns the URL, if known, and the path with its query. */
export function addressIn(
  target: string,
  host: string | null,
): Pick<PastedRequest, 'url' | 'path'> {
  const path = pathInUrl(target)
  if (/^https?:\/\//i.test(target)) return { url: target.split('#', 1)[0] ?? '', path }
  return { url: host === null ? null : `https://${host}${path}`, path }
}

/** Replaces typographic double quotes by plain ones. */
export function withPlainQuotes(text: string): string {
  return text.replaceAll(/\xe2\x80[\x9c\x9d\x9e]/g, '"')
}

export function isRequestTarget(path: string): boolean {
  return /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(path)
}

export const COPIED_CAVEAT =
  'Copying may have changed the body: whitespace, line ends or escapes. If you can, use the file that was received.'

/** Whether copying may explain the signature. */
export function mayBeCopied({
  verdict,
  diagnosis,
}: Pick<SignatureReport, 'verdict' | 'diagnosis'>): boolean {
  return verdict === 'invalid' && (diagnosis === null || diagnosis.cause.startsWith('body:'))
}
