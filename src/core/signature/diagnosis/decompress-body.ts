import { decodeBody } from '../../base/decode-body.ts'
import type { KnownBody } from './diagnosis-input.ts'

/** Returns the body before it was compressed, if it can be decoded. */
export async function decompressBody(
  body: Uint8Array,
  encodings: readonly string[],
): Promise<KnownBody[]> {
  const { bytes, end, encodings: decodedEncodings } = await decodeBody(body, encodings)
  return end === 'whole' && decodedEncodings.length > 0
    ? [{ encoding: decodedEncodings.join(', '), body: bytes }]
    : []
}
