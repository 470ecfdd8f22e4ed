/** Secrets as settings files, shells, URLs and languages change them. */
import { variant, type Variant } from './mistake.ts'
import { printedTexts } from './printed-forms.ts'
import { utf16Encoders } from './utf16-encoders.ts'

/**
 * Limits, in characters, of a shortened secret that a diagnosis may confirm, because a short part
 * could be guessed.
 */
export interface ConfirmableLengths {
  readonly minKept: number
  readonly maxMissing: number
}

export const STORED_SECRET_LENGTHS: ConfirmableLengths = { minKept: 16, maxMissing: 4 }
export const GIVEN_SECRET_LENGTHS: ConfirmableLengths = { minKept: 1, maxMissing: Infinity }

type SecretRewriting = Variant<(secret: string) => string>

const rewriting = (cause: string, how: string, rewrite: (secret: string) => string) =>
  variant(cause, 4, how, rewrite)

const percentDecoded = (text: string) =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
  )

/** Likely variable names in a line that was read as a whole. */
const VARIABLES = [
  'WEBHOOK_SECRET',
  'SECRET',
  'SECRET_KEY',
  'SIGNING_SECRET',
  'secret',
  'secretKey',
]

const NEWLINE = String.raw`\n`

/** Changed forms that keep all of the secret. */
const rewritings: readonly SecretRewriting[] = [
  rewriting('secret:url-decoded', 'percent-decoded', percentDecoded),
  rewriting('secret:url-decoded', 'with + as a space', (text) => text.replaceAll('+', ' ')),
  rewriting('secret:url-decoded', 'decoded as a form', (text) =>
    percentDecoded(text.replaceAll('+', ' ')),
  ),
  rewriting('secret:url-encoded', 'percent-encoded', encodeURIComponent),
  rewriting('secret:unescaped', `with ${NEWLINE} as a newline`, (text) =>
    text.replaceAll(NEWLINE, '\n'),
  ),
  ...['export WEBHOOK_SECRET=', 'WEBHOOK_SECRET: ', 'secret: '].map((start) =>
    rewriting('secret:assignment', `with ${start} in front`, (text) => start + text),
  ),
  ...VARIABLES.flatMap((name) => [
    rewriting('secret:assignment', `with ${name}= in front`, (text) => `${name}=${text}`),
    rewriting(
      'secret:assignment',
      `in quotes with ${name}= in front`,
      (text) => `${name}="${text}"`,
    ),
  ]),
  ...printedTexts.map(({ how, print }) =>
    rewriting('secret:printed', `printed ${how}`, (text) => print(text, Buffer.from(text))),
  ),
]

const without =
  (pattern: RegExp) =>
  (text: string): string =>
    text.replaceAll(pattern, '')

/** Changed forms without a part of the secret, such as `$name` or `${name}`. */
const omissions: readonly SecretRewriting[] = [
  rewriting(
    'secret:interpolated',
    'without $ and the name after it',
    without(/\$(?:\w+|\{[^{}]*\})/g),
  ),
  rewriting('secret:interpolated', 'without $ and the letters after it', without(/\$[a-z_]\w*/gi)),
  rewriting('secret:comment', 'without # and what follows', (text) =>
    text.replace(/#.*/s, '').trimEnd(),
  ),
  rewriting('secret:no-dashes', 'without its dashes', without(/-/g)),
  rewriting('secret:unescaped', 'without backslashes', without(/\\/g)),
]

/** Returns the keys that rewritten forms of a secret make. */
export function rewrittenSecret(
  secret: string,
  { minKept, maxMissing }: ConfirmableLengths,
): Variant<Buffer>[] {
  const isConfirmable = (kept: number) => kept >= minKept && secret.length - kept <= maxMissing
  const texts = (all: readonly SecretRewriting[]) =>
    all.map((one) => ({ ...one, value: one.value(secret) }))
  // Node decodes up to the first other character.
  const start = Buffer.from(secret, 'hex')
  return [
    ...[
      ...texts(rewritings),
      ...texts(omissions).filter(({ value }) => isConfirmable(value.length)),
    ].map((one) => ({ ...one, value: Buffer.from(one.value) })),
    ...utf16Encoders.map(({ how, encode }) => variant('secret:utf-16', 4, how, encode(secret))),
    ...(isConfirmable(2 * start.length)
      ? [
          variant(
            'secret:hex-decoded',
            4,
            'decoded from hexadecimal up to its first other character',
            start,
          ),
        ]
      : []),
  ]
}
