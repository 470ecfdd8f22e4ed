/** Formats JSON with one field or item per line. Only whitespace between tokens changes; every other character stays as sent. */
import { scanJson } from './scan.ts'

/** Indentation stops growing here, so that a body nested a million levels deep stays readable. */
export const DEEPEST_INDENT = 40

/**
 * The formatted text; null if it isn't JSON. A leading byte order mark stays. `cut`: the beginning of a JSON text is formatted too.
 * `longest`: formatting stops after about this many characters, but the whole text is checked.
 */
export function formatJson(
  text: string,
  {
    cut = false,
    longest = Number.POSITIVE_INFINITY,
  }: { readonly cut?: boolean; readonly longest?: number } = {},
): string | null {
  const parts: string[] = []
  let length = 0
  let depth = 0
  /** The next token begins a line: after an opening bracket, unless it closes at once, and after a comma. */
  let startsLine = false

  const write = (start: number, end: number, before = '', after = '') => {
    if (length >= longest) return
    const part = before + text.slice(start, end) + after
    length += part.length
    parts.push(part)
  }
  const line = () => `\n${'  '.repeat(Math.min(depth, DEEPEST_INDENT))}`
  const token = (start: number, end: number) => {
    write(start, end, startsLine ? line() : '')
    startsLine = false
  }
  const { outcome } = scanJson(
    text,
    {
      mark: (start, end) => write(start, end, '', text[start] === ':' ? ' ' : ''),
      key: token,
      scalar: token,
      open(at) {
        token(at, at + 1)
        depth++
        startsLine = true
      },
      close(at) {
        depth--
        write(at, at + 1, startsLine ? '' : line())
        startsLine = false
      },
      comma(at) {
        write(at, at + 1)
        startsLine = true
      },
    },
    { byteOrderMark: true },
  )
  return outcome === 'json' || (cut && outcome === 'cut') ? parts.join('') : null
}

const isSpace = (text: string, at: number) => ' \t\r\n'.includes(text.charAt(at))

/** The position in the formatted text of a token that begins at `at` in the text. */
export function placeInFormatted(text: string, formatted: string, at: number): number {
  let place = 0
  for (let index = 0; index < at && place < formatted.length;) {
    if (text[index] === formatted[place]) {
      index++
      place++
    } else if (isSpace(text, index)) index++
    else place++
  }
  while (place < formatted.length && isSpace(formatted, place)) place++
  return place
}
