/**
 * Ways in which a signer hashes the parts by mistake, such as once, or without the key. In one
 * file, because most of it is the table of these mistakes.
 */
import { createHash, hash } from 'node:crypto'
import type { MistakeGroup } from './mismatch.ts'
import { quickHmac } from '../quick-hmac.ts'
import { printedBytes, printedObjects, printedTexts } from './printed-text.ts'
import { utf16Encoders } from './utf16.ts'

type Algorithm = 'sha256' | 'sha1' | 'sha512' | 'sha384' | 'md5'

/** Way to compute a pass, with the secret as its key or not. */
type FirstPass = 'keyed' | 'unkeyed' | 'secret-first' | 'secret-last' | 'swapped'
type SecondPass = 'keyed' | 'unkeyed' | 'swapped' | 'none'

/** Encoding other than UTF-8, of parts and perhaps the secret. */
interface Recoding {
  readonly name: string
  readonly text: (text: string) => Buffer
  readonly key: ((text: string) => Buffer) | null
}

export interface Passes {
  readonly algorithm: Algorithm
  readonly first: FirstPass
  /** Encoding of a keyed first pass. */
  readonly recoding: Recoding | null
  /** Converts the first pass; null for its Base64 text. */
  readonly form: ((first: Buffer, key: Uint8Array) => Uint8Array | string) | null
  readonly second: SecondPass
}

const recodedKey = (recoding: Recoding | null, key: Uint8Array) =>
  recoding === null || recoding.key === null ? key : recoding.key(Buffer.from(key).toString())

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
    return quickHmac(algorithm, recodedKey(recoding, key), [recoding.text(message.toString())])
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

const base64 = (digest: Buffer) => digest.toString('base64')
const hex = (digest: Buffer) => digest.toString('hex')
/** Separates the bytes of hexadecimal text. */
const spacedHex = (digest: Buffer, between: string) =>
  hex(digest).replaceAll(/..(?=.)/g, `$&${between}`)

export const RIGHT_PASSES: Passes = {
  algorithm: 'sha256',
  first: 'keyed',
  recoding: null,
  form: null,
  second: 'keyed',
}

const SECOND_PASS_FIX =
  'Compute a second HMAC over the Base64 text of the first, and encode that in Base64.'
const BASE64_TEXT_FIX =
  'Compute the second pass over the Base64 text of the first, including its padding and nothing else.'
const HMAC_FIX =
  "Use HMAC-SHA-256 with the hook's secret for both passes. A plain hash proves nothing."
const SHA256_FIX = 'Use SHA-256 for both passes.'

/** Row of the diagnosis; `causes` are separated by a space. */
type Row = readonly [
  causes: string,
  rank: number,
  what: string,
  fix: string,
  changes: Partial<Passes>,
]

/** Wrong form of the first pass; `how` completes "The second pass used the first". */
type Form = readonly [
  name: string,
  rank: number,
  how: string,
  form: (first: Buffer) => Uint8Array | string,
]

type Wrapper = readonly [how: string, wrap: (text: string) => string]

/** Texts that commands and formats write around a digest. */
const wrappers: readonly Wrapper[] = [
  ...[
    'SHA2-256(stdin)= ',
    '(stdin)= ',
    'HMAC-SHA256(stdin)= ',
    'HMAC-SHA2-256(stdin)= ',
    'SHA256(stdin)= ',
    'sha256=',
    'sha256:',
    'v1=',
    '',
  ].flatMap((start) =>
    ['', '\n'].map((end): Wrapper => [
      `as ${start}…${end && ' with a newline'}`,
      (text) => start + text + end,
    ]),
  ),
  ...[' *stdin', '  -', '\r\n'].map((end): Wrapper => [
    `with ${JSON.stringify(end)} after it`,
    (text) => text + end,
  ]),
  ...printedTexts.map(([how, print]): Wrapper => [
    `printed ${how}`,
    (text) => print(text, Buffer.from(text)),
  ]),
]

/** Forms by careless conversions, never combined. */
const carelessForms: readonly Form[] = [
  ...wrappers.flatMap(([how, wrap]): Form[] => [
    ['wrapped', 5, `in Base64, ${how}`, (first) => wrap(base64(first))],
    ['wrapped', 5, `in hexadecimal, ${how}`, (first) => wrap(hex(first))],
    [
      'wrapped',
      5,
      `in hexadecimal, ${how}, in Base64`,
      (first) => base64(Buffer.from(wrap(hex(first)))),
    ],
  ]),
  ...printedBytes.map(([how, print]): Form => [
    'printed',
    5,
    `as raw bytes, printed ${how}`,
    (first) => print(first.toString(), first),
  ]),
  ...printedObjects.map((text): Form => ['printed', 5, `printed as ${text}`, () => text]),
]

const forms: readonly Form[] = [
  ['bytes', 1, 'as raw bytes instead of its Base64 text', (first) => first],
  ['hex', 1, 'in hexadecimal instead of Base64', hex],
  [
    'newline',
    1,
    'in Base64 with a trailing newline, which some encoders add',
    (first) => `${base64(first)}\n`,
  ],
  ['base64url', 2, 'in URL-safe Base64', (first) => first.toString('base64url')],
  [
    'base64url',
    3,
    'in URL-safe Base64 with padding',
    (first) => base64(first).replaceAll('+', '-').replaceAll('/', '_'),
  ],
  ['no-padding', 2, 'in Base64 without padding', (first) => base64(first).replaceAll('=', '')],
  [
    'upper-hex',
    2,
    'in uppercase hexadecimal instead of Base64',
    (first) => hex(first).toUpperCase(),
  ],
  ['python-bytes', 2, "as Python prints bytes (b'…')", (first) => `b'${base64(first)}'`],
  [
    'python-bytes',
    3,
    String.raw`as Python prints bytes (b'…\n')`,
    (first) => String.raw`b'${base64(first)}\n'`,
  ],
  [
    'python-bytes',
    3,
    "as Python prints bytes of hexadecimal (b'…')",
    (first) => `b'${hex(first)}'`,
  ],
  ...(['-', ':', ' '] as const).flatMap((between): Form[] => [
    [
      'spaced-hex',
      between === '-' ? 2 : 3,
      `in uppercase hexadecimal with "${between}" between the bytes`,
      (first) => spacedHex(first, between).toUpperCase(),
    ],
    [
      'spaced-hex',
      3,
      `in hexadecimal with "${between}" between the bytes`,
      (first) => spacedHex(first, between),
    ],
  ]),
  ['spaced-hex', 3, 'in hexadecimal with 0x', (first) => `0x${hex(first)}`],
  ['decoded', 3, 'read as text in UTF-8', (first) => first.toString('utf8')],
  ['decoded', 3, 'read as text in Latin-1', (first) => first.toString('latin1')],
  ...utf16Encoders.map(([how, encode], index): Form => [
    'utf-16',
    index === 0 ? 4 : 5,
    `in Base64 ${how}`,
    (first) => encode(base64(first)),
  ]),
  ...carelessForms,
]

const SWAPPED_FIX = "Use the secret as the HMAC's key and the text as its message."

const UTF_8_FIX = 'Hash the text, and the secret as its key, in UTF-8.'

/** Mistakes with UTF-16 in place of UTF-8. */
const recodings = utf16Encoders.flatMap(([how, encode], index): Row[] => {
  const rank = index === 0 ? 4 : 5
  const form = (first: Buffer) => encode(base64(first))
  return [encode, null].flatMap((key): Row[] => {
    const recoding = { name: `${index} ${key === null}`, text: encode, key }
    const [causes, what] =
      key === null
        ? ['body:utf-16', `The text was hashed ${how}`]
        : ['body:utf-16 secret:utf-16', `Text and secret were hashed ${how}`]
    return [
      [causes, rank, `${what}, in both passes.`, UTF_8_FIX, { recoding, form }],
      [causes, rank, `${what}.`, UTF_8_FIX, { recoding }],
    ]
  })
})

const rows: readonly Row[] = [
  [
    'passes:once',
    1,
    'Signature hashed once instead of twice.',
    SECOND_PASS_FIX,
    { second: 'none' },
  ],
  ...forms.map(([name, rank, how, form]): Row => [
    `encoding:inner-${name}`,
    rank,
    `The second pass used the first ${how}.`,
    BASE64_TEXT_FIX,
    { form },
  ]),
  [
    'encoding:inner-base64-of-hex',
    1,
    "The second pass used the Base64 of the first pass's hexadecimal text.",
    "Make the hash return raw bytes (in PHP, set hash_hmac's fourth argument to true), and encode those in Base64.",
    { form: (first) => base64(Buffer.from(hex(first))) },
  ],
  [
    'passes:three',
    2,
    'Signature hashed three times.',
    'Use exactly two passes.',
    { form: (first, key) => quickHmac('sha256', key, [base64(first)]) },
  ],
  [
    'passes:no-key',
    2,
    'Plain SHA-256 without the secret.',
    HMAC_FIX,
    { first: 'unkeyed', second: 'none' },
  ],
  [
    'passes:no-key',
    3,
    'Plain SHA-256, applied twice without the secret.',
    HMAC_FIX,
    { first: 'unkeyed', second: 'unkeyed' },
  ],
  [
    'passes:first-no-key',
    4,
    'The first pass used plain SHA-256 without the secret.',
    HMAC_FIX,
    { first: 'unkeyed' },
  ],
  [
    'passes:second-no-key',
    4,
    'The second pass used plain SHA-256 without the secret.',
    HMAC_FIX,
    { second: 'unkeyed' },
  ],
  [
    'passes:secret-in-text',
    3,
    'Plain SHA-256 of the secret followed by the text.',
    HMAC_FIX,
    { first: 'secret-first', second: 'none' },
  ],
  [
    'passes:secret-in-text',
    3,
    'Plain SHA-256 of the text followed by the secret.',
    HMAC_FIX,
    { first: 'secret-last', second: 'none' },
  ],
  [
    'passes:swapped',
    2,
    'Both HMACs have key and message swapped.',
    SWAPPED_FIX,
    { first: 'swapped', second: 'swapped' },
  ],
  [
    'passes:swapped',
    3,
    'The HMAC has key and message swapped.',
    SWAPPED_FIX,
    { first: 'swapped', second: 'none' },
  ],
  [
    'passes:swapped',
    4,
    'The first HMAC has key and message swapped.',
    SWAPPED_FIX,
    { first: 'swapped' },
  ],
  [
    'passes:swapped',
    4,
    'The second HMAC has key and message swapped.',
    "Use the secret as the HMAC's key and the first result as its message.",
    { second: 'swapped' },
  ],
  ...recodings,
  ...(['sha1', 'sha512', 'sha384', 'md5'] as const).flatMap((algorithm): Row[] => {
    const title = algorithm === 'md5' ? 'MD5' : `SHA-${algorithm.slice(3)}`
    return [
      [
        `passes:${algorithm}`,
        2,
        `Hashed with ${title} instead of SHA-256.`,
        SHA256_FIX,
        { algorithm },
      ],
      [
        `passes:${algorithm}`,
        2,
        `Hashed once, with ${title} instead of SHA-256.`,
        `${SHA256_FIX} ${SECOND_PASS_FIX}`,
        { algorithm, second: 'none' },
      ],
      [
        `passes:${algorithm}`,
        4,
        `Plain ${title} without the secret.`,
        `${SHA256_FIX} ${HMAC_FIX}`,
        { algorithm, first: 'unkeyed', second: 'none' },
      ],
    ]
  }),
]

/** Whether two mistakes can occur together, because neither undoes the other. */
function canCombine(a: Partial<Passes>, b: Partial<Passes>): boolean {
  const passes = { ...RIGHT_PASSES, ...a, ...b }
  return (
    Object.keys(a).every((key) => !(key in b)) &&
    (passes.second !== 'none' || passes.form === null) &&
    (passes.first === 'keyed' || passes.recoding === null)
  )
}

/** Largest sum of the ranks of two combined rows. */
const MAX_COMBINED_RANK = 6

const combined = rows.flatMap(([causes, rank, what, fix, changes], index) =>
  rows
    .slice(index + 1)
    .filter((row) => rank + row[1] <= MAX_COMBINED_RANK && canCombine(changes, row[4]))
    .map((row) => ({
      causes: `${causes} ${row[0]}`.split(' '),
      what: `${what} ${row[2]}`,
      fix: `${fix} ${row[3]}`,
      rank: rank + row[1],
      value: { ...RIGHT_PASSES, ...changes, ...row[4] },
    })),
)

export const passMismatches: MistakeGroup<Passes> = {
  single: rows.map(([causes, rank, what, fix, changes]) => ({
    causes: causes.split(' '),
    what,
    fix,
    rank,
    value: { ...RIGHT_PASSES, ...changes },
  })),
  twice: () => combined,
}

/** Digest sizes in bytes, by hash. */
export const digestSizes: Readonly<Record<Algorithm, number>> = {
  sha256: 32,
  sha1: 20,
  sha512: 64,
  sha384: 48,
  md5: 16,
}
