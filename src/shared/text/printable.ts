/** Texts of a sender, made safe to print. */
import { writtenJoiner } from './joiners.ts'

/** Characters that a terminal interprets or hides. */
const unprintable = new RegExp(
  String.raw`(?!${writtenJoiner})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]`,
  'gu',
)

/** Escapes what could move the cursor or hide a character. */
export function printableText(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/** Escapes all but line ends and tabs. */
export function printableLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, printableText)
}

/** Decodes bytes of a header value, if UTF-8. */
export function readableHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[^\0-\xff]/.test(value)) return value
  const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return value
  }
}
