/** Tables of Markdown summaries. */
import { inCode } from '../../shared/text/delivery-markdown.ts'

/** Formats inline code for a cell, which a `|` would end; `prose` escapes it already. */
export function codeInCell(text: string): string {
  return inCode(text).replaceAll('|', String.raw`\|`)
}

/** Returns the lines of a table after an empty one; none without rows. */
export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return ['', line(titles), line(titles.map(() => '---')), ...rows.map(line)]
}
