/**
 * Detects compression from the first bytes if no header names it, or a wrong one. Only byte sequences that no text begins with
 * count.
 */

const BEGINNINGS = [
  { encoding: 'gzip', bytes: [0x1f, 0x8b, 0x08] },
  { encoding: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
] as const

/** Number of bytes that `encodingInBytes` needs. */
export const ENCODING_BYTES = 4

export function encodingInBytes(bytes: Uint8Array): 'gzip' | 'zstd' | null {
  return BEGINNINGS.find((beginning) => beginning.bytes.every((byte, index) => bytes[index] === byte))?.encoding ?? null
}
