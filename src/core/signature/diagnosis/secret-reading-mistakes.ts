/** Keys that programs make of the right secret when they copy, decode or cut it. */
import { isUtf8 } from 'node:buffer'
import { variant, type Variant } from './mistake.ts'
import type { ConfirmableLengths } from './secret-rewriting-mistakes.ts'

/** Whitespace that is often copied together with a secret. */
const copiedSpaces = {
  'a space': ' ',
  'a tab': '\t',
  'a no-break space (U+00A0)': '\u00a0',
  'a narrow no-break space (U+202F)': '\u202f',
  'an ideographic space (U+3000)': '\u3000',
}
const copiedNewlines = {
  'a newline': '\n',
  'a CR LF': '\r\n',
  'a carriage return': '\r',
  'two newlines': '\n\n',
  'the two characters \\n': String.raw`\n`,
}
const copiedInvisibles = {
  'a byte order mark (U+FEFF)': '\ufeff',
  'a zero-width space (U+200B)': '\u200b',
  'a zero-width non-joiner (U+200C)': '\u200c',
  'a zero-width joiner (U+200D)': '\u200d',
  'a word joiner (U+2060)': '\u2060',
  'a left-to-right mark (U+200E)': '\u200e',
  'a right-to-left mark (U+200F)': '\u200f',
  'a soft hyphen (U+00AD)': '\u00ad',
  'a zero byte': '\0',
}

const quotes = ['""', "''", '``', '\u201c\u201d', '\u2018\u2019', '\u00ab\u00bb']

const delimiters = [';', ',', '=', ':', '.', '&', '|', '#', '$', '-', ')', '>', '}', ']', '\\']

/** Characters that `String.trim` keeps. */
const INVISIBLE = /[\p{Cf}\0]/gu

function decoratedSecrets(secret: string): Variant<string>[] {
  const withCopied = (cause: string, characters: Readonly<Record<string, string>>) =>
    Object.entries(characters).flatMap(([name, text]) => {
      const rank = text === '\n' ? 1 : text === '\r\n' ? 2 : text === ' ' ? 3 : 4
      return [
        variant(cause, rank, `with ${name} at the end`, secret + text),
        variant(cause, text === ' ' ? 3 : 4, `with ${name} at the start`, text + secret),
        variant(cause, 4, `with ${name} at both ends`, text + secret + text),
      ]
    })
  const quoted = quotes.flatMap(([opening = '', closing = ''], index) => [
    variant('secret:quoted', index < 2 ? index + 1 : 4, 'in quotes', opening + secret + closing),
    variant('secret:quoted', 4, 'with a quote at the start', opening + secret),
    variant('secret:quoted', 4, 'with a quote at the end', secret + closing),
  ])
  const bare = secret.replaceAll(INVISIBLE, '').trim()
  const delimited = delimiters.flatMap((text, index) => [
    variant('secret:delimiter', index < 2 ? 3 : 4, `with ${text} at the end`, secret + text),
    variant('secret:delimiter', 4, `with ${text} at the start`, text + secret),
  ])
  return [
    ...withCopied('secret:space', copiedSpaces),
    ...withCopied('secret:newline', copiedNewlines),
    ...withCopied('secret:invisible', copiedInvisibles),
    ...quoted,
    ...delimited,
    variant('secret:trimmed', 1, 'without surrounding whitespace', secret.trim()),
    variant('secret:trimmed', 4, 'without leading whitespace', secret.trimStart()),
    variant('secret:trimmed', 4, 'without trailing whitespace', secret.trimEnd()),
    variant('secret:trimmed', 4, 'without invisible characters', secret.replaceAll(INVISIBLE, '')),
    variant('secret:trimmed', 4, 'without whitespace and invisible characters', bare),
    variant('secret:unquoted', 3, 'without its quotes', bare.replace(/^(["'`])(.*)\1$/s, '$2')),
  ]
}

/** Prefix of a secret: `whsec_`, `sk_live_`. */
const SECRET_PREFIX = /^[a-z]{2,10}_(?:test_|live_)?/i

/** Returns the keys that other programs read from a secret. */
export function misreadKeys(
  bytes: Buffer,
  lengths: ConfirmableLengths,
  maxRank = Infinity,
): Variant<Buffer>[] {
  if (!isUtf8(bytes)) return []
  const secret = bytes.toString('utf8')
  const unprefixed = secret.replace(SECRET_PREFIX, '')
  const withoutPrefix = unprefixed.trim().length < lengths.minKept ? secret : unprefixed
  const bare = withoutPrefix.replaceAll('-', '')
  const isHex = bare.length > 0 && bare.length % 2 === 0 && /^[0-9a-f]+$/i.test(bare)
  return [
    ...decoratedSecrets(secret)
      .filter(({ rank }) => rank <= maxRank)
      .map((decorated) => ({ ...decorated, value: Buffer.from(decorated.value) })),
    ...fromBase64('secret:base64-decoded', 'decoded from Base64', secret),
    variant('secret:no-prefix', 1, 'without its prefix', Buffer.from(withoutPrefix)),
    ...fromBase64(
      'secret:no-prefix-decoded',
      'without its prefix, decoded from Base64',
      withoutPrefix,
    ),
    ...(isHex
      ? [variant('secret:hex-decoded', 1, 'decoded from hexadecimal', Buffer.from(bare, 'hex'))]
      : []),
    variant(
      'secret:base64-encoded',
      3,
      'encoded in Base64',
      Buffer.from(Buffer.from(secret).toString('base64')),
    ),
    variant(
      'secret:hex-encoded',
      4,
      'encoded in hexadecimal',
      Buffer.from(Buffer.from(secret).toString('hex')),
    ),
    ...cutKeys(secret, lengths),
    variant('secret:lower-case', 5, 'in lowercase', Buffer.from(secret.toLowerCase())),
    variant('secret:upper-case', 5, 'in uppercase', Buffer.from(secret.toUpperCase())),
  ]
}

/** Decodes a text that is Base64 throughout; other texts are skipped, because decoders differ. */
function fromBase64(cause: string, how: string, text: string): Variant<Buffer>[] {
  const isWhole =
    /^[\w+/\s-]*(?:={1,2}\s*)?$/.test(text) && text.replaceAll(/[\s=]/g, '').length % 4 !== 1
  return isWhole ? [variant(cause, 1, how, Buffer.from(text, 'base64'))] : []
}

function cutKeys(secret: string, { minKept, maxMissing }: ConfirmableLengths): Variant<Buffer>[] {
  const { length } = secret
  const cut = (rank: number, how: string, ...range: [start: number, end?: number]) =>
    variant('secret:cut', rank, how, Buffer.from(secret.slice(...range)))
  const counts = [1, 2, 3, 4].filter((count) => length - count >= minKept)
  const starts = [16, 24, 32, 64].filter((kept) => kept < length && length - kept <= maxMissing)
  return [
    ...counts.flatMap((count) => {
      const rank = count === 1 ? 2 : 4
      const characters = count === 1 ? 'character' : `${count} characters`
      return [
        cut(rank, `without its last ${characters}`, 0, -count),
        cut(rank, `without its first ${characters}`, count),
      ]
    }),
    ...starts.map((kept) => cut(4, `cut to its first ${kept} characters`, 0, kept)),
  ]
}
