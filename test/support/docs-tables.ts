/** Compares tables in the docs with the code. `npx vitest run FILE -u` rewrites the tables. */
import { format, resolveConfig } from 'prettier'
import { expect } from 'vitest'

/** The rows of a table's body, each a list of cells in Markdown. */
export type TableRows = readonly (readonly string[])[]

/** Replaces the text between `<!-- mark -->` and `<!-- /mark -->`. */
export function withPart(page: string, mark: string, replace: (part: string) => string): string {
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const [before, rest] = page.split(start)
  const [part, after] = rest?.split(end) ?? []
  if (before === undefined || part === undefined || after === undefined)
    throw new Error(`No part "${mark}" in the page`)
  return `${before}${start}\n\n${replace(part)}\n\n${end}${after}`
}

/** Replaces the body of a marked table and keeps its header. */
function withTable(page: string, mark: string, rows: TableRows): string {
  return withPart(page, mark, (table) => {
    const head = table
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(0, 2)
    const body = rows.map(
      (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
    )
    return [...head, ...body].join('\n')
  })
}

/** Expects the file to contain `text`, formatted with Prettier. */
export async function expectPage(path: string, text: string): Promise<void> {
  const options = await resolveConfig(path)
  await expect(await format(text, { ...options, parser: 'markdown' })).toMatchFileSnapshot(path)
}

/** The page with these rows in its marked tables. */
export function withTables(page: string, tables: Readonly<Record<string, TableRows>>): string {
  return Object.entries(tables).reduce((text, [mark, rows]) => withTable(text, mark, rows), page)
}
