/** Generates parts of the docs from the code. `npx vitest run FILE -u` rewrites them. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { format } from 'oxfmt'
import { expect } from 'vitest'
import { layout } from '../../oxfmt.config.ts'
import { GENERATED_MARK } from '../../scripts/lib/generated-docs.ts'

/** Rows of a table's body, each a list of cells in Markdown. */
export type TableRows = readonly (readonly string[])[]

export const code = (text: string): string => `\`${text}\``

export function table(head: readonly string[], rows: TableRows): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [head, head.map(() => '---'), ...rows].map(line).join('\n')
}

export function withPart(page: string, mark: string, part: string): string {
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const [before, rest] = page.split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`No part "${mark}" in the page`)
  return `${before}${start}\n\n${part}\n\n${end}${after}`
}

export async function expectPage(path: string, text: string): Promise<void> {
  const formatted = await format(path, text, layout)
  expect(formatted.errors).toEqual([])
  await expect(formatted.code).toMatchFileSnapshot(path)
}

/** Expects the generated parts of a page, by their marks. */
export async function expectParts(
  page: string,
  parts: Readonly<Record<string, string>>,
): Promise<void> {
  const written = readFileSync(page, 'utf8')
  await expectPage(
    resolve(page),
    Object.entries(parts).reduce((text, [mark, part]) => withPart(text, mark, part), written),
  )
}

export async function expectGenerated(path: string, parts: readonly string[]): Promise<void> {
  const [beginning = ''] = readFileSync(path, 'utf8').split(GENERATED_MARK)
  await expectPage(resolve(path), [beginning.trim(), GENERATED_MARK, ...parts].join('\n\n'))
}
