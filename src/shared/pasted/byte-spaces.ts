/** Typographic spaces and quotes in byte texts: what chats, wikis and mails insert. */

/**
 * In UTF-8: U+00A0 (\xc2\xa0), U+2000 to U+200F and U+202F (\xe2\x80…), U+2060 (\xe2\x81\xa0),
 * U+3000 (\xe3\x80\x80) and the byte order mark (\xef\xbb\xbf).
 */
const SPACE = /[ \t\r]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf]|\xe2\x81\xa0|\xe3\x80\x80|\xef\xbb\xbf/
const LEADING_SPACES = new RegExp(`(?:${SPACE.source})+`, 'y')
const LAST_SPACE = new RegExp(`(?:${SPACE.source})$`)
const LONGEST_SPACE = 3

/** Trims in one pass, so that no part is searched again. */
export function trimSpaces(text: string): string {
  LEADING_SPACES.lastIndex = 0
  const start = LEADING_SPACES.exec(text)?.[0].length ?? 0
  let end = text.length
  for (;;) {
    const space = LAST_SPACE.exec(text.slice(Math.max(start, end - LONGEST_SPACE), end))
    if (space === null) return text.slice(start, end)
    end -= space[0].length
  }
}

/** Replaces typographic double quotes by plain ones. */
export function withPlainQuotes(text: string): string {
  return text.replaceAll(/\xe2\x80[\x9c\x9d\x9e]/g, '"')
}
