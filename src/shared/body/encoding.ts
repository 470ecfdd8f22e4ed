import type { RawHeaders } from '../model/delivery.ts'

/** Lists encodings in the order applied, without `identity`. */
export function contentEncodings(headers: RawHeaders): string[] {
  return valuesOf(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
}

interface ContentType {
  readonly type: string
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

function valuesOf(headers: RawHeaders, lowerName: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === lowerName).map(([, value]) => value)
}

/**
 * Decodes UTF-8, keeping a byte order mark; null if invalid.
 * @param isCut drops an incomplete last character
 */
export function utf8Text(bytes: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: isCut,
    })
  } catch {
    return null
  }
}

const SIGNATURES = [
  { encoding: 'gzip', bytes: [0x1f, 0x8b, 0x08] },
  { encoding: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
] as const

/** Bytes for `encodingInBytes`. */
export const ENCODING_BYTES = 4

/** Detects compression by bytes that no text begins with. */
export function encodingInBytes(bytes: Uint8Array): 'gzip' | 'zstd' | null {
  return (
    SIGNATURES.find((signature) => signature.bytes.every((byte, index) => bytes[index] === byte))
      ?.encoding ?? null
  )
}
