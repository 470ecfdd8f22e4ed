/** Bodies in other encodings, and with other line ends and marks. */
import type { Variant as AnyVariant } from './mismatch.ts'
import { utf16Encoders } from './utf16.ts'

type Variant = AnyVariant<Uint8Array | string>

const NON_ASCII = /[^\0-\u007f]/gu
const ASCII_ONLY = /^[\0-\u007f]*$/
/** Bytes beyond ASCII in a text with one character per byte. */
const HIGH_BYTE = /[\u0080-\u00ff]/g

/** Returns conversions of characters beyond ASCII. */
function nonAsciiVariants(bytes: Buffer, text: string): Variant[] {
  if (ASCII_ONLY.test(text)) return []
  const latin1 = bytes.toString('latin1')
  const windows = new TextDecoder('windows-1252').decode(bytes)
  return [
    ['body:latin1', 1, 'in Latin-1 instead of UTF-8', Buffer.from(text, 'latin1')],
    [
      'body:latin1',
      3,
      'in Latin-1, with ? for other characters',
      Buffer.from(text.replaceAll(/[^\0-\u00ff]/gu, '?'), 'latin1'),
    ],
    ['body:decoded-twice', 1, 'decoded as Latin-1 and encoded as UTF-8 again', latin1],
    ['body:decoded-twice', 3, 'decoded as Windows-1252 and encoded as UTF-8 again', windows],
    ['body:replaced', 2, 'with invalid UTF-8 replaced', text],
    ['body:replaced', 2, 'with ? for each character beyond ASCII', text.replaceAll(NON_ASCII, '?')],
    [
      'body:replaced',
      3,
      'with ?? for each emoji and ? for others beyond ASCII',
      text.replaceAll(/[^\0-\u007f]/g, '?'),
    ],
    [
      'body:replaced',
      3,
      'with U+FFFD for each byte beyond ASCII',
      latin1.replaceAll(HIGH_BYTE, '\ufffd'),
    ],
    ['body:replaced', 3, 'with ? for each byte beyond ASCII', latin1.replaceAll(HIGH_BYTE, '?')],
    ['body:ascii', 3, 'without characters beyond ASCII', text.replaceAll(NON_ASCII, '')],
    ['body:ascii', 3, "with seven bits of each byte, like Node's ASCII", bytes.toString('ascii')],
    ['body:ascii', 4, 'without accents', text.normalize('NFKD').replaceAll(NON_ASCII, '')],
    ['body:normalised', 3, 'with composed characters (NFC)', text.normalize('NFC')],
    ['body:normalised', 3, 'with decomposed characters (NFD)', text.normalize('NFD')],
  ]
}

/** Returns a body in other encodings, line ends and marks. */
export function recodedBodies(bytes: Buffer, text: string): Variant[] {
  const isMarked = text.startsWith('\ufeff')
  return [
    ['body:trimmed', 1, 'without surrounding whitespace', text.trim()],
    ['body:newline', 1, 'with a trailing newline', Buffer.concat([bytes, Buffer.from('\n')])],
    ['body:newline', 3, 'with a trailing CR LF', Buffer.concat([bytes, Buffer.from('\r\n')])],
    ['body:line-ends', 1, 'with LF instead of CR LF', text.replaceAll('\r\n', '\n')],
    ['body:line-ends', 1, 'with CR LF instead of LF', text.replaceAll(/\r?\n/g, '\r\n')],
    ['body:line-ends', 3, 'without line breaks', text.replaceAll(/\r?\n/g, '')],
    isMarked
      ? ['body:byte-order-mark', 1, 'without its byte order mark', text.slice(1)]
      : ['body:byte-order-mark', 2, 'with a byte order mark', `\ufeff${text}`],
    ...nonAsciiVariants(bytes, text),
    ...utf16Encoders.map(([how, encode], index): Variant => [
      'body:utf-16',
      index === 0 ? 3 : 4,
      how,
      encode(text),
    ]),
  ]
}
