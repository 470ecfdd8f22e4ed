/** Reads and replaces all sealed values, so that a new backend can encrypt them. */
import type { SealedSecret } from '../base/deps.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { truncateLog, withSecureDelete } from './commit-modes.ts'

/** Columns of sealed values: `backend` encrypted the bytes in `sealed`, `owner` names whose. */
const SEALED_COLUMNS = [
  { table: 'environments', owner: 'name', backend: 'key_backend', sealed: 'key_sealed' },
  { table: 'hooks', owner: 'id', backend: 'headers_backend', sealed: 'headers_sealed' },
  { table: 'hook_secrets', owner: 'hook_id', backend: 'backend', sealed: 'sealed' },
  { table: 'handlers', owner: 'name', backend: 'secret_backend', sealed: 'secret_sealed' },
  { table: 'sandbox_objects', owner: 'id', backend: 'secret_backend', sealed: 'secret_sealed' },
  { table: 'sandbox_objects', owner: 'id', backend: 'headers_backend', sealed: 'headers_sealed' },
] as const

export interface LocatedSeal extends SealedSecret {
  readonly column: (typeof SEALED_COLUMNS)[number]
  readonly rowid: number
  readonly owner: string
}

/** Reads values that another backend encrypted; all of them for an empty name. */
export function readForeignSeals(db: ReadableDb, backend: string): LocatedSeal[] {
  return SEALED_COLUMNS.flatMap((column) =>
    rowStatement<Omit<LocatedSeal, 'column'>>(
      db,
      `SELECT rowid AS rowid, ${column.owner} AS owner, ${column.backend} AS backend, ${column.sealed} AS sealed FROM ${column.table}
       WHERE ${column.backend} <> ? AND ${column.sealed} IS NOT NULL`,
    )
      .all(backend)
      .map((row) => ({ column, ...row })),
  )
}

/** Replaces unchanged values and overwrites the old bytes; returns how many. */
export function replaceSeals(
  db: WritableDb,
  changes: readonly { readonly from: LocatedSeal; readonly to: SealedSecret }[],
): number {
  const replaced = withSecureDelete(db, () => {
    let count = 0
    for (const { from, to } of changes) {
      const { table, backend, sealed } = from.column
      count += db
        .prepare(
          `UPDATE ${table} SET ${backend} = ?, ${sealed} = ? WHERE rowid = ? AND ${backend} = ? AND ${sealed} = ?`,
        )
        .run(to.backend, to.sealed, from.rowid, from.backend, from.sealed).changes
    }
    return count
  })
  truncateLog(db)
  return replaced
}
