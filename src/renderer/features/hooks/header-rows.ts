/** Headers as editable rows. Rows allow duplicate names while editing. */

export interface HookHeaderRow {
  readonly key: number
  readonly name: string
  readonly value: string
}

export function rowsOfHeaders(headers: Readonly<Record<string, string>>): readonly HookHeaderRow[] {
  return Object.entries(headers).map(([name, value], key) => ({ key, name, value }))
}

export function withEmptyRow(rows: readonly HookHeaderRow[]): readonly HookHeaderRow[] {
  return [
    ...rows,
    { key: rows.reduce((highest, row) => Math.max(highest, row.key + 1), 0), name: '', value: '' },
  ]
}

/** Converts rows to headers. Skips rows with neither name nor value. */
export function headersOfRows(rows: readonly HookHeaderRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.filter((row) => row.name !== '' || row.value !== '').map((row) => [row.name, row.value]),
  )
}

/** Names used in more than one row, case-insensitive. An object holds each name only once. */
export function repeatedNames(rows: readonly HookHeaderRow[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { name } of rows) {
    const folded = name.toLowerCase()
    if (folded !== '' && seen.has(folded)) repeated.add(folded)
    seen.add(folded)
  }
  return repeated
}
