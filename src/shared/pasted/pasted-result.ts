/** Result of reading copied text: requests, or a sentence that refuses. */
import { AppError } from '../contract/errors.ts'
import type { RawHeaders } from '../model/delivery.ts'
import type { SignatureReport } from '../model/signature.ts'
import { decodeByteText } from '../text/byte-text.ts'

export interface PastedRequest {
  readonly method: string
  /** Complete URL; null if the text has no host. */
  readonly url: string | null
  readonly path: string
  /** Byte texts. */
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

/** Refusal of what certainly is a request; of other text, a further reader may read more. */
export class RequestRefusal extends AppError {}

export function refuse(sentence: string, Refusal = AppError): never {
  throw new Refusal('UNSUPPORTED', sentence)
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

/** Throws for a variable of an API client: `{{base_url}}`. */
export function checkVariables(text: string): void {
  const variable = /\{\{\s*[$\w][\w.$ -]*\}\}/.exec(text)?.[0]
  if (variable !== undefined)
    refuse(
      `The request has the variable ${excerpt(variable)}. Replace it with its value.`,
      RequestRefusal,
    )
}

const LONGEST_EXCERPT = 60

/** Shortens a byte text to one readable line. */
export function excerpt(text: string): string {
  const line = decodeByteText(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT - 1)}…` : line
}

/** Returns `/hooks?a=1` of `https://example.com/hooks?a=1#top`. */
export function pathInUrl(url: string): string {
  const path = /^[a-z][\w+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url
  return path.startsWith('/') ? path : `/${path}`
}

export function addressIn(
  target: string,
  host: string | null,
): Pick<PastedRequest, 'url' | 'path'> {
  const path = pathInUrl(target)
  if (/^https?:\/\//i.test(target)) return { url: target.split('#', 1)[0] ?? '', path }
  return { url: host === null ? null : `https://${host}${path}`, path }
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
