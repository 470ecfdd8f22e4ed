/** Tables whose rows are objects of the core; the column of `createdAt` is `created_at`. */
import type { Database } from 'better-sqlite3'
import type { SealedSecret } from '../base/deps.ts'
import { rowStatement } from './statements.ts'
import { type ColumnName, jsonOf, type JsonName, columnChecks, valueOf, readRows } from './rows.ts'

export const columnOf = (field: string) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const fieldOf = (column: string) =>
  column.replaceAll(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase())

/** Returns columns for a SELECT from a table's alias. */
export const columnsFor = (from: string, fields: readonly string[]): string =>
  fields.map((field) => `${from}.${columnOf(field)} AS ${field}`).join(', ')

/** Column of a field, or the prefix of its columns if it is sealed. */
interface FieldColumn {
  readonly form: 'plain' | 'json' | 'flag' | 'sealed'
  readonly column: string
}
type StoredRow = Readonly<Record<string, string | number | Uint8Array | null>>

const NOT_SEALED = { backend: null, sealed: null }

/**
 * Creates the functions that store and read a table's rows.
 * @param fields - those that aren't in a plain column of their name
 */
export function tableOf<Row extends object>(
  table: string,
  key: string,
  fields: Partial<Record<keyof Row & string, FieldColumn>>,
) {
  const fieldColumns = Object.entries(fields) as (readonly [string, FieldColumn])[]
  const namedColumns = new Set([
    'seq',
    ...fieldColumns.flatMap(([, { form, column }]) =>
      form === 'sealed' ? [`${column}_backend`, `${column}_sealed`] : [column],
    ),
  ])

  function valueIn(stored: StoredRow, { form, column }: FieldColumn): unknown {
    const name = `${table}.${column}` as ColumnName
    const value = stored[column] as string | number | null
    if (form === 'flag') return value === 1
    if (form === 'json') return jsonOf(name as JsonName, value as string)
    if (form === 'plain') return name in columnChecks ? valueOf(name, value) : value
    const [backend, sealed] = [stored[`${column}_backend`], stored[`${column}_sealed`]]
    return backend === null || sealed === null ? null : { backend, sealed }
  }

  function read(stored: StoredRow): Row {
    const rest = Object.keys(stored)
      .filter((column) => !namedColumns.has(column))
      .map((column) => [fieldOf(column), { form: 'plain', column }] as const)
    return Object.fromEntries(
      [...rest, ...fieldColumns].map(([field, column]) => [field, valueIn(stored, column)]),
    ) as Row
  }

  function columnsIn(row: Row): (readonly [column: string, value: unknown])[] {
    return Object.entries(row).flatMap(([field, value]) => {
      const { form, column } = fields[field as keyof Row & string] ?? {
        form: 'plain',
        column: columnOf(field),
      }
      if (form === 'flag') return [[column, Number(value)] as const]
      if (form === 'json') return [[column, JSON.stringify(value)] as const]
      if (form === 'plain') return [[column, value] as const]
      const { backend, sealed } = (value as SealedSecret | null) ?? NOT_SEALED
      return [[`${column}_backend`, backend] as const, [`${column}_sealed`, sealed] as const]
    })
  }

  return {
    put(db: Database, row: Row): void {
      const stored = columnsIn(row)
      const columns = stored.map(([column]) => column)
      db.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
         ON CONFLICT (${key}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
      ).run(stored.map(([, value]) => value))
    },
    /**
     * Lists readable rows.
     * @param rest - condition and order, in SQL
     */
    list: (db: Database, rest: string): Row[] =>
      readRows(rowStatement<StoredRow>(db, `SELECT * FROM ${table} ${rest}`).all(), read),
  }
}
