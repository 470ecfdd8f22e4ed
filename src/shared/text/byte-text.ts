/** Byte texts: strings with one character per byte, which stay exact if the bytes aren't UTF-8. */

const BYTES_PER_CALL = 8_192

export function byteTextOf(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let from = 0; from < bytes.length; from += BYTES_PER_CALL)
    parts.push(
      Reflect.apply(String.fromCharCode, null, bytes.subarray(from, from + BYTES_PER_CALL)),
    )
  return parts.join('')
}

const encoder = new TextEncoder()

/** Encodes a text as UTF-8. */
export function encodeByteText(text: string): string {
  return byteTextOf(encoder.encode(text))
}

export function bytesOfByteText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index) & 0xff
  return bytes
}

/** Decodes UTF-8; other bytes become Latin-1. */
export function decodeByteText(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOfByteText(text))
  } catch {
    return text
  }
}

/** Decodes Base64, also its URL-safe alphabet, to a byte text; null if invalid. */
export function byteTextOfBase64(text: string): string | null {
  const plain = text.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  try {
    return atob(plain)
  } catch {
    return null
  }
}
