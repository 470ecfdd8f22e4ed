/** Finds and masks secrets in bodies, compressed ones too. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { encodingInBytes, utf8Text } from '../../shared/body/encoding.ts'
import type { Mask } from '../../shared/text/mask.ts'
import { MASK, type Place } from '../../shared/text/masked-places.ts'
import { decodeBody } from '../base/decode-body.ts'

/** Bytes searched at once, in one or two milliseconds. */
const PORTION = 131_072
/** Limit of nested encodings that no header names. */
const MOST_UNNAMED = 4

export const bodyStart = (body: Uint8Array, most = body.length) =>
  most < body.length ? body.subarray(0, most) : body

/** Yields the places of secrets in order; lets other work run between portions. */
async function* placesIn(
  body: Uint8Array,
  { finders, places, longest }: Mask,
  isCut = false,
): AsyncGenerator<Place> {
  if (finders.length === 0) return
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  let from = 0
  while (from < bytes.length) {
    if (from > 0) await nextTurn()
    const portionEnd = from + PORTION
    const text = bytes.toString('latin1', from, portionEnd + longest - 1)
    let next = portionEnd
    for (const place of places(text, isCut && from + text.length === bytes.length)) {
      const start = from + place.start
      if (start >= portionEnd) break
      const end = from + place.end
      yield { start, end }
      next = Math.max(next, end)
    }
    from = next
  }
}

/** Returns the first bytes with masked secrets. */
export async function maskedBody(
  body: Uint8Array,
  mask: Mask,
  isCut: boolean,
  most: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let next = 0
  for await (const { start, end } of placesIn(body, mask, isCut)) {
    if (start >= most) break
    parts.push(body.subarray(next, start), Buffer.from(MASK))
    next = end
  }
  return parts.length === 0
    ? bodyStart(body, most)
    : Buffer.concat([...parts, body.subarray(next, Math.max(next, most))])
}

const isText = (bytes: Uint8Array) =>
  /^[^\0-\x08\x0e-\x1f\x7f]*$/.test(utf8Text(bytes, false) ?? '\0')

function hidesCompression(bytes: Uint8Array): boolean {
  if (isText(bytes)) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return ['1f8b08', '28b52ffd'].some((mark) => buffer.includes(Buffer.from(mark, 'hex')))
}

/** Whether the bytes begin with a zlib header. */
const isZlib = ([first = 0, second = 0]: Uint8Array) =>
  (first & 0x8f) === 8 && ((first << 8) | second) % 31 === 0

/**
 * Decodes all compression.
 * @returns `decoded`: null without any; `unread`: why a part can't be searched, or null
 */
export async function decompressAll(
  body: Uint8Array,
  named: readonly string[],
): Promise<{ readonly decoded: Uint8Array | null; readonly unread: string | null }> {
  let bytes = body
  let encodings = named
  for (let layer = 0; layer < MOST_UNNAMED; layer++) {
    const isGuess = encodings.length === 0 && isZlib(bytes) && !isText(bytes)
    const next = await decodeBody(bytes, isGuess ? ['deflate'] : encodings)
    const isDecoded = next.encodings.length > 0
    if (next.end === 'limit') return { decoded: null, unread: next.problem }
    // Text with a wrong header isn't compressed.
    if (next.end === 'broken' && !isText(bytes) && (isDecoded || !isGuess))
      return { decoded: null, unread: next.problem }
    if (next.leftOut && hidesCompression(bytes.subarray(-next.leftOut)))
      return { decoded: null, unread: next.problem }
    if (!isDecoded || next.end === 'broken') break
    bytes = next.bytes
    encodings = []
  }
  if (encodingInBytes(bytes) !== null || (bytes === body && hidesCompression(bytes)))
    return { decoded: null, unread: 'It seems to contain compressed data.' }
  return { decoded: bytes === body ? null : bytes, unread: null }
}

export async function holdsSecret(body: Uint8Array, mask: Mask): Promise<boolean> {
  const { done } = await placesIn(body, mask).next()
  return done !== true
}
