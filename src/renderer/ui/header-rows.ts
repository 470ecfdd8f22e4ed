export interface HeaderRow {
  readonly key: number
  readonly name: string
  readonly value: string
}

export function rowsOfHeaders(headers: Readonly<Record<string, string>>): readonly HeaderRow[] {
  return Object.entries(headers).map(([name, value], key) => ({ key, name, value }))
}

export function withEmptyRow(rows: readonly HeaderRow[]): readonly HeaderRow[] {
  return [...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: '', value: '' }]
}

/** Returns the headers of rows, without rows that have neither name nor value. */
export function headersOfRows(rows: readonly HeaderRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.filter((row) => row.name !== '' || row.value !== '').map((row) => [row.name, row.value]),
  )
}

/** Returns the names, as typed, that repeat an earlier row's name, ignoring case. */
export function repeatedNames(rows: readonly HeaderRow[]): readonly string[] {
  const names = rows.map(({ name }) => name.toLowerCase())
  return rows
    .map(({ name }) => name)
    .filter((name, at) => name !== '' && names.indexOf(name.toLowerCase()) < at)
}
