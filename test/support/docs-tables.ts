/** Compares tables in the docs with the code. `npx vitest run FILE -u` rewrites the tables. */
import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { expect } from 'vitest'

/** The rows of a table's body, each a list of cells in Markdown. */
export type TableRows = readonly (readonly string[])[]

/** Replaces the body of the table between `<!-- mark -->` and `<!-- /mark -->`; its head stays. */
function withTable(page: string, mark: string, rows: TableRows): string {
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const [before, rest] = page.split(start)
  const [table, after] = rest?.split(end) ?? []
  if (before === undefined || table === undefined || after === undefined) throw new Error(`No table "${mark}" in the page`)
  const head = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(0, 2)
  const body = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  return `${before}${start}\n\n${[...head, ...body].join('\n')}\n\n${end}${after}`
}

/** Expects the file to be `text`, formatted as the repository is. */
export async function expectPage(path: string, text: string): Promise<void> {
  const options = await resolveConfig(path)
  await expect(await format(text, { ...options, parser: 'markdown' })).toMatchFileSnapshot(path)
}

/** Expects the tables of a page, by their marks, to have exactly these rows. */
export async function expectTables(path: string, tables: Readonly<Record<string, TableRows>>): Promise<void> {
  const page = Object.entries(tables).reduce((text, [mark, rows]) => withTable(text, mark, rows), readFileSync(path, 'utf8'))
  await expectPage(path, page)
}
