/** What the headers say about the body: compression, media type and charset. */
import type { RawHeaders } from '../model/delivery.ts'

/** The named encodings in the order applied, in lower case, without `identity`. */
export function contentEncodings(headers: RawHeaders): string[] {
  return valuesOf(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
}

export interface ContentType {
  /** Such as `application/json`, in lower case; empty if not given. */
  readonly type: string
  /** As written, or null. */
  readonly charset: string | null
}

export function contentType(headers: RawHeaders): ContentType {
  const value = valuesOf(headers, 'content-type')[0] ?? ''
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(value)
  return {
    type: (value.split(';')[0] ?? '').trim().toLowerCase(),
    charset: charset === null ? null : (charset[1] ?? charset[2] ?? null),
  }
}

function valuesOf(headers: RawHeaders, wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}
