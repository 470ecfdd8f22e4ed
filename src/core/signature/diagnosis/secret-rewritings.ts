/** Secrets as settings files, shells, URLs and languages change them. */
import type { Variant } from './mismatch.ts'
import { printedTexts } from './printed-text.ts'
import { utf16Encoders } from './utf16.ts'

/** Limits of the parts of a secret that may be confirmed; shorter ones could be guessed. */
export interface ConfirmableParts {
  readonly leastKept: number
  readonly mostMissing: number
}

export const PARTS_OF_STORED: ConfirmableParts = { leastKept: 16, mostMissing: 4 }
export const PARTS_OF_GIVEN: ConfirmableParts = { leastKept: 1, mostMissing: Infinity }

type Rewriting = readonly [cause: string, how: string, read: (text: string) => string]

/** Undoes percent-encoding, except malformed escapes. */
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

/** Changes that remove nothing from the secret. */
const rewritings: readonly Rewriting[] = [
  ['secret:url-decoded', 'percent-decoded', percentDecoded],
  ['secret:url-decoded', 'with + as a space', (text) => text.replaceAll('+', ' ')],
  ['secret:url-decoded', 'decoded as a form', (text) => percentDecoded(text.replaceAll('+', ' '))],
  ['secret:url-encoded', 'percent-encoded', encodeURIComponent],
  ['secret:unescaped', `with ${NEWLINE} as a newline`, (text) => text.replaceAll(NEWLINE, '\n')],
  ...['export WEBHOOK_SECRET=', 'WEBHOOK_SECRET: ', 'secret: '].map((start): Rewriting => [
    'secret:assignment',
    `with ${start} in front`,
    (text) => start + text,
  ]),
  ...VARIABLES.flatMap((name): Rewriting[] => [
    ['secret:assignment', `with ${name}= in front`, (text) => `${name}=${text}`],
    ['secret:assignment', `in quotes with ${name}= in front`, (text) => `${name}="${text}"`],
  ]),
  ...printedTexts.map(([how, print]): Rewriting => [
    'secret:printed',
    `printed ${how}`,
    (text) => print(text, Buffer.from(text)),
  ]),
]

const without =
  (pattern: RegExp) =>
  (text: string): string =>
    text.replaceAll(pattern, '')

/** Changes that remove something from the secret. */
const omissions: readonly Rewriting[] = [
  ['secret:interpolated', 'without $ and the name after it', without(/\$(?:\w+|\{[^{}]*\})/g)],
  ['secret:interpolated', 'without $ and the letters after it', without(/\$[a-z_]\w*/gi)],
  ['secret:comment', 'without # and what follows', (text) => text.replace(/#.*/s, '').trimEnd()],
  ['secret:no-dashes', 'without its dashes', without(/-/g)],
  ['secret:unescaped', 'without backslashes', without(/\\/g)],
]

/** Returns the keys that rewritten forms of a secret make. */
export function rewrittenSecret(
  secret: string,
  { leastKept, mostMissing }: ConfirmableParts,
): Variant<Buffer>[] {
  const isConfirmable = (kept: number) => kept >= leastKept && secret.length - kept <= mostMissing
  const isKept = (row: Rewriting) =>
    rewritings.includes(row) || isConfirmable(row[2](secret).length)
  // Node decodes up to the first other character.
  const start = Buffer.from(secret, 'hex')
  const decoded = 'decoded from hexadecimal up to its first other character'
  return [
    ...[...rewritings, ...omissions]
      .filter(isKept)
      .map(([cause, how, read]): Variant<Buffer> => [cause, 4, how, Buffer.from(read(secret))]),
    ...utf16Encoders.map(([how, encode]): Variant<Buffer> => [
      'secret:utf-16',
      4,
      how,
      encode(secret),
    ]),
    ...(isConfirmable(2 * start.length)
      ? [['secret:hex-decoded', 4, decoded, start] satisfies Variant<Buffer>]
      : []),
  ]
}
