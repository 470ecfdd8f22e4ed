/** JSON formatter: one field or item per line. Only whitespace changes. */
import { scanJson } from './scan.ts'

/** Depth at which indentation stops growing, to stay readable. */
export const DEEPEST_INDENT = 40

/**
 * Formats a text; null if it isn't JSON.
 * @param cut accepts the beginning of a JSON text
 * @param longest characters to format; the whole text is checked
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
  /** True after a comma, or an opening bracket that doesn't close at once. */
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

/** Returns the position of a token in the formatted text. */
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
