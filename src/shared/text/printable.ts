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
