/** Lays out a JSON text in rows. Only whitespace between tokens changes; every other character stays exactly as sent. */
import { scanJson } from '../../../shared/json/scan.ts'
import { jsonRowText } from './row-tokens.ts'
import { createRowCollector, type RowTokens, type TextRows } from './text-rows.ts'

export type JsonLayout =
  | { readonly outcome: 'json'; readonly rows: TextRows }
  /** The beginning of a JSON text: the rest wasn't loaded or wasn't sent. */
  | { readonly outcome: 'cut'; readonly rows: TextRows }
  /** The beginning of a JSON text: the rest wasn't loaded or wasn't sent. */
  | { readonly outcome: 'not-json'; readonly at: number }

const noTokens = (): RowTokens => ({
  keyStart: -1,
  keyEnd: -1,
  valueStart: -1,
  valueEnd: -1,
  valueIsString: false,
})

/** Lays out `text` in rows of at most `columns` characters. A leading byte order mark is kept and shown. */
export function layOutJson(text: string, columns: number): JsonLayout {
  const collector = createRowCollector(text, columns)
  let depth = 0
  let rowStart = -1
  let rowEnd = 0
  let rowDepth = 0
  let tokens = noTokens()
  /** A container was just opened: if it is empty, it closes on the same row. */
  let justOpened = false

  const take = (start: number, end: number) => {
    if (rowStart === -1) {
      rowStart = start
      rowDepth = depth
    }
    rowEnd = Math.min(end, text.length)
  }
  const endRow = () => {
    if (rowStart === -1) return
    collector.add(rowStart, rowEnd, rowDepth, tokens)
    rowStart = -1
    tokens = noTokens()
  }
  const beginMember = () => {
    if (justOpened) endRow()
    justOpened = false
  }

  const scanned = scanJson(
    text,
    {
      mark: take,
      key(start, end) {
        beginMember()
        take(start, end)
        tokens.keyStart = start
        tokens.keyEnd = end
      },
      scalar(start, end, isString) {
        beginMember()
        tokens.valueStart = start
        tokens.valueEnd = end
        tokens.valueIsString = isString
        take(start, end)
      },
      open(at) {
        beginMember()
        take(at, at + 1)
        depth++
        justOpened = true
      },
      close(at) {
        if (!justOpened) endRow()
        justOpened = false
        depth--
        take(at, at + 1)
      },
      comma(at) {
        take(at, at + 1)
        endRow()
      },
    },
    { byteOrderMark: true },
  )
  if (scanned.outcome === 'not-json') return scanned
  endRow()
  return { outcome: scanned.outcome, rows: collector.finish() }
}

/** The formatted JSON for copying; null if the text isn't JSON. Every token is as sent. */
export function formatJson(text: string): string | null {
  const layout = layOutJson(text, Number.POSITIVE_INFINITY)
  if (layout.outcome !== 'json') return null
  const lines: string[] = []
  for (let index = 0; index < layout.rows.count; index++)
    lines.push(jsonRowText(text, layout.rows, index))
  return lines.join('\n')
}
