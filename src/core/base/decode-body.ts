/**
 * Decompresses a body up to its limit. It streams: zlib's own threads do the work, so the receiver continues, and a stream that
 * reaches the limit is ended, so that a bomb costs only its first megabyte. Data before an error is kept, because it is often what
 * the user needs.
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
import { byteCount } from '../../shared/text/counted.ts'
import { brotliWeakness } from './brotli.ts'

// Limit for decompression: enough for any real body, too little for a zip bomb to hurt.

/** Maximum size of a decoded body, in bytes. */
export const MOST_DECODED = 10_485_760
/** A body may grow to this multiple of its received size… */
const MOST_RATIO = 100
/** …but always to this many bytes, because a short text may compress very well. */
const ALWAYS_ALLOWED = 1_048_576
/** Nested encodings, as in `content-encoding: gzip, br`. */
const MOST_LAYERS = 4

/** Bytes that a body of `received` bytes may be decoded to. */
function decodedLimit(received: number): number {
  return Math.min(MOST_DECODED, Math.max(ALWAYS_ALLOWED, received * MOST_RATIO))
}

/** The requested piece of the decoded bytes: all of them could be ten mebibytes. */
interface PieceRange {
  readonly offset: number
  readonly length: number
}

interface DecodedPiece {
  /** The decoded encodings, in the order in which they were applied. */
  readonly encodings: readonly string[]
  /** The requested piece, as far as it exists. */
  readonly bytes: Uint8Array
  readonly size: number
  /** `whole`: decoded completely. `limit`: there is more than the limit. `broken`: it doesn't match its header. */
  readonly end: 'whole' | 'limit' | 'broken'
  /** Bytes after the end of the compressed data, which aren't decoded. */
  readonly leftOut?: number
  /** One sentence if it wasn't decoded completely, doesn't match its header, or has trailing bytes. */
  readonly problem: string | null
}

type Decompressor = Transform &
  Pick<BrotliDecompress & Gunzip & Inflate & ZstdDecompress, 'bytesWritten'>

/** Fed in portions of this size; a damaged one is fed again byte by byte, so that everything before the damage is decoded. */
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

/** `deflate` means the zlib format, but some senders omit its header. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

/**
 * Decodes `encodings`, given in the order in which they were applied; never rejects. Without any, or if the bytes don't match,
 * encodings that can be recognized by their first bytes are tried; otherwise the bytes stay unchanged.
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
      `${encodings.length} nested encodings are more than the limit of ${MOST_LAYERS}. The bytes are shown unchanged.`,
    )
  const limit = decodedLimit(received.length)
  if (encodings.length === 0) return decodeUnnamed(received, limit, wanted)
  let body: DecodedPiece = { ...cut(received, WHOLE), encodings: [], end: 'whole', problem: null }
  for (const [index, encoding] of encodings.entries().toArray().toReversed()) {
    const next = await decodeNamed(body.bytes, encoding, limit, index === 0 ? wanted : WHOLE)
    body = {
      ...next,
      encodings: [...next.encodings, ...body.encodings],
      // Data within a truncated layer is truncated too: only the first reason matters.
      end: body.end === 'whole' ? next.end : body.end,
      problem: body.problem ?? next.problem,
    }
    if (next.encodings.length === 0)
      return index === 0 ? body : { ...body, ...cut(next.bytes, wanted) }
  }
  return body
}

async function decodeUnnamed(
  bytes: Uint8Array,
  limit: number,
  wanted: PieceRange,
): Promise<DecodedPiece> {
  const plain: DecodedPiece = { ...cut(bytes, wanted), encodings: [], end: 'whole', problem: null }
  const found = encodingInBytes(bytes)
  if (found === null) return plain
  const decoded = await decodeLayer(bytes, found, limit, wanted)
  if (decoded.size === 0) return plain
  return {
    ...decoded,
    problem: joinedSentences(
      `No content-encoding names it, but this is ${found}.`,
      decoded.problem,
    ),
  }
}

async function decodeNamed(
  bytes: Uint8Array,
  encoding: string,
  limit: number,
  wanted: PieceRange,
): Promise<DecodedPiece> {
  const named = await decodeLayer(bytes, encoding, limit, wanted)
  // For text, some decoders return a few meaningless bytes before they reject it.
  if (named.end !== 'broken' || (named.size > 0 && !isPlainText(bytes))) return named
  const found = encodingInBytes(bytes)
  const meant =
    found === null || found === encoding ? null : await decodeLayer(bytes, found, limit, wanted)
  if (meant !== null && meant.size > 0)
    return {
      ...meant,
      problem: joinedSentences(`The header says ${encoding}, but this is ${found}.`, meant.problem),
    }
  return asReceived(bytes, wanted, named.problem)
}

const joinedSentences = (first: string, second: string | null) =>
  second === null ? first : `${first} ${second}`

/** Whether the bytes start like no compressed data does: with a line of text. */
function isPlainText(bytes: Uint8Array): boolean {
  return bytes
    .subarray(0, 64)
    .every(
      (byte) => (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d,
    )
}

/** `fineFrom`: start of the portion that was damaged in the previous try. */
function decodeLayer(
  bytes: Uint8Array,
  encoding: string,
  limit: number,
  wanted: PieceRange,
  fineFrom: number | null = null,
): Promise<DecodedPiece> {
  const weakness = encoding === 'br' ? brotliWeakness() : null
  const stream = weakness === null ? createDecompressor(encoding, bytes) : null
  if (stream === null)
    return Promise.resolve(
      asReceived(
        bytes,
        wanted,
        `${weakness ?? `Unknown encoding "${encoding}".`} The bytes are shown unchanged.`,
      ),
    )
  const kept: Uint8Array[] = []
  let size = 0
  return new Promise((resolve) => {
    const finish = (result: () => DecodedPiece | Promise<DecodedPiece>) => {
      // Its window (16 MiB for some) is freed before the next one begins.
      stream.once('close', () => resolve(result()))
      stream.destroy()
    }
    const ended = (end: DecodedPiece['end'], problem: string | null) => () => ({
      encodings: [encoding],
      bytes: Buffer.concat(kept),
      size,
      end,
      problem,
    })
    stream.on('data', (given: Uint8Array) => {
      const piece = given.subarray(0, limit - size)
      kept.push(
        piece.subarray(
          Math.max(0, wanted.offset - size),
          Math.max(0, wanted.offset + wanted.length - size),
        ),
      )
      size += piece.length
      if (given.length > piece.length)
        finish(
          ended(
            'limit',
            `Decoding stopped after ${byteCount(limit)}: ${byteCount(bytes.length)} of ${encoding} contain more than that.`,
          ),
        )
    })
    stream.on('error', (error) => {
      if (fineFrom === null)
        finish(() => decodeLayer(bytes, encoding, limit, wanted, stream.bytesWritten))
      else
        finish(
          ended(
            'broken',
            size === 0
              ? `This isn't ${encoding} (${error.message}). The bytes are shown unchanged.`
              : `This isn't valid ${encoding} to its end (${error.message}). The data before the error is shown.`,
          ),
        )
    })
    stream.on('end', () => {
      const rest = bytes.length - stream.bytesWritten
      finish(() => ({
        ...ended(
          'whole',
          rest > 0
            ? `${byteCount(rest)} after the end of the ${encoding} data are left out.`
            : null,
        )(),
        leftOut: rest,
      }))
    })
    feed(stream, bytes, fineFrom)
  })
}

/** Writes portion by portion, as fast as the stream accepts them; the portion at `fineFrom` byte by byte. */
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

function cut(
  bytes: Uint8Array,
  { offset, length }: PieceRange,
): Pick<DecodedPiece, 'bytes' | 'size'> {
  return { bytes: bytes.subarray(offset, offset + length), size: bytes.length }
}

function asReceived(bytes: Uint8Array, wanted: PieceRange, problem: string | null): DecodedPiece {
  return { ...cut(bytes, wanted), encodings: [], end: 'broken', problem }
}
