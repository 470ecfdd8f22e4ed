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

export interface DecodedBody {
  readonly bytes: Uint8Array
  /** `whole`: decoded to its end. `limit`: there is more than is decoded. `broken`: it is not what its header says. */
  readonly end: 'whole' | 'limit' | 'broken'
  /** One sentence where it was not decoded to its end, or where bytes follow its end. */
  readonly problem: string | null
}

type Decompressor = Transform & Pick<BrotliDecompress & Gunzip & Inflate & ZstdDecompress, 'bytesWritten'>

/** Fed in pieces of this size, so that what precedes a damaged place comes out. */
const PIECE = 4_096

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
export async function decodeBody(received: Uint8Array, encodings: readonly string[]): Promise<DecodedBody> {
  if (encodings.length > MOST_LAYERS)
    return broken(received, `${encodings.length} encodings on top of each other are more than is decoded (${MOST_LAYERS}).`)
  const limit = decodedLimit(received.length)
  let body: DecodedBody = { bytes: received, end: 'whole', problem: null }
  for (const encoding of encodings.toReversed()) {
    const next = await decodeLayer(body.bytes, encoding, limit)
    // What is inside a layer that ends too early ends too early as well: the first reason is the one to tell.
    body = { bytes: next.bytes, end: body.end === 'whole' ? next.end : body.end, problem: body.problem ?? next.problem }
  }
  return body
}

function decodeLayer(bytes: Uint8Array, encoding: string, limit: number): Promise<DecodedBody> {
  const stream = createDecompressor(encoding, bytes)
  if (stream === null)
    return Promise.resolve(broken(bytes, `Countersign does not know the encoding "${encoding}": the bytes are as received.`))
  const pieces: Uint8Array[] = []
  let size = 0
  return new Promise((resolve) => {
    const finish = (end: DecodedBody['end'], problem: string | null) => {
      stream.destroy()
      resolve({ bytes: joined(pieces, size), end, problem })
    }
    stream.on('data', (piece: Uint8Array) => {
      const room = limit - size
      pieces.push(piece.length > room ? piece.subarray(0, room) : piece)
      size += Math.min(piece.length, room)
      if (piece.length > room)
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

/** Writes piece by piece, as fast as the stream takes them. */
function feed(stream: Transform, bytes: Uint8Array): void {
  let at = 0
  const go = () => {
    while (at < bytes.length && !stream.destroyed) {
      const piece = bytes.subarray(at, at + PIECE)
      at += PIECE
      if (!stream.write(piece)) {
        stream.once('drain', go)
        return
      }
    }
    if (!stream.destroyed) stream.end()
  }
  go()
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function count(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`
}

function broken(bytes: Uint8Array, problem: string): DecodedBody {
  return { bytes, end: 'broken', problem }
}
