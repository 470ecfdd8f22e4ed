/** Texts with `*` for any characters. */
import type { Pattern } from './query.ts'

/** Splits a text at its stars. */
export function patternOf(text: string): Pattern {
  return text.split('*')
}

/** Latin letters in lower case, as in SQLite's LIKE; all other characters unchanged. */
export function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether the whole text matches: from left to right, each part as early as possible, so that no pattern is slow. */
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
