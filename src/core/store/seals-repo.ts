/** Every encrypted value of the database by its place, so that values of another backend can be encrypted again. */
import type { SealedSecret } from '../base/deps.ts'
import { emptyLog } from './clear-headers-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'

/** Tables with their two columns: the backend's name, and the encrypted bytes. */
const places = [
  ['environments', 'key_backend', 'key_sealed'],
  ['hooks', 'headers_backend', 'headers_sealed'],
  ['hook_secrets', 'backend', 'sealed'],
  ['handlers', 'secret_backend', 'secret_sealed'],
  ['sandbox_objects', 'secret_backend', 'secret_sealed'],
  ['sandbox_objects', 'headers_backend', 'headers_sealed'],
] as const

export interface PlacedSeal extends SealedSecret {
  /** Index in the table of places. */
  readonly place: number
  readonly rowid: number
}

/** All values that another backend than `backend` encrypted. */
export function readForeignSeals(db: ReadableDb, backend: string): PlacedSeal[] {
  return places.flatMap(([table, name, sealed], place) =>
    db
      .prepare<[string], Omit<PlacedSeal, 'place'>>(
        `SELECT rowid AS rowid, ${name} AS backend, ${sealed} AS sealed FROM ${table} WHERE ${name} <> ? AND ${sealed} IS NOT NULL`,
      )
      .all(backend)
      .map((row) => ({ place, ...row })),
  )
}

/**
 * Replaces encrypted values, all or none, and overwrites the old bytes, whose key may be less protected. A value that has changed
 * since it was read stays. Returns how many were replaced.
 */
export function replaceSeals(
  db: WritableDb,
  changes: readonly { readonly from: PlacedSeal; readonly to: SealedSecret }[],
): number {
  db.pragma('secure_delete = ON')
  let replaced = 0
  try {
    db.transaction(() => {
      for (const { from, to } of changes) {
        const place = places[from.place]
        if (place === undefined) continue
        const [table, name, sealed] = place
        replaced += db
          .prepare(
            `UPDATE ${table} SET ${name} = ?, ${sealed} = ? WHERE rowid = ? AND ${name} = ? AND ${sealed} = ?`,
          )
          .run(to.backend, to.sealed, from.rowid, from.backend, from.sealed).changes
      }
    })()
  } finally {
    db.pragma('secure_delete = OFF')
  }
  emptyLog(db)
  return replaced
}
