/**
 * The two passes of a signature: an HMAC over the joined parts, then one over its Base64 text
 * (section 5.2). Each property is a way in which signers compute them differently.
 */
import { createHash, hash } from 'node:crypto'
import { quickHmac } from '../quick-hmac.ts'

type Algorithm = 'sha256' | 'sha1' | 'sha512' | 'sha384' | 'md5'

/** Way to compute a pass: `keyed` is an HMAC, `swapped` one with the text as its key. */
type FirstPass = 'keyed' | 'unkeyed' | 'secret-first' | 'secret-last' | 'swapped'
type SecondPass = 'keyed' | 'unkeyed' | 'swapped' | 'none'

/** Encoding other than UTF-8, of the text and perhaps the key. */
interface Recoding {
  readonly name: string
  readonly encodeText: (text: string) => Buffer
  readonly encodeKey: ((text: string) => Buffer) | null
}

export interface Passes {
  readonly algorithm: Algorithm
  readonly first: FirstPass
  /** Encoding of a keyed first pass; null for UTF-8. */
  readonly recoding: Recoding | null
  /** Converts the first pass for the second; null for its Base64 text. */
  readonly form: ((first: Buffer, key: Uint8Array) => Uint8Array | string) | null
  readonly second: SecondPass
}

export const RIGHT_PASSES: Passes = {
  algorithm: 'sha256',
  first: 'keyed',
  recoding: null,
  form: null,
  second: 'keyed',
}

/** Digest sizes in bytes, by hash. */
export const digestSizes: Readonly<Record<Algorithm, number>> = {
  sha256: 32,
  sha1: 20,
  sha512: 64,
  sha384: 48,
  md5: 16,
}

const recodedKey = (recoding: Recoding | null, key: Uint8Array) =>
  recoding === null || recoding.encodeKey === null
    ? key
    : recoding.encodeKey(Buffer.from(key).toString())

/** Computes the first pass, in Base64. */
export function firstDigest(
  { algorithm, first, recoding }: Passes,
  key: Uint8Array,
  pieces: readonly (Uint8Array | string)[],
): string {
  if (first === 'keyed' && recoding === null) return quickHmac(algorithm, key, pieces)
  const message = Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
  if (recoding !== null)
    return quickHmac(algorithm, recodedKey(recoding, key), [
      recoding.encodeText(message.toString()),
    ])
  if (first === 'swapped') return quickHmac(algorithm, message, [key])
  const unkeyed = createHash(algorithm)
  if (first === 'secret-first') unkeyed.update(key)
  unkeyed.update(message)
  if (first === 'secret-last') unkeyed.update(key)
  return unkeyed.digest('base64')
}

/** Computes the final digest from the first pass, in Base64. */
export function finalDigest(
  { algorithm, form, second, recoding }: Passes,
  first: string,
  plainKey: Uint8Array,
): string {
  if (second === 'none') return first
  const key = recodedKey(recoding, plainKey)
  const text = form === null ? first : form(Buffer.from(first, 'base64'), key)
  if (second === 'unkeyed') return hash(algorithm, text, 'base64')
  return second === 'keyed'
    ? quickHmac(algorithm, key, [text])
    : quickHmac(algorithm, typeof text === 'string' ? Buffer.from(text) : text, [key])
}
