/** Bytes to and from the texts that they travel in. */

export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

export function concatenated(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Each character a byte: how headers are kept. */
export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
}

/**
 * The text of UTF-8 bytes, byte order mark included, or null where they are not UTF-8. `cut`: the bytes are the beginning
 * of more, so a character may be missing its last bytes; it is then left out.
 */
export function fromUtf8(bytes: Uint8Array, cut: boolean): string | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return decoder.decode(bytes, { stream: cut })
  } catch {
    // Invalid UTF-8 is an answer here, not a failure: the bytes are shown in hexadecimal.
    return null
  }
}
