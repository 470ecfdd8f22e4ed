/** Other ways to hash what was put together: once, three times, with another hash, without the key, the first pass in another form. */
import { createHash, createHmac, hash, type KeyObject } from 'node:crypto'
import type { Departure } from './departure.ts'
import { quickHmac } from '../quick-hmac.ts'

export type Algorithm = 'sha256' | 'sha1' | 'sha512' | 'sha384' | 'md5'

/** How the first pass is made. */
export type FirstPass = 'keyed' | 'unkeyed' | 'secret-first' | 'secret-last' | 'swapped'

export interface Passes {
  readonly algorithm: Algorithm
  readonly first: FirstPass
  /** From the digest of the first pass to the last one. */
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
    const whole = Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
    return createHmac(algorithm, whole).update(key.export()).digest()
  }
  const unkeyed = createHash(algorithm)
  if (first === 'secret-first') unkeyed.update(key.export())
  for (const piece of pieces) unkeyed.update(piece)
  if (first === 'secret-last') unkeyed.update(key.export())
  return unkeyed.digest()
}

const keyed = (algorithm: Algorithm, key: KeyObject, data: Uint8Array | string) => quickHmac(algorithm, key, [data])
const plain = (algorithm: Algorithm, data: Uint8Array | string) => hash(algorithm, data, 'buffer')
const base64 = (digest: Buffer) => digest.toString('base64')
const base64Url = (digest: Buffer) => digest.toString('base64url')
const hex = (digest: Buffer) => digest.toString('hex')

const once = (first: Buffer) => first
/** The second pass over a text or bytes of the first. */
const second =
  (form: (first: Buffer) => Uint8Array | string, algorithm: Algorithm = 'sha256'): Passes['finish'] =>
  (first, key) =>
    keyed(algorithm, key, form(first))

export const RIGHT_PASSES: Passes = { algorithm: 'sha256', first: 'keyed', finish: second(base64) }

const AGAIN = 'Compute the HMAC a second time, over the Base-64 text of the first, and give that in Base-64.'
const TEXT = 'The second pass is over the Base-64 text of the first, with its padding and nothing around it.'
const KEYED = 'Both passes are an HMAC-SHA-256 keyed with the secret of the hook; a plain hash proves nothing.'
const WHICH = 'The hash is SHA-256, in both passes.'

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
  ['passes:once', 1, 'The hash was applied once: this is the result of the first pass.', AGAIN, once],
  ['encoding:inner-bytes', 1, 'The second pass was over the raw bytes of the first.', TEXT, second((first) => first)],
  ['encoding:inner-hex', 1, 'The second pass was over the first in hexadecimal.', TEXT, second(hex)],
  [
    'encoding:inner-newline',
    1,
    'The second pass was over the first in Base-64 with a line feed at its end, which some encoders add.',
    TEXT,
    second((first) => `${base64(first)}\n`),
  ],
  ['encoding:inner-base64url', 2, 'The second pass was over the first in URL-safe Base-64.', TEXT, second(base64Url)],
  [
    'encoding:inner-base64url',
    3,
    'The second pass was over the first in URL-safe Base-64, padded.',
    TEXT,
    second((first) => base64(first).replaceAll('+', '-').replaceAll('/', '_')),
  ],
  [
    'encoding:inner-no-padding',
    2,
    'The second pass was over the first in Base-64 without its padding.',
    TEXT,
    second((first) => base64(first).replaceAll('=', '')),
  ],
  [
    'encoding:inner-upper-hex',
    2,
    'The second pass was over the first in hexadecimal, in upper case.',
    TEXT,
    second((first) => hex(first).toUpperCase()),
  ],
  [
    'encoding:inner-base64-of-hex',
    1,
    'The second pass was over the Base-64 of the hexadecimal text of the first.',
    'Have the hash give its raw bytes (in PHP: the fourth argument of hash_hmac true), and encode those in Base-64.',
    second((first) => Buffer.from(hex(first)).toString('base64')),
  ],
  [
    'passes:three',
    2,
    'The hash was applied three times.',
    'Two passes are right.',
    (first, key) => keyed('sha256', key, base64(keyed('sha256', key, base64(first)))),
  ],
  ['passes:no-key', 2, 'A plain SHA-256 was made, without the secret.', KEYED, once, 'unkeyed'],
  [
    'passes:no-key',
    3,
    'A plain SHA-256 was made twice, without the secret.',
    KEYED,
    (first) => plain('sha256', base64(first)),
    'unkeyed',
  ],
  [
    'passes:no-key',
    4,
    'A plain SHA-256 was made twice, without the secret.',
    KEYED,
    (first) => plain('sha256', first),
    'unkeyed',
  ],
  ['passes:first-no-key', 4, 'The first pass was a plain SHA-256, without the secret.', KEYED, second(base64), 'unkeyed'],
  [
    'passes:second-no-key',
    4,
    'The second pass was a plain SHA-256, without the secret.',
    KEYED,
    (first) => plain('sha256', base64(first)),
  ],
  ['passes:secret-in-text', 3, 'A plain SHA-256 was made of the secret followed by the text.', KEYED, once, 'secret-first'],
  ['passes:secret-in-text', 3, 'A plain SHA-256 was made of the text followed by the secret.', KEYED, once, 'secret-last'],
  [
    'passes:swapped',
    3,
    'Key and text were exchanged: the text was taken for the key.',
    'The secret is the key of the HMAC, the text its message.',
    once,
    'swapped',
  ],
  [
    'passes:swapped',
    4,
    'Key and text of the first pass were exchanged: the text was taken for the key.',
    'The secret is the key of the HMAC, the text its message.',
    second(base64),
    'swapped',
  ],
  [
    'passes:swapped',
    4,
    'Key and text of the second pass were exchanged: the first result was taken for the key.',
    'The secret is the key of the HMAC, the first result its message.',
    (first, key) => createHmac('sha256', base64(first)).update(key.export()).digest(),
  ],
  ...(['sha1', 'sha512', 'sha384', 'md5'] as const).flatMap((algorithm): Row[] => {
    const title = algorithm === 'md5' ? 'MD5' : `SHA-${algorithm.slice(3)}`
    return [
      [`passes:${algorithm}`, 2, `The hash was ${title}, in both passes.`, WHICH, second(base64, algorithm), 'keyed', algorithm],
      [`passes:${algorithm}`, 2, `The hash was ${title}, applied once.`, `${WHICH} ${AGAIN}`, once, 'keyed', algorithm],
      [
        `passes:${algorithm}`,
        4,
        `A plain ${title} was made, without the secret.`,
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

/** Bytes in a digest, by its hash. */
export const digestSizes: Readonly<Record<Algorithm, number>> = { sha256: 32, sha1: 20, sha512: 64, sha384: 48, md5: 16 }
