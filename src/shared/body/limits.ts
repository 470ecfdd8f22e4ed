/** How far a compressed body is decoded: enough to read any real one, and too little for a bomb to hurt. */

/** No decoded body is larger, in bytes. */
export const MOST_DECODED = 10_485_760
/** Times its received size that a body may grow to… */
const MOST_RATIO = 100
/** …but this many bytes are always allowed, since a short text may shrink a great deal. */
const ALWAYS_ALLOWED = 1_048_576
/** Encodings on top of each other, as in `content-encoding: gzip, br`. */
export const MOST_LAYERS = 4

/** Bytes that a body of `received` bytes may be decoded to. */
export function decodedLimit(received: number): number {
  return Math.min(MOST_DECODED, Math.max(ALWAYS_ALLOWED, received * MOST_RATIO))
}
