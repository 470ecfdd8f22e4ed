/** Every sealed value by its place, so that another backend's values can be sealed again. */
import type { SealedSecret } from '../base/deps.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { truncateLog, withSecureDelete } from './commit-modes.ts'

/** Tables with their columns for the backend and the bytes. */
const places = [
  ['environments', 'key_backend', 'key_sealed'],
  ['hooks', 'headers_backend', 'headers_sealed'],
  ['hook_secrets', 'backend', 'sealed'],
  ['handlers', 'secret_backend', 'secret_sealed'],
  ['sandbox_objects', 'secret_backend', 'secret_sealed'],
  ['sandbox_objects', 'headers_backend', 'headers_sealed'],
] as const

interface PlacedSeal extends SealedSecret {
  /** Index in `places`. */
  readonly place: number
  readonly rowid: number
}

/** Reads values that another backend encrypted. */
export function readForeignSeals(db: ReadableDb, backend: string): PlacedSeal[] {
  return places.flatMap(([table, name, sealed], place) =>
    rowStatement<Omit<PlacedSeal, 'place'>>(
      db,
      `SELECT rowid AS rowid, ${name} AS backend, ${sealed} AS sealed FROM ${table} WHERE ${name} <> ? AND ${sealed} IS NOT NULL`,
    )
      .all(backend)
      .map((row) => ({ place, ...row })),
  )
}

/** Replaces unchanged values and overwrites the old bytes; returns how many. */
export function replaceSeals(
  db: WritableDb,
  changes: readonly { readonly from: PlacedSeal; readonly to: SealedSecret }[],
): number {
  const replaced = withSecureDelete(db, () => {
    let count = 0
    for (const { from, to } of changes) {
      const place = places[from.place]
      if (place === undefined) continue
      const [table, name, sealed] = place
      count += db
        .prepare(
          `UPDATE ${table} SET ${name} = ?, ${sealed} = ? WHERE rowid = ? AND ${name} = ? AND ${sealed} = ?`,
        )
        .run(to.backend, to.sealed, from.rowid, from.backend, from.sealed).changes
    }
    return count
  })
  truncateLog(db)
  return replaced
}
