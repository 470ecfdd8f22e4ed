/** Texts with * for any characters. */

/** Text split at its stars. */
export type Pattern = readonly string[]

export function patternOf(text: string): Pattern {
  return text.split('*')
}

/** Lower-cases Latin letters, as SQLite's LIKE does. */
export function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether the whole text matches; linear, because each part is taken as early as possible. */
export function fitsPattern(pattern: Pattern, text: string): boolean {
  const [first = '', ...rest] = pattern
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}
