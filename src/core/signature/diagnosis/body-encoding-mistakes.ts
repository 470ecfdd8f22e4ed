/** Bodies in other encodings, and with other line ends and marks. */
import { variant, type Variant } from './mistake.ts'
import { utf16Encoders } from './utf16-encoders.ts'

type BodyVariant = Variant<Uint8Array | string>

const NON_ASCII = /[^\0-\u007f]/gu
const ASCII_ONLY = /^[\0-\u007f]*$/
/** Bytes beyond ASCII in a text with one character per byte. */
const HIGH_BYTE = /[\u0080-\u00ff]/g

function nonAsciiVariants(bytes: Buffer, text: string): BodyVariant[] {
  if (ASCII_ONLY.test(text)) return []
  const latin1 = bytes.toString('latin1')
  const windows = new TextDecoder('windows-1252').decode(bytes)
  return [
    variant('body:latin1', 1, 'in Latin-1 instead of UTF-8', Buffer.from(text, 'latin1')),
    variant(
      'body:latin1',
      3,
      'in Latin-1, with ? for other characters',
      Buffer.from(text.replaceAll(/[^\0-\u00ff]/gu, '?'), 'latin1'),
    ),
    variant('body:decoded-twice', 1, 'decoded as Latin-1 and encoded as UTF-8 again', latin1),
    variant('body:decoded-twice', 3, 'decoded as Windows-1252 and encoded as UTF-8 again', windows),
    variant('body:replaced', 2, 'with invalid UTF-8 replaced', text),
    variant(
      'body:replaced',
      2,
      'with ? for each character beyond ASCII',
      text.replaceAll(NON_ASCII, '?'),
    ),
    variant(
      'body:replaced',
      3,
      'with ?? for each emoji and ? for others beyond ASCII',
      text.replaceAll(/[^\0-\u007f]/g, '?'),
    ),
    variant(
      'body:replaced',
      3,
      'with U+FFFD for each byte beyond ASCII',
      latin1.replaceAll(HIGH_BYTE, '\ufffd'),
    ),
    variant(
      'body:replaced',
      3,
      'with ? for each byte beyond ASCII',
      latin1.replaceAll(HIGH_BYTE, '?'),
    ),
    variant('body:ascii', 3, 'without characters beyond ASCII', text.replaceAll(NON_ASCII, '')),
    variant(
      'body:ascii',
      3,
      "with seven bits of each byte, like Node's ASCII",
      bytes.toString('ascii'),
    ),
    variant('body:ascii', 4, 'without accents', text.normalize('NFKD').replaceAll(NON_ASCII, '')),
    variant('body:normalised', 3, 'with composed characters (NFC)', text.normalize('NFC')),
    variant('body:normalised', 3, 'with decomposed characters (NFD)', text.normalize('NFD')),
  ]
}

export function recodedBodies(bytes: Buffer, text: string): BodyVariant[] {
  const isMarked = text.startsWith('\ufeff')
  return [
    variant('body:trimmed', 1, 'without surrounding whitespace', text.trim()),
    variant(
      'body:newline',
      1,
      'with a trailing newline',
      Buffer.concat([bytes, Buffer.from('\n')]),
    ),
    variant(
      'body:newline',
      3,
      'with a trailing CR LF',
      Buffer.concat([bytes, Buffer.from('\r\n')]),
    ),
    variant('body:line-ends', 1, 'with LF instead of CR LF', text.replaceAll('\r\n', '\n')),
    variant('body:line-ends', 1, 'with CR LF instead of LF', text.replaceAll(/\r?\n/g, '\r\n')),
    variant('body:line-ends', 3, 'without line breaks', text.replaceAll(/\r?\n/g, '')),
    isMarked
      ? variant('body:byte-order-mark', 1, 'without its byte order mark', text.slice(1))
      : variant('body:byte-order-mark', 2, 'with a byte order mark', `\ufeff${text}`),
    ...nonAsciiVariants(bytes, text),
    ...utf16Encoders.map(({ how, encode }, index) =>
      variant('body:utf-16', index === 0 ? 3 : 4, how, encode(text)),
    ),
  ]
}
