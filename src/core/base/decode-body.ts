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
import { encodingInBytes } from '../../shared/body/encoding.ts'

// How far a compressed body is decoded: enough for any real one, too little for a zip bomb to hurt.

/** No decoded body is larger, in bytes. */
export const MOST_DECODED = 10_485_760
/** Times its received size that a body may grow to… */
const MOST_RATIO = 100
/** …but this many bytes are always allowed, since a short text may shrink a great deal. */
const ALWAYS_ALLOWED = 1_048_576
/** Encodings on top of each other, as in `content-encoding: gzip, br`. */
const MOST_LAYERS = 4

/** Bytes that a body of `received` bytes may be decoded to. */
function decodedLimit(received: number): number {
  return Math.min(MOST_DECODED, Math.max(ALWAYS_ALLOWED, received * MOST_RATIO))
}

/** The piece of the decoded bytes that is wanted: all of them would be up to ten mebibytes. */
interface PieceRange {
  readonly offset: number
  readonly length: number
}

interface DecodedPiece {
  /** Those that were undone, in the order in which they were applied. */
  readonly encodings: readonly string[]
  /** The piece that was wanted, as far as it is there. */
  readonly bytes: Uint8Array
  /** Of all that is decoded. */
  readonly size: number
  /** `whole`: decoded to its end. `limit`: there is more than is decoded. `broken`: it is not what its header says. */
  readonly end: 'whole' | 'limit' | 'broken'
  /** One sentence where it was not decoded to its end, is not what its header says, or where bytes follow its end. */
  readonly problem: string | null
}

type Decompressor = Transform & Pick<BrotliDecompress & Gunzip & Inflate & ZstdDecompress, 'bytesWritten'>

/** Fed in portions of this size; a damaged one is fed again byte by byte, so that all that precedes the damage comes out. */
const PORTION = 4_096
const WHOLE: PieceRange = { offset: 0, length: Number.POSITIVE_INFINITY }

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

/**
 * Undoes `encodings`, which are named in the order in which they were applied, and never rejects. Where none is named, and where
 * the bytes are no such thing, they are held against the encodings that can be told by their beginning; else they are left as
 * they are.
 */
export async function decodeBody(
  received: Uint8Array,
  encodings: readonly string[],
  wanted: PieceRange = WHOLE,
): Promise<DecodedPiece> {
  if (encodings.length > MOST_LAYERS)
    return asReceived(
      received,
      wanted,
      `${encodings.length} encodings on top of each other are more than is decoded (${MOST_LAYERS}): the bytes are left as they are.`,
    )
  const limit = decodedLimit(received.length)
  if (encodings.length === 0) return decodeUnnamed(received, limit, wanted)
  let body: DecodedPiece = { ...cut(received, WHOLE), encodings: [], end: 'whole', problem: null }
  for (const [index, encoding] of encodings.entries().toArray().toReversed()) {
    const next = await decodeNamed(body.bytes, encoding, limit, index === 0 ? wanted : WHOLE)
    body = {
      ...next,
      encodings: [...next.encodings, ...body.encodings],
      // What is inside a layer that ends too early ends too early as well: the first reason is the one to tell.
      end: body.end === 'whole' ? next.end : body.end,
      problem: body.problem ?? next.problem,
    }
    if (next.encodings.length === 0) return index === 0 ? body : { ...body, ...cut(next.bytes, wanted) }
  }
  return body
}

async function decodeUnnamed(bytes: Uint8Array, limit: number, wanted: PieceRange): Promise<DecodedPiece> {
  const plain: DecodedPiece = { ...cut(bytes, wanted), encodings: [], end: 'whole', problem: null }
  const found = encodingInBytes(bytes)
  if (found === null) return plain
  const decoded = await decodeLayer(bytes, found, limit, wanted)
  if (decoded.size === 0) return plain
  return { ...decoded, problem: joinedSentences(`No content-encoding names it, but this is ${found}.`, decoded.problem) }
}

async function decodeNamed(bytes: Uint8Array, encoding: string, limit: number, wanted: PieceRange): Promise<DecodedPiece> {
  const named = await decodeLayer(bytes, encoding, limit, wanted)
  // Of a text some decoders make a few bytes of nothing before they see that it is none of theirs.
  if (named.end !== 'broken' || (named.size > 0 && !isPlainText(bytes))) return named
  const found = encodingInBytes(bytes)
  const meant = found === null || found === encoding ? null : await decodeLayer(bytes, found, limit, wanted)
  if (meant !== null && meant.size > 0)
    return { ...meant, problem: joinedSentences(`The header says ${encoding}, but this is ${found}.`, meant.problem) }
  return asReceived(bytes, wanted, named.problem)
}

const joinedSentences = (first: string, second: string | null) => (second === null ? first : `${first} ${second}`)

/** Whether the bytes begin as no compressed data does: with a line of characters. */
function isPlainText(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 64).every((byte) => (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d)
}

/** `fineFrom`: where the portion begins that was damaged when it was tried before. */
function decodeLayer(
  bytes: Uint8Array,
  encoding: string,
  limit: number,
  wanted: PieceRange,
  fineFrom: number | null = null,
): Promise<DecodedPiece> {
  const stream = createDecompressor(encoding, bytes)
  if (stream === null)
    return Promise.resolve(
      asReceived(bytes, wanted, `Countersign does not know the encoding "${encoding}": the bytes are left as they are.`),
    )
  const kept: Uint8Array[] = []
  let size = 0
  return new Promise((resolve) => {
    const finish = (result: () => DecodedPiece | Promise<DecodedPiece>) => {
      // Its window (16 MiB for some) is freed before the next one begins.
      stream.once('close', () => {
        resolve(result())
      })
      stream.destroy()
    }
    const ended = (end: DecodedPiece['end'], problem: string | null) => () => ({
      encodings: [encoding],
      bytes: joined(kept),
      size,
      end,
      problem,
    })
    stream.on('data', (given: Uint8Array) => {
      const piece = given.subarray(0, limit - size)
      kept.push(piece.subarray(Math.max(0, wanted.offset - size), Math.max(0, wanted.offset + wanted.length - size)))
      size += piece.length
      if (given.length > piece.length)
        finish(
          ended('limit', `Decoding stopped after ${count(limit)}: ${count(bytes.length)} of ${encoding} hold more than that.`),
        )
    })
    stream.on('error', (error) => {
      if (fineFrom === null) finish(() => decodeLayer(bytes, encoding, limit, wanted, stream.bytesWritten))
      else
        finish(
          ended(
            'broken',
            size === 0
              ? `This is not ${encoding} (${error.message}): the bytes are left as they are.`
              : `This is not ${encoding} to its end (${error.message}): what came before is shown.`,
          ),
        )
    })
    stream.on('end', () => {
      const rest = bytes.length - stream.bytesWritten
      finish(ended('whole', rest > 0 ? `${count(rest)} after the end of the ${encoding} data were left out.` : null))
    })
    feed(stream, bytes, fineFrom)
  })
}

/** Writes portion by portion, as fast as the stream takes them; the one at `fineFrom` byte by byte. */
function feed(stream: Transform, bytes: Uint8Array, fineFrom: number | null): void {
  let at = 0
  const lengthAt = () => {
    if (fineFrom === null || at >= fineFrom + PORTION) return PORTION
    return at < fineFrom ? Math.min(PORTION, fineFrom - at) : 1
  }
  const go = () => {
    while (at < bytes.length && !stream.destroyed) {
      const portion = bytes.subarray(at, at + lengthAt())
      at += portion.length
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

function cut(bytes: Uint8Array, { offset, length }: PieceRange): Pick<DecodedPiece, 'bytes' | 'size'> {
  return { bytes: bytes.subarray(offset, offset + length), size: bytes.length }
}

function count(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`
}

function asReceived(bytes: Uint8Array, wanted: PieceRange, problem: string | null): DecodedPiece {
  return { ...cut(bytes, wanted), encodings: [], end: 'broken', problem }
}
