/** Keys used instead of the hook's secret: another, or the secret misread. */
import { isUtf8 } from 'node:buffer'
import {
  createMistakeGroup,
  combineMismatches,
  type DiagnosisInput,
  type MistakeGroup,
  type KnownSecret,
  type Variant,
} from './mismatch.ts'
import {
  PARTS_OF_GIVEN,
  PARTS_OF_STORED,
  rewrittenSecret,
  type ConfirmableParts,
} from './secret-rewritings.ts'
import { unsetTexts } from './unset.ts'

const EXACT_SECRET_FIX = 'Use the secret exactly as returned: the bytes of its text are the key.'

/** Number of other secrets that rank alike; further ones rank lower, to leave time. */
const SECRETS_PER_RANK = 8

const knownSecrets: Readonly<
  Record<KnownSecret['kind'], { rank: number; which: (owner: string) => string; fix: string }>
> = {
  stored: {
    rank: 1,
    which: (owner) => `the secret stored for ${owner}`,
    fix: 'The stored secret is correct. The one you tried is a different one.',
  },
  previous: {
    rank: 1,
    which: (owner) => `a previous secret of ${owner}`,
    fix: 'Use the current secret, which was returned last.',
  },
  'other-hook': {
    rank: 1,
    which: (owner) => `the secret of ${owner}`,
    fix: 'Each hook has its own secret. Use the one returned when this hook was created.',
  },
  'other-environment': {
    rank: 1,
    which: (owner) => `the secret of ${owner}, from another environment`,
    fix: "Test and live hooks have different secrets. Use this hook's secret from this environment.",
  },
  'deleted-hook': {
    rank: 1,
    which: (owner) => `the secret of ${owner}`,
    fix: 'Use the secret of a hook that exists, or register the deleted one again.',
  },
  'api-key': {
    rank: 2,
    which: (owner) => `${owner} instead of a hook's secret`,
    fix: 'The API key authenticates calls to the service. Deliveries are signed with the secretKey returned when the hook was created.',
  },
}

/** Key that a misread secret makes; `how` follows the name of the secret. */
type Misreading = Variant<Buffer>

/** Characters that are often copied together with a secret. */
const copiedCharacters: readonly (readonly [cause: string, name: string, text: string])[] = [
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

const delimiters = [';', ',', '=', ':', '.', '&', '|', '#', '$', '-', ')', '>', '}', ']', '\\']

/** Characters that `String.trim` keeps. */
const INVISIBLE = /[\p{Cf}\0]/gu

/** Returns the secret with characters around it, or some missing. */
function decoratedSecrets(secret: string): Variant<string>[] {
  const added = copiedCharacters.flatMap(([cause, name, text]): Variant<string>[] => {
    const rank = text === '\n' ? 1 : text === '\r\n' ? 2 : text === ' ' ? 3 : 4
    return [
      [cause, rank, `with ${name} at the end`, secret + text],
      [cause, text === ' ' ? 3 : 4, `with ${name} at the start`, text + secret],
      [cause, 4, `with ${name} at both ends`, text + secret + text],
    ]
  })
  const quoted = quotes.flatMap(([opening, closing], index): Variant<string>[] => [
    ['secret:quoted', index < 2 ? index + 1 : 4, 'in quotes', opening + secret + closing],
    ['secret:quoted', 4, 'with a quote at the start', opening + secret],
    ['secret:quoted', 4, 'with a quote at the end', secret + closing],
  ])
  const bare = secret.replaceAll(INVISIBLE, '').trim()
  const delimited = delimiters.flatMap((text, index): Variant<string>[] => [
    ['secret:delimiter', index < 2 ? 3 : 4, `with ${text} at the end`, secret + text],
    ['secret:delimiter', 4, `with ${text} at the start`, text + secret],
  ])
  return [
    ...added,
    ...quoted,
    ...delimited,
    ['secret:trimmed', 1, 'without surrounding whitespace', secret.trim()],
    ['secret:trimmed', 4, 'without leading whitespace', secret.trimStart()],
    ['secret:trimmed', 4, 'without trailing whitespace', secret.trimEnd()],
    ['secret:trimmed', 4, 'without invisible characters', secret.replaceAll(INVISIBLE, '')],
    ['secret:trimmed', 4, 'without whitespace and invisible characters', bare],
    ['secret:unquoted', 3, 'without its quotes', bare.replace(/^(["'`])(.*)\1$/s, '$2')],
  ]
}

/** Returns the keys that other programs read from a secret. */
function misreadKeys(bytes: Buffer, parts: ConfirmableParts, mostRank = Infinity): Misreading[] {
  if (!isUtf8(bytes)) return []
  const secret = bytes.toString('utf8')
  const withoutAnyPrefix = secret.replace(/^[a-z]{2,10}_(?:test_|live_)?/i, '')
  const withoutPrefix = withoutAnyPrefix.trim().length < parts.leastKept ? secret : withoutAnyPrefix
  const bare = withoutPrefix.replaceAll('-', '')
  const isHex = bare.length > 0 && bare.length % 2 === 0 && /^[0-9a-f]+$/i.test(bare)
  return [
    ...decoratedSecrets(secret)
      .filter(([, rank]) => rank <= mostRank)
      .map(([cause, rank, how, text]): Misreading => [cause, rank, how, Buffer.from(text)]),
    ...fromBase64('secret:base64-decoded', 'decoded from Base64', secret),
    ['secret:no-prefix', 1, 'without its prefix', Buffer.from(withoutPrefix)],
    ...fromBase64(
      'secret:no-prefix-decoded',
      'without its prefix, decoded from Base64',
      withoutPrefix,
    ),
    ...(isHex
      ? ([
          ['secret:hex-decoded', 1, 'decoded from hexadecimal', Buffer.from(bare, 'hex')],
        ] satisfies Misreading[])
      : []),
    [
      'secret:base64-encoded',
      3,
      'encoded in Base64',
      Buffer.from(Buffer.from(secret).toString('base64')),
    ],
    [
      'secret:hex-encoded',
      4,
      'encoded in hexadecimal',
      Buffer.from(Buffer.from(secret).toString('hex')),
    ],
    ...cutKeys(secret, parts),
    ['secret:lower-case', 5, 'in lowercase', Buffer.from(secret.toLowerCase())],
    ['secret:upper-case', 5, 'in uppercase', Buffer.from(secret.toUpperCase())],
  ]
}

/** Decodes a text that is Base64 throughout; other texts are skipped, because decoders differ. */
function fromBase64(cause: string, how: string, text: string): Misreading[] {
  const isWhole =
    /^[\w+/\s-]*(?:={1,2}\s*)?$/.test(text) && text.replaceAll(/[\s=]/g, '').length % 4 !== 1
  return isWhole ? [[cause, 1, how, Buffer.from(text, 'base64')]] : []
}

/** Returns the secret without some characters at either end. */
function cutKeys(secret: string, { leastKept, mostMissing }: ConfirmableParts): Misreading[] {
  const { length } = secret
  const counts = [1, 2, 3, 4].filter((count) => length - count >= leastKept)
  const starts = [16, 24, 32, 64].filter((kept) => kept < length && length - kept <= mostMissing)
  return [
    ...counts.flatMap((count): Misreading[] => {
      const [rank, description] = count === 1 ? [2, 'character'] : [4, `${count} characters`]
      return [
        [
          'secret:cut',
          rank,
          `without its last ${description}`,
          Buffer.from(secret.slice(0, -count)),
        ],
        ['secret:cut', rank, `without its first ${description}`, Buffer.from(secret.slice(count))],
      ]
    }),
    ...starts.map((kept): Misreading => [
      'secret:cut',
      4,
      `cut to its first ${kept} characters`,
      Buffer.from(secret.slice(0, kept)),
    ]),
  ]
}

export function secretMismatches({
  key,
  isSecretGiven = false,
  otherSecrets,
}: DiagnosisInput): MistakeGroup<Buffer> {
  const right = key.export()
  const otherKeys = otherSecrets.map((secret, index): Misreading => {
    const { rank, which } = knownSecrets[secret.kind]
    const rankShift = Math.floor(index / SECRETS_PER_RANK)
    return [`secret:${secret.kind}`, rank + rankShift, which(secret.owner), secret.key.export()]
  })
  const parts = isSecretGiven ? PARTS_OF_GIVEN : PARTS_OF_STORED
  const rewritten = isUtf8(right) ? rewrittenSecret(right.toString(), parts) : []
  const ownMisreadings = [...misreadKeys(right, parts), ...rewritten].map(
    ([cause, rank, how, bytes]): Misreading => [cause, rank, `this hook's secret ${how}`, bytes],
  )
  const texts = unsetTexts.map(([text, rank]): Misreading => [
    'secret:unset',
    rank,
    `the string "${text}" (variable not set)`,
    Buffer.from(text),
  ])
  const fixes: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(knownSecrets).map(([kind, { fix }]) => [`secret:${kind}`, fix]),
  )
  return createMistakeGroup<Buffer>({
    variants: [
      ...otherKeys,
      ...ownMisreadings,
      ['secret:empty', 1, 'an empty secret (variable not set)', Buffer.alloc(0)],
      ...texts,
    ],
    twice: (single) =>
      combineMismatches(single, (bytes, most) => misreadKeys(bytes, PARTS_OF_STORED, most)),
    except: [right],
    keyOf: (secret) => secret.toString('latin1'),
    describe: (how, _, causes) => ({
      what: `Signed with ${how}.`,
      fix: [...new Set(causes.map((cause) => fixes[cause] ?? EXACT_SECRET_FIX))].join(' '),
    }),
  })
}
