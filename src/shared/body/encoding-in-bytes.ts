/** The compression that bytes begin with, for what no header names, or names wrongly. Only what no text can begin with counts. */

const BEGINNINGS = [
  { encoding: 'gzip', bytes: [0x1f, 0x8b, 0x08] },
  { encoding: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
] as const

/** Bytes that `encodingInBytes` has to see. */
export const ENCODING_BYTES = 4

export function encodingInBytes(bytes: Uint8Array): 'gzip' | 'zstd' | null {
  return BEGINNINGS.find((beginning) => beginning.bytes.every((byte, index) => bytes[index] === byte))?.encoding ?? null
}
