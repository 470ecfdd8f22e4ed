/** Other ways to hash the parts: once, three times, with another hash, without the key, or with the first pass in another form. */
import { createHash, createHmac, hash, type KeyObject } from 'node:crypto'
import type { Departure } from './departure.ts'
import { quickHmac } from '../quick-hmac.ts'

export type Algorithm = 'sha256' | 'sha1' | 'sha512' | 'sha384' | 'md5'

/** How the first pass is computed. */
export type FirstPass = 'keyed' | 'unkeyed' | 'secret-first' | 'secret-last' | 'swapped'

export interface Passes {
  readonly algorithm: Algorithm
  readonly first: FirstPass
  /** From the first pass to the final digest. */
  readonly finish: (first: Buffer, key: KeyObject) => Buffer
}

export function firstDigest(
  passes: Pick<Passes, 'algorithm' | 'first'>,
  key: KeyObject,
  pieces: readonly (Uint8Array | string)[],
): Buffer {
  const { algorithm, first } = passes
  if (first === 'keyed') return quickHmac(algorithm, key, pieces)
  if (first === 'swapped') {
    const whole = Buffer.concat(
      pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
    )
    return createHmac(algorithm, whole).update(key.export()).digest()
  }
  const unkeyed = createHash(algorithm)
  if (first === 'secret-first') unkeyed.update(key.export())
  for (const piece of pieces) unkeyed.update(piece)
  if (first === 'secret-last') unkeyed.update(key.export())
  return unkeyed.digest()
}

const keyed = (algorithm: Algorithm, key: KeyObject, data: Uint8Array | string) =>
  quickHmac(algorithm, key, [data])
const plain = (algorithm: Algorithm, data: Uint8Array | string) => hash(algorithm, data, 'buffer')
const base64 = (digest: Buffer) => digest.toString('base64')
const base64Url = (digest: Buffer) => digest.toString('base64url')
const hex = (digest: Buffer) => digest.toString('hex')

const once = (first: Buffer) => first
/** The second pass over some text or bytes of the first. */
const second =
  (
    form: (first: Buffer) => Uint8Array | string,
    algorithm: Algorithm = 'sha256',
  ): Passes['finish'] =>
  (first, key) =>
    keyed(algorithm, key, form(first))

export const RIGHT_PASSES: Passes = { algorithm: 'sha256', first: 'keyed', finish: second(base64) }

const AGAIN = 'Compute a second HMAC over the Base64 text of the first, and encode that in Base64.'
const TEXT =
  'Compute the second pass over the Base64 text of the first, including its padding and nothing else.'
const KEYED =
  "Use HMAC-SHA-256 with the hook's secret for both passes. A plain hash proves nothing."
const WHICH = 'Use SHA-256 for both passes.'

type Row = readonly [
  cause: string,
  rank: number,
  what: string,
  fix: string,
  finish: Passes['finish'],
  first?: FirstPass,
  algorithm?: Algorithm,
]

const rows: readonly Row[] = [
  ['passes:once', 1, 'Signature hashed once instead of twice.', AGAIN, once],
  [
    'encoding:inner-bytes',
    1,
    'The second pass used the raw bytes of the first instead of its Base64 text.',
    TEXT,
    second((first) => first),
  ],
  [
    'encoding:inner-hex',
    1,
    'The second pass used the first in hexadecimal instead of Base64.',
    TEXT,
    second(hex),
  ],
  [
    'encoding:inner-newline',
    1,
    'The second pass used the first in Base64 with a trailing newline, which some encoders add.',
    TEXT,
    second((first) => `${base64(first)}\n`),
  ],
  [
    'encoding:inner-base64url',
    2,
    'The second pass used the first in URL-safe Base64.',
    TEXT,
    second(base64Url),
  ],
  [
    'encoding:inner-base64url',
    3,
    'The second pass used the first in URL-safe Base64 with padding.',
    TEXT,
    second((first) => base64(first).replaceAll('+', '-').replaceAll('/', '_')),
  ],
  [
    'encoding:inner-no-padding',
    2,
    'The second pass used the first in Base64 without padding.',
    TEXT,
    second((first) => base64(first).replaceAll('=', '')),
  ],
  [
    'encoding:inner-upper-hex',
    2,
    'The second pass used the first in uppercase hexadecimal instead of Base64.',
    TEXT,
    second((first) => hex(first).toUpperCase()),
  ],
  [
    'encoding:inner-base64-of-hex',
    1,
    "The second pass used the Base64 of the first pass's hexadecimal text.",
    "Make the hash return raw bytes (in PHP, set hash_hmac's fourth argument to true), and encode those in Base64.",
    second((first) => Buffer.from(hex(first)).toString('base64')),
  ],
  [
    'passes:three',
    2,
    'Signature hashed three times.',
    'Use exactly two passes.',
    (first, key) => keyed('sha256', key, base64(keyed('sha256', key, base64(first)))),
  ],
  ['passes:no-key', 2, 'Plain SHA-256 without the secret.', KEYED, once, 'unkeyed'],
  [
    'passes:no-key',
    3,
    'Plain SHA-256, applied twice without the secret.',
    KEYED,
    (first) => plain('sha256', base64(first)),
    'unkeyed',
  ],
  [
    'passes:no-key',
    4,
    'Plain SHA-256, applied twice without the secret.',
    KEYED,
    (first) => plain('sha256', first),
    'unkeyed',
  ],
  [
    'passes:first-no-key',
    4,
    'The first pass used plain SHA-256 without the secret.',
    KEYED,
    second(base64),
    'unkeyed',
  ],
  [
    'passes:second-no-key',
    4,
    'The second pass used plain SHA-256 without the secret.',
    KEYED,
    (first) => plain('sha256', base64(first)),
  ],
  [
    'passes:secret-in-text',
    3,
    'Plain SHA-256 of the secret followed by the text.',
    KEYED,
    once,
    'secret-first',
  ],
  [
    'passes:secret-in-text',
    3,
    'Plain SHA-256 of the text followed by the secret.',
    KEYED,
    once,
    'secret-last',
  ],
  [
    'passes:swapped',
    3,
    'The HMAC has key and message swapped.',
    "Use the secret as the HMAC's key and the text as its message.",
    once,
    'swapped',
  ],
  [
    'passes:swapped',
    4,
    'The first HMAC has key and message swapped.',
    "Use the secret as the HMAC's key and the text as its message.",
    second(base64),
    'swapped',
  ],
  [
    'passes:swapped',
    4,
    'The second HMAC has key and message swapped.',
    "Use the secret as the HMAC's key and the first result as its message.",
    (first, key) => createHmac('sha256', base64(first)).update(key.export()).digest(),
  ],
  ...(['sha1', 'sha512', 'sha384', 'md5'] as const).flatMap((algorithm): Row[] => {
    const title = algorithm === 'md5' ? 'MD5' : `SHA-${algorithm.slice(3)}`
    return [
      [
        `passes:${algorithm}`,
        2,
        `Hashed with ${title} instead of SHA-256.`,
        WHICH,
        second(base64, algorithm),
        'keyed',
        algorithm,
      ],
      [
        `passes:${algorithm}`,
        2,
        `Hashed once, with ${title} instead of SHA-256.`,
        `${WHICH} ${AGAIN}`,
        once,
        'keyed',
        algorithm,
      ],
      [
        `passes:${algorithm}`,
        4,
        `Plain ${title} without the secret.`,
        `${WHICH} ${KEYED}`,
        once,
        'unkeyed',
        algorithm,
      ],
    ]
  }),
]

export const passDepartures: readonly Departure<Passes>[] = rows.map(
  ([cause, rank, what, fix, finish, first = 'keyed', algorithm = 'sha256']) => ({
    cause,
    what,
    fix,
    rank,
    value: { algorithm, first, finish },
  }),
)

/** Digest sizes in bytes, by hash. */
export const digestSizes: Readonly<Record<Algorithm, number>> = {
  sha256: 32,
  sha1: 20,
  sha512: 64,
  sha384: 48,
  md5: 16,
}
