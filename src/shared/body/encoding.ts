/**
 * How the bytes of a body are encoded: compression, content type and charset as the headers name them, compression as the bytes
 * begin, UTF-8 text.
 */
import type { RawHeaders } from '../model/delivery.ts'

/** The named encodings in the order applied, in lower case, without `identity`. */
export function contentEncodings(headers: RawHeaders): string[] {
  return valuesOf(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
}

interface ContentType {
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

/** The text, including a byte order mark; null if the bytes aren't UTF-8. `isCut`: an incomplete last character is left out. */
export function utf8Text(bytes: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: isCut,
    })
  } catch {
    // Not an error: such bytes are shown as hex.
    return null
  }
}

const BEGINNINGS = [
  { encoding: 'gzip', bytes: [0x1f, 0x8b, 0x08] },
  { encoding: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
] as const

/** Number of bytes that `encodingInBytes` needs. */
export const ENCODING_BYTES = 4

/**
 * Detects compression from the first bytes if no header names it, or a wrong one. Only byte sequences that no text begins with
 * count.
 */
export function encodingInBytes(bytes: Uint8Array): 'gzip' | 'zstd' | null {
  return (
    BEGINNINGS.find((beginning) => beginning.bytes.every((byte, index) => bytes[index] === byte))
      ?.encoding ?? null
  )
}
