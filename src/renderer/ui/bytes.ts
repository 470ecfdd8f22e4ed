/** Bytes to and from the texts that they travel in. */

/** Bytes of the core, read piece by piece. */
export interface LoadedBytes {
  /** Those read so far. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Size of all the bytes kept. */
  readonly size: number
  readonly loading: boolean
}

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
