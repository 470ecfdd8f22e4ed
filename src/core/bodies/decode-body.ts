/**
 * Decompresses a body as far as its limit. Streams: the work is done by zlib's own threads, so the receiver goes on meanwhile,
 * and a stream that reaches the limit is ended, so that a bomb costs its first megabyte and nothing more. What came out
 * before an error is kept, since it is often what one needs to see.
 */
import type { Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type BrotliDecompress,
  type Gunzip,
  type Inflate,
  type ZstdDecompress,
} from 'node:zlib'
import { decodedLimit, MOST_LAYERS } from '../../shared/body/limits.ts'

/** The piece of the decoded bytes that is wanted: all of them would be up to ten mebibytes. */
export interface Piece {
  readonly offset: number
  readonly length: number
}

export interface DecodedBody {
  /** The piece that was wanted, as far as it is there. */
  readonly bytes: Uint8Array
  /** Of all that is decoded. */
  readonly size: number
  /** `whole`: decoded to its end. `limit`: there is more than is decoded. `broken`: it is not what its header says. */
  readonly end: 'whole' | 'limit' | 'broken'
  /** One sentence where it was not decoded to its end, or where bytes follow its end. */
  readonly problem: string | null
}

type Decompressor = Transform & Pick<BrotliDecompress & Gunzip & Inflate & ZstdDecompress, 'bytesWritten'>

/** Fed in portions of this size, so that what precedes a damaged place comes out. */
const PORTION = 4_096
const WHOLE: Piece = { offset: 0, length: Number.POSITIVE_INFINITY }

function createDecompressor(encoding: string, bytes: Uint8Array): Decompressor | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return hasZlibHeader(bytes) ? createInflate() : createInflateRaw()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    default:
      return null
  }
}

/** `deflate` means the zlib format, but some senders leave its header out. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

/** Undoes `encodings`, which are named in the order in which they were applied, and never rejects. */
export async function decodeBody(
  received: Uint8Array,
  encodings: readonly string[],
  wanted: Piece = WHOLE,
): Promise<DecodedBody> {
  if (encodings.length > MOST_LAYERS)
    return broken(
      received,
      wanted,
      `${encodings.length} encodings on top of each other are more than is decoded (${MOST_LAYERS}).`,
    )
  const limit = decodedLimit(received.length)
  let body: DecodedBody = { ...cut(received, encodings.length === 0 ? wanted : WHOLE), end: 'whole', problem: null }
  for (const [index, encoding] of encodings.entries().toArray().toReversed()) {
    const next = await decodeLayer(body.bytes, encoding, limit, index === 0 ? wanted : WHOLE)
    // What is inside a layer that ends too early ends too early as well: the first reason is the one to tell.
    body = { ...next, end: body.end === 'whole' ? next.end : body.end, problem: body.problem ?? next.problem }
  }
  return body
}

function decodeLayer(bytes: Uint8Array, encoding: string, limit: number, wanted: Piece): Promise<DecodedBody> {
  const stream = createDecompressor(encoding, bytes)
  if (stream === null)
    return Promise.resolve(
      broken(bytes, wanted, `Countersign does not know the encoding "${encoding}": the bytes are as received.`),
    )
  const kept: Uint8Array[] = []
  let size = 0
  return new Promise((resolve) => {
    const finish = (end: DecodedBody['end'], problem: string | null) => {
      // Its window (16 MiB for some) is freed before the next one begins.
      stream.once('close', () => {
        resolve({ bytes: joined(kept), size, end, problem })
      })
      stream.destroy()
    }
    stream.on('data', (given: Uint8Array) => {
      const piece = given.subarray(0, limit - size)
      kept.push(piece.subarray(Math.max(0, wanted.offset - size), Math.max(0, wanted.offset + wanted.length - size)))
      size += piece.length
      if (given.length > piece.length)
        finish('limit', `Decoding stopped after ${count(limit)}: ${count(bytes.length)} of ${encoding} hold more than that.`)
    })
    stream.on('error', (error) => {
      finish('broken', `This is not ${encoding} to its end (${error.message}): what came before is shown.`)
    })
    stream.on('end', () => {
      const rest = bytes.length - stream.bytesWritten
      finish('whole', rest > 0 ? `${count(rest)} after the end of the ${encoding} data were left out.` : null)
    })
    feed(stream, bytes)
  })
}

/** Writes portion by portion, as fast as the stream takes them. */
function feed(stream: Transform, bytes: Uint8Array): void {
  let at = 0
  const go = () => {
    while (at < bytes.length && !stream.destroyed) {
      const portion = bytes.subarray(at, at + PORTION)
      at += PORTION
      if (!stream.write(portion)) {
        stream.once('drain', go)
        return
      }
    }
    if (!stream.destroyed) stream.end()
  }
  go()
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function cut(bytes: Uint8Array, { offset, length }: Piece): Pick<DecodedBody, 'bytes' | 'size'> {
  return { bytes: bytes.subarray(offset, offset + length), size: bytes.length }
}

function count(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`
}

function broken(bytes: Uint8Array, wanted: Piece, problem: string): DecodedBody {
  return { ...cut(bytes, wanted), end: 'broken', problem }
}
