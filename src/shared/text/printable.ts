/**
 * Makes stored text safe to print. Everything that a terminal interprets (control characters, direction marks, invisible
 * characters, line separators) is escaped, as `\u001b`, so that no payload can move the cursor, set a title or hide a character.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** The text with everything unprintable escaped; letters of every script stay unchanged. */
export function printableText(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/** The same for text of several lines: line ends and tabs stay. */
export function printableLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, printableText)
}

/**
 * A header value for reading. HTTP has bytes only, stored one per character: if they are UTF-8 and not ASCII, this is their text;
 * otherwise the value as stored.
 */
export function readableHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[^\0-\xff]/.test(value)) return value
  const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return value
  }
}
