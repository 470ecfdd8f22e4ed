/**
 * Computes HMACs of thousands of short texts. Node's own is slow to set up and can't be copied
 * midway, so this makes two hashes: H(outer pad, H(inner pad, text)) (RFC 2104).
 */
import { createHash, hash, type KeyObject } from 'node:crypto'

type Piece = Uint8Array | string
/** Key or its bytes; wrong keys that are tried once get no key object. */
type Key = KeyObject | Uint8Array

/** Returns the HMAC of the pieces in Base64; texts are UTF-8. */
export function quickHmac(algorithm: string, key: Key, pieces: readonly Piece[]): string {
  const { inner, outer } = padsOf(algorithm, key)
  return finish(algorithm, outer, digestOf(algorithm, inner, pieces))
}

/** Hashes the beginning once for many HMACs. */
export function resumableHmac(
  algorithm: string,
  key: Key,
  beginning: Uint8Array,
): (rest: readonly Piece[]) => string {
  const { inner, outer } = padsOf(algorithm, key)
  const started = createHash(algorithm).update(inner).update(beginning)
  return (rest) => {
    const whole = started.copy()
    for (const piece of rest) whole.update(piece)
    return finish(algorithm, outer, whole.digest('binary'))
  }
}

/** Block sizes in bytes, to which keys are padded. */
const blockSizes: Readonly<Record<string, number>> = {
  md5: 64,
  sha1: 64,
  sha256: 64,
  sha384: 128,
  sha512: 128,
}

const INNER_PAD_BYTE = 0x36
const OUTER_PAD_BYTE = 0x5c

/** Size in bytes up to which a text is hashed in one call. */
const MAX_ONE_CALL_BYTES = 8_192
/** Maximum number of UTF-8 bytes for one UTF-16 unit of a string. */
const MAX_BYTES_PER_UNIT = 3
const scratch = Buffer.alloc(MAX_ONE_CALL_BYTES)

interface Pads {
  readonly inner: Buffer
  readonly outer: Buffer
}

const padsOfKeys = new WeakMap<Key, Map<string, Pads>>()

function makePads(algorithm: string, key: Key): Pads {
  const block = blockSizes[algorithm] ?? 64
  const bytes = key instanceof Uint8Array ? key : key.export()
  const padded = Buffer.alloc(block)
  padded.set(bytes.length > block ? createHash(algorithm).update(bytes).digest() : bytes)
  const [inner, outer] = [Buffer.allocUnsafe(block), Buffer.allocUnsafe(block)]
  for (let index = 0; index < block; index++) {
    const byte = padded[index]!
    inner[index] = byte ^ INNER_PAD_BYTE
    outer[index] = byte ^ OUTER_PAD_BYTE
  }
  return { inner, outer }
}

function padsOf(algorithm: string, key: Key): Pads {
  let byAlgorithm = padsOfKeys.get(key)
  if (byAlgorithm === undefined) padsOfKeys.set(key, (byAlgorithm = new Map()))
  let pads = byAlgorithm.get(algorithm)
  if (pads === undefined) byAlgorithm.set(algorithm, (pads = makePads(algorithm, key)))
  return pads
}

/** Returns a digest with one character per byte, faster than a buffer. */
function digestOf(algorithm: string, beginning: Buffer, pieces: readonly Piece[]): string {
  let maxLength = beginning.length
  for (const piece of pieces)
    maxLength += typeof piece === 'string' ? piece.length * MAX_BYTES_PER_UNIT : piece.length
  if (maxLength > MAX_ONE_CALL_BYTES) {
    const long = createHash(algorithm).update(beginning)
    for (const piece of pieces) long.update(piece)
    return long.digest('binary')
  }
  let end = beginning.copy(scratch)
  for (const piece of pieces) {
    if (typeof piece === 'string') end += scratch.write(piece, end)
    else {
      scratch.set(piece, end)
      end += piece.length
    }
  }
  return hash(algorithm, scratch.subarray(0, end), 'binary')
}

function finish(algorithm: string, outer: Buffer, inner: string): string {
  outer.copy(scratch)
  const end = outer.length + scratch.write(inner, outer.length, 'latin1')
  return hash(algorithm, scratch.subarray(0, end), 'base64')
}
