/** Keys that a signer uses instead of the hook's secret: another known one, or the same one misread. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { distinct, type Departure, type DiagnosisInput, type KnownSecret } from './departure.ts'

const READ = 'Use the secret exactly as returned: the bytes of its text are the key.'

/** This many other secrets are equally likely; each further group ranks lower, to leave time for other mistakes. */
const LIKELY_TOGETHER = 8

const known: Readonly<
  Record<KnownSecret['kind'], { rank: number; what: (owner: string) => string; fix: string }>
> = {
  stored: {
    rank: 1,
    what: (owner) => `Signed with the secret stored for ${owner}.`,
    fix: 'The stored secret is correct. The one you tried is a different one.',
  },
  previous: {
    rank: 1,
    what: (owner) => `Signed with a previous secret of ${owner}.`,
    fix: 'Use the current secret, which was returned last.',
  },
  'other-hook': {
    rank: 1,
    what: (owner) => `Signed with the secret of ${owner}.`,
    fix: 'Each hook has its own secret. Use the one returned when this hook was created.',
  },
  'other-environment': {
    rank: 1,
    what: (owner) => `Signed with the secret of ${owner}, from another environment.`,
    fix: "Test and live hooks have different secrets. Use this hook's secret from this environment.",
  },
  'api-key': {
    rank: 2,
    what: (owner) => `Signed with ${owner} instead of a hook's secret.`,
    fix: 'The API key authenticates calls to the service. Deliveries are signed with the secretKey returned when the hook was created.',
  },
}

type Misreading = readonly [cause: string, rank: number, how: string, bytes: Buffer]

/** Characters that are often copied or read from a file together with a secret, and their names. */
const clinging: readonly (readonly [cause: string, name: string, text: string])[] = [
  ['secret:space', 'a space', ' '],
  ['secret:space', 'a tab', '\t'],
  ['secret:space', 'a no-break space (U+00A0)', '\u00a0'],
  ['secret:space', 'a narrow no-break space (U+202F)', '\u202f'],
  ['secret:space', 'an ideographic space (U+3000)', '\u3000'],
  ['secret:newline', 'a newline', '\n'],
  ['secret:newline', 'a CR LF', '\r\n'],
  ['secret:newline', 'a carriage return', '\r'],
  ['secret:newline', 'two newlines', '\n\n'],
  ['secret:newline', 'the two characters \\n', String.raw`\n`],
  ['secret:invisible', 'a byte order mark (U+FEFF)', '\ufeff'],
  ['secret:invisible', 'a zero-width space (U+200B)', '\u200b'],
  ['secret:invisible', 'a zero-width non-joiner (U+200C)', '\u200c'],
  ['secret:invisible', 'a zero-width joiner (U+200D)', '\u200d'],
  ['secret:invisible', 'a word joiner (U+2060)', '\u2060'],
  ['secret:invisible', 'a left-to-right mark (U+200E)', '\u200e'],
  ['secret:invisible', 'a right-to-left mark (U+200F)', '\u200f'],
  ['secret:invisible', 'a soft hyphen (U+00AD)', '\u00ad'],
  ['secret:invisible', 'a zero byte', '\0'],
]

const quotes: readonly (readonly [opening: string, closing: string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['\u201c', '\u201d'],
  ['\u2018', '\u2019'],
  ['\u00ab', '\u00bb'],
]

/** Characters that `String.trim` keeps. */
const INVISIBLE = /[\p{Cf}\0]/gu

/** The secret with extra characters around it, or with some missing. A trailing newline and quotes are the likeliest. */
function withOthersAround(secret: string): Misreading[] {
  const own = "this hook's secret"
  const added = clinging.flatMap(([cause, name, text]): Misreading[] => {
    const rank = text === '\n' ? 1 : text === '\r\n' ? 2 : text === ' ' ? 3 : 4
    return [
      [cause, rank, `${own} with ${name} at the end`, Buffer.from(secret + text)],
      [cause, text === ' ' ? 3 : 4, `${own} with ${name} at the start`, Buffer.from(text + secret)],
      [cause, 4, `${own} with ${name} at both ends`, Buffer.from(text + secret + text)],
    ]
  })
  const quoted = quotes.flatMap(([opening, closing], index): Misreading[] => [
    [
      'secret:quoted',
      index < 2 ? index + 1 : 4,
      `${own} in quotes`,
      Buffer.from(opening + secret + closing),
    ],
    ['secret:quoted', 4, `${own} with a quote at the start`, Buffer.from(opening + secret)],
    ['secret:quoted', 4, `${own} with a quote at the end`, Buffer.from(secret + closing)],
  ])
  const bare = secret.replaceAll(INVISIBLE, '').trim()
  return [
    ...added,
    ...quoted,
    ['secret:trimmed', 1, `${own}, trimmed`, Buffer.from(secret.trim())],
    ['secret:trimmed', 4, `${own} without leading whitespace`, Buffer.from(secret.trimStart())],
    ['secret:trimmed', 4, `${own} without trailing whitespace`, Buffer.from(secret.trimEnd())],
    [
      'secret:trimmed',
      4,
      `${own} without invisible characters`,
      Buffer.from(secret.replaceAll(INVISIBLE, '')),
    ],
    ['secret:trimmed', 4, `${own} without whitespace and invisible characters`, Buffer.from(bare)],
    [
      'secret:unquoted',
      3,
      `${own} without its quotes`,
      Buffer.from(bare.replace(/^(["'`])(.*)\1$/s, '$2')),
    ],
  ]
}

/** The secret as other programs read it: cause, description of the key, and its bytes. */
function misread(secret: string): Misreading[] {
  const withoutPrefix = secret.replace(/^[a-z]{2,10}_(?:test_|live_)?/i, '')
  const bare = withoutPrefix.replaceAll('-', '')
  const isHex = bare.length > 0 && bare.length % 2 === 0 && /^[0-9a-f]+$/i.test(bare)
  return [
    ...withOthersAround(secret),
    [
      'secret:base64-decoded',
      1,
      "this hook's secret, decoded from Base64",
      Buffer.from(secret, 'base64'),
    ],
    ['secret:no-prefix', 1, "this hook's secret without its prefix", Buffer.from(withoutPrefix)],
    [
      'secret:no-prefix-decoded',
      1,
      "this hook's secret without its prefix, decoded from Base64",
      Buffer.from(withoutPrefix, 'base64'),
    ],
    ...(isHex
      ? ([
          [
            'secret:hex-decoded',
            1,
            "this hook's secret, decoded from hexadecimal",
            Buffer.from(bare, 'hex'),
          ],
        ] satisfies Misreading[])
      : []),
    ['secret:empty', 1, 'an empty secret (variable not set)', Buffer.alloc(0)],
    ['secret:unset', 2, 'the string "undefined" (variable not set)', Buffer.from('undefined')],
    ['secret:unset', 2, 'the string "null" (variable not set)', Buffer.from('null')],
    ['secret:unset', 2, 'the string "None" (variable not set)', Buffer.from('None')],
    [
      'secret:base64-encoded',
      3,
      "this hook's secret, encoded in Base64",
      Buffer.from(Buffer.from(secret).toString('base64')),
    ],
    [
      'secret:hex-encoded',
      4,
      "this hook's secret, encoded in hexadecimal",
      Buffer.from(Buffer.from(secret).toString('hex')),
    ],
    ['secret:lower-case', 5, "this hook's secret in lowercase", Buffer.from(secret.toLowerCase())],
    ['secret:upper-case', 5, "this hook's secret in uppercase", Buffer.from(secret.toUpperCase())],
  ]
}

export function secretDepartures({
  key,
  otherSecrets,
}: DiagnosisInput): readonly Departure<KeyObject>[] {
  const others = otherSecrets.map((secret, index): Departure<KeyObject> => {
    const { rank, what, fix } = known[secret.kind]
    const later = Math.floor(index / LIKELY_TOGETHER)
    return {
      cause: `secret:${secret.kind}`,
      what: what(secret.owner),
      fix,
      rank: rank + later,
      value: secret.key,
    }
  })
  const changed = misread(key.export().toString('utf8')).map(
    ([cause, rank, how, bytes]): Departure<KeyObject> => ({
      cause,
      what: `Signed with ${how}.`,
      fix: READ,
      rank,
      value: createSecretKey(bytes),
    }),
  )
  return distinct([...others, ...changed], key, (secret) => secret.export().toString('latin1'))
}
