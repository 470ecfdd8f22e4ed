/** Where a text that began as JSON stops being JSON, as an editor tells a place. */

export interface JsonStop {
  /** Index of the first character that does not fit; the length of the text where it ends too early. */
  readonly at: number
  readonly line: number
  /** Counted in characters, from 1. */
  readonly column: number
  /** Null at the end of the text. */
  readonly character: string | null
}

const blank = /^[\ufeff \t\r\n]*$/

/** Null where nothing stands before `at`: the text does not begin as JSON at all. */
export function jsonStop(text: string, at: number): JsonStop | null {
  if (blank.test(text.slice(0, at))) return null
  let line = 1
  let lineStart = 0
  for (let newline = text.indexOf('\n'); newline !== -1 && newline < at; newline = text.indexOf('\n', lineStart)) {
    line++
    lineStart = newline + 1
  }
  const code = text.codePointAt(at)
  return {
    at,
    line,
    column: charactersIn(text, lineStart, at) + 1,
    character: code === undefined ? null : String.fromCodePoint(code),
  }
}

/** A surrogate pair is one; a line may have millions, so nothing is copied. */
function charactersIn(text: string, from: number, to: number): number {
  let count = 0
  for (let index = from; index < to; count++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  return count
}
