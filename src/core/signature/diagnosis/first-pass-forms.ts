/** Forms in which a signer passes the first pass to the second, other than its Base64 text. */
import { variant, type Variant } from './mistake.ts'
import { printedBytes, printedObjects, printedTexts } from './printed-forms.ts'
import { utf16Encoders } from './utf16-encoders.ts'

type FirstPassForm = Variant<(first: Buffer) => Uint8Array | string>

const form = (
  name: string,
  rank: number,
  how: string,
  convert: FirstPassForm['value'],
): FirstPassForm => variant(`encoding:inner-${name}`, rank, how, convert)

export const base64 = (digest: Buffer) => digest.toString('base64')
export const hex = (digest: Buffer) => digest.toString('hex')
/** Separates the bytes of hexadecimal text: `fb-1f-9b`. */
const spacedHex = (digest: Buffer, separator: string) =>
  hex(digest).replaceAll(/..(?=.)/g, `$&${separator}`)

interface Wrapper {
  readonly how: string
  readonly wrap: (text: string) => string
}

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
    ['', '\n'].map((end): Wrapper => ({
      how: `as ${start}…${end && ' with a newline'}`,
      wrap: (text) => start + text + end,
    })),
  ),
  ...[' *stdin', '  -', '\r\n'].map((end): Wrapper => ({
    how: `with ${JSON.stringify(end)} after it`,
    wrap: (text) => text + end,
  })),
  ...printedTexts.map(({ how, print }): Wrapper => ({
    how: `printed ${how}`,
    wrap: (text) => print(text, Buffer.from(text)),
  })),
]

/** Forms by careless conversions, never combined. */
const carelessForms = [
  ...wrappers.flatMap(({ how, wrap }) => [
    form('wrapped', 5, `in Base64, ${how}`, (first) => wrap(base64(first))),
    form('wrapped', 5, `in hexadecimal, ${how}`, (first) => wrap(hex(first))),
    form('wrapped', 5, `in hexadecimal, ${how}, in Base64`, (first) =>
      base64(Buffer.from(wrap(hex(first)))),
    ),
  ]),
  ...printedBytes.map(({ how, print }) =>
    form('printed', 5, `as raw bytes, printed ${how}`, (first) => print(first.toString(), first)),
  ),
  ...printedObjects.map((text) => form('printed', 5, `printed as ${text}`, () => text)),
]

/** Forms; `how` completes "The second pass used the first …". */
export const firstPassForms: readonly FirstPassForm[] = [
  form('bytes', 1, 'as raw bytes instead of its Base64 text', (first) => first),
  form('hex', 1, 'in hexadecimal instead of Base64', hex),
  form(
    'newline',
    1,
    'in Base64 with a trailing newline, which some encoders add',
    (first) => `${base64(first)}\n`,
  ),
  form('base64url', 2, 'in URL-safe Base64', (first) => first.toString('base64url')),
  form('base64url', 3, 'in URL-safe Base64 with padding', (first) =>
    base64(first).replaceAll('+', '-').replaceAll('/', '_'),
  ),
  form('no-padding', 2, 'in Base64 without padding', (first) => base64(first).replaceAll('=', '')),
  form('upper-hex', 2, 'in uppercase hexadecimal instead of Base64', (first) =>
    hex(first).toUpperCase(),
  ),
  form('python-bytes', 2, "as Python prints bytes (b'…')", (first) => `b'${base64(first)}'`),
  form(
    'python-bytes',
    3,
    String.raw`as Python prints bytes (b'…\n')`,
    (first) => String.raw`b'${base64(first)}\n'`,
  ),
  form(
    'python-bytes',
    3,
    "as Python prints bytes of hexadecimal (b'…')",
    (first) => `b'${hex(first)}'`,
  ),
  ...(['-', ':', ' '] as const).flatMap((separator) => [
    form(
      'spaced-hex',
      separator === '-' ? 2 : 3,
      `in uppercase hexadecimal with "${separator}" between the bytes`,
      (first) => spacedHex(first, separator).toUpperCase(),
    ),
    form('spaced-hex', 3, `in hexadecimal with "${separator}" between the bytes`, (first) =>
      spacedHex(first, separator),
    ),
  ]),
  form('spaced-hex', 3, 'in hexadecimal with 0x', (first) => `0x${hex(first)}`),
  form('decoded', 3, 'read as text in UTF-8', (first) => first.toString('utf8')),
  form('decoded', 3, 'read as text in Latin-1', (first) => first.toString('latin1')),
  ...utf16Encoders.map(({ how, encode }, index) =>
    form('utf-16', index === 0 ? 4 : 5, `in Base64 ${how}`, (first) => encode(base64(first))),
  ),
  ...carelessForms,
]
