/** Decompresses a body up to a limit. Data before an error is kept for the user. */
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
import { byteCount } from '../../shared/text/english.ts'
import { brotliWeakness } from './brotli.ts'

export const MOST_DECODED = 10_485_760
/** Limit as a multiple of the received size. */
const MOST_RATIO = 100
/** Bytes allowed for any body: short text may compress very well. */
const ALWAYS_ALLOWED = 1_048_576
/** Limit of nested encodings, as in `content-encoding: gzip, br`. */
const MOST_LAYERS = 4

/** Returns the limit for a body of `received` bytes. */
function decodedLimit(received: number): number {
  return Math.min(MOST_DECODED, Math.max(ALWAYS_ALLOWED, received * MOST_RATIO))
}

interface PieceRange {
  readonly offset: number
  readonly length: number
}

interface DecodedPiece {
  readonly encodings: readonly string[]
  readonly bytes: Uint8Array
  readonly size: number
  /** Reason why decoding ended; `limit`: there is more; `broken`: the rest is invalid. */
  readonly end: 'whole' | 'limit' | 'broken'
  readonly leftOut?: number
  readonly problem: string | null
}

type Decompressor = Transform &
  Pick<BrotliDecompress & Gunzip & Inflate & ZstdDecompress, 'bytesWritten'>

/** Bytes per write; a damaged portion is written again byte by byte. */
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

/** Whether the bytes have the zlib header that some senders of `deflate` omit. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

/**
 * Decodes a body by its encodings, or by its first bytes; never rejects.
 * @param encodings - in the order in which they were applied
 */
export async function decodeBody(
  received: Uint8Array,
  encodings: readonly string[],
  range: PieceRange = WHOLE,
): Promise<DecodedPiece> {
  if (encodings.length > MOST_LAYERS)
    return asReceived(
      received,
      range,
      `${encodings.length} nested encodings are more than the limit of ${MOST_LAYERS}. The bytes are shown unchanged.`,
    )
  const limit = decodedLimit(received.length)
  if (encodings.length === 0) return decodeUnnamed(received, limit, range)
  let body: DecodedPiece = { ...cut(received, WHOLE), encodings: [], end: 'whole', problem: null }
  for (const [index, encoding] of encodings.entries().toArray().toReversed()) {
    const next = await decodeNamed(body.bytes, encoding, limit, index === 0 ? range : WHOLE)
    body = {
      ...next,
      encodings: [...next.encodings, ...body.encodings],
      end: body.end === 'whole' ? next.end : body.end,
      problem: body.problem ?? next.problem,
    }
    if (next.encodings.length === 0)
      return index === 0 ? body : { ...body, ...cut(next.bytes, range) }
  }
  return body
}

async function decodeUnnamed(
  bytes: Uint8Array,
  limit: number,
  range: PieceRange,
): Promise<DecodedPiece> {
  const plain: DecodedPiece = { ...cut(bytes, range), encodings: [], end: 'whole', problem: null }
  const detected = encodingInBytes(bytes)
  if (detected === null) return plain
  const decoded = await decodeLayer(bytes, detected, limit, range)
  if (decoded.size === 0) return plain
  return {
    ...decoded,
    problem: joinedSentences(
      `No content-encoding names it, but this is ${detected}.`,
      decoded.problem,
    ),
  }
}

async function decodeNamed(
  bytes: Uint8Array,
  encoding: string,
  limit: number,
  range: PieceRange,
): Promise<DecodedPiece> {
  const named = await decodeLayer(bytes, encoding, limit, range)
  // Some Brotli decoders return a few bytes of text before they reject it.
  if (named.end !== 'broken' || (named.size > 0 && !isPlainText(bytes))) return named
  const detected = encodingInBytes(bytes)
  const decoded =
    detected === null || detected === encoding
      ? null
      : await decodeLayer(bytes, detected, limit, range)
  if (decoded !== null && decoded.size > 0)
    return {
      ...decoded,
      problem: joinedSentences(
        `The header says ${encoding}, but this is ${detected}.`,
        decoded.problem,
      ),
    }
  return asReceived(bytes, range, named.problem)
}

const joinedSentences = (first: string, second: string | null) =>
  second === null ? first : `${first} ${second}`

function isPlainText(bytes: Uint8Array): boolean {
  return bytes
    .subarray(0, 64)
    .every(
      (byte) => (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d,
    )
}

/**
 * Decodes one encoding.
 * @param fineFrom - start of the portion that was damaged in the previous try
 */
function decodeLayer(
  bytes: Uint8Array,
  encoding: string,
  limit: number,
  range: PieceRange,
  fineFrom: number | null = null,
): Promise<DecodedPiece> {
  const weakness = encoding === 'br' ? brotliWeakness() : null
  const stream = weakness === null ? createDecompressor(encoding, bytes) : null
  if (stream === null)
    return Promise.resolve(
      asReceived(
        bytes,
        range,
        `${weakness ?? `Unknown encoding "${encoding}".`} The bytes are shown unchanged.`,
      ),
    )
  const pieces: Uint8Array[] = []
  let size = 0
  return new Promise((resolve) => {
    const finish = (result: () => DecodedPiece | Promise<DecodedPiece>) => {
      // The decoder's window may have 16 MiB: it is freed before the next one begins.
      stream.once('close', () => resolve(result()))
      stream.destroy()
    }
    const ended = (end: DecodedPiece['end'], problem: string | null) => () => ({
      encodings: [encoding],
      bytes: Buffer.concat(pieces),
      size,
      end,
      problem,
    })
    stream.on('data', (chunk: Uint8Array) => {
      const piece = chunk.subarray(0, limit - size)
      pieces.push(
        piece.subarray(
          Math.max(0, range.offset - size),
          Math.max(0, range.offset + range.length - size),
        ),
      )
      size += piece.length
      if (chunk.length > piece.length)
        finish(
          ended(
            'limit',
            `Decoding stopped after ${byteCount(limit)}: ${byteCount(bytes.length)} of ${encoding} contain more than that.`,
          ),
        )
    })
    stream.on('error', (error) => {
      if (fineFrom === null)
        finish(() => decodeLayer(bytes, encoding, limit, range, stream.bytesWritten))
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

/** Writes portion by portion, byte by byte at `fineFrom`. */
function feed(stream: Transform, bytes: Uint8Array, fineFrom: number | null): void {
  let offset = 0
  const lengthAt = () => {
    if (fineFrom === null || offset >= fineFrom + PORTION) return PORTION
    return offset < fineFrom ? Math.min(PORTION, fineFrom - offset) : 1
  }
  const writeNext = () => {
    while (offset < bytes.length && !stream.destroyed) {
      const portion = bytes.subarray(offset, offset + lengthAt())
      offset += portion.length
      if (!stream.write(portion)) {
        stream.once('drain', writeNext)
        return
      }
    }
    if (!stream.destroyed) stream.end()
  }
  writeNext()
}

function cut(
  bytes: Uint8Array,
  { offset, length }: PieceRange,
): Pick<DecodedPiece, 'bytes' | 'size'> {
  return { bytes: bytes.subarray(offset, offset + length), size: bytes.length }
}

function asReceived(bytes: Uint8Array, range: PieceRange, problem: string | null): DecodedPiece {
  return { ...cut(bytes, range), encodings: [], end: 'broken', problem }
}
