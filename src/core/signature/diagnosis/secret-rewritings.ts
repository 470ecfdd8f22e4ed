/** Secrets as settings files, shells, URLs and languages change them on their way into a program. */
import type { Variant } from './mismatch.ts'
import { printedTexts } from './printed-text.ts'
import { utf16 } from './utf16.ts'

/**
 * The parts of a secret that a diagnosis may confirm. Anyone who may ask could guess a shorter part, then the next letter; who gives
 * the secret knows all of it.
 */
export interface ConfirmableParts {
  readonly leastKept: number
  readonly mostMissing: number
}

export const PARTS_OF_STORED: ConfirmableParts = { leastKept: 16, mostMissing: 4 }
export const PARTS_OF_GIVEN: ConfirmableParts = { leastKept: 1, mostMissing: Infinity }

type Rewriting = readonly [cause: string, how: string, read: (text: string) => string]

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Undoes percent-encoding; malformed escapes stay unchanged. */
const percentDecoded = (text: string) =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString(),
  )

/** Likely names of the variable in a line of a settings file that was read as a whole. */
const VARIABLES =
  'WEBHOOK_SECRET SECRET SECRET_KEY SIGNING_SECRET WEBHOOK_SIGNING_SECRET WEBHOOK_KEY secret secretKey'.split(
    ' ',
  )

/** Changes that keep everything. */
const rewritings: readonly Rewriting[] = [
  ['secret:url-decoded', 'percent-decoded', percentDecoded],
  ['secret:url-decoded', 'with + as a space', (text) => text.replaceAll('+', ' ')],
  ['secret:url-decoded', 'decoded as a form', (text) => percentDecoded(text.replaceAll('+', ' '))],
  ['secret:url-encoded', 'percent-encoded', encodeURIComponent],
  ['unescaped', String.raw`with \n as a newline`, (text) => text.replaceAll(String.raw`\n`, '\n')],
  ['secret:escaped', 'with backslashes doubled', (text) => text.replaceAll('\\', String.raw`\\`)],
  ['secret:escaped', 'with & as &amp;', (text) => text.replaceAll('&', '&amp;')],
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

/** Changes that take something out. */
const omissions: readonly Rewriting[] = [
  [
    'secret:interpolated',
    'without $ and the name after it',
    (text) => text.replaceAll(/\$(?:\w+|\{[^}]*\})/g, ''),
  ],
  [
    'secret:interpolated',
    'without $ and the letters after it',
    (text) => text.replaceAll(/\$[a-z_]\w*/gi, ''),
  ],
  [
    'secret:interpolated',
    'without $ and the character after it',
    (text) => text.replaceAll(/\$./g, ''),
  ],
  [
    'secret:unescaped',
    'with its escapes expanded',
    (text) => text.replaceAll(/\\(.)/gs, (_, one: string) => ESCAPES[one] ?? one),
  ],
  ['secret:unescaped', 'with $$ as $', (text) => text.replaceAll('$$', () => '$')],
  ['secret:unescaped', 'with %% as %', (text) => text.replaceAll('%%', '%')],
  ['secret:unescaped', 'without backslashes', (text) => text.replaceAll('\\', '')],
  ['secret:comment', 'without # and what follows', (text) => text.replace(/\s*#.*/s, '')],
  ['secret:comment', 'without a comment after a space', (text) => text.replace(/\s+#.*/s, '')],
  ['secret:no-dashes', 'without its dashes', (text) => text.replaceAll('-', '')],
]

/** Returns the bytes of a UUID as .NET orders them. */
function guidBytes(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex')
  const little = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)]
  return Buffer.concat([...little.map((part) => part.toReversed()), bytes.subarray(8)])
}

/** Returns the keys that rewritten forms of a secret make. */
export function rewrittenSecret(
  secret: string,
  { leastKept, mostMissing }: ConfirmableParts,
): Variant<Buffer>[] {
  const isConfirmable = (kept: number) => kept >= leastKept && secret.length - kept <= mostMissing
  const texts = [
    ...rewritings.map(([cause, how, read]) => [cause, how, read(secret)] as const),
    ...omissions
      .map(([cause, how, read]) => [cause, how, read(secret)] as const)
      .filter(([, , { length }]) => isConfirmable(length)),
  ]
  const [hex = ''] = /^[0-9a-f]{32}$/i.exec(secret.replaceAll('-', '')) ?? []
  // Node decodes up to the first other character without an error.
  const start = Buffer.from(secret, 'hex')
  const decoded = [
    ...(hex === ''
      ? []
      : [["with the bytes of its UUID in .NET's order", guidBytes(hex)] as const]),
    ...(isConfirmable(2 * start.length)
      ? [['decoded from hexadecimal up to its first other character', start] as const]
      : []),
  ]
  return [
    ...texts.map(([cause, how, text]): Variant<Buffer> => [cause, 4, how, Buffer.from(text)]),
    ...utf16.map(([how, encode]): Variant<Buffer> => ['secret:utf-16', 4, how, encode(secret)]),
    ...decoded.map(([how, key]): Variant<Buffer> => ['secret:hex-decoded', 4, how, key]),
  ]
}
