/** Every encrypted value of the database by its place, so that values of another backend can be encrypted again. */
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { writeSetting } from './hooks-repo.ts'

/** Tables with their two columns: the backend's name, and the encrypted bytes. */
const places = [
  ['environments', 'key_backend', 'key_sealed'],
  ['hooks', 'headers_backend', 'headers_sealed'],
  ['hook_secrets', 'backend', 'sealed'],
  ['handlers', 'secret_backend', 'secret_sealed'],
  ['sandbox_objects', 'secret_backend', 'secret_sealed'],
  ['sandbox_objects', 'headers_backend', 'headers_sealed'],
] as const

interface PlacedSeal extends SealedSecret {
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

// Finds custom header values that earlier versions stored in clear, and replaces them with the vault's sealed values.

/**
 * Setting: whether the files may still contain clear values, in free pages and behind rows. Null until the rows' values were
 * sealed.
 */
export const ERASE_PENDING = 'erase-pending'

interface ClearHeaders {
  readonly hooks: readonly ClearHook[]
  readonly objects: readonly ClearObject[]
}

/** A hook stored by an earlier version. `headers`, `record`: JSON. */
interface ClearHook {
  readonly id: string
  readonly headers: string
  readonly record: string | null
}

/** An object of the sandbox with header values in its data, which is JSON. */
interface ClearObject {
  readonly kind: string
  readonly id: string
  readonly data: string
}

/** The sealed values that replace them; `headers` is null if there were none. */
export interface SealedHeaders {
  readonly hooks: readonly (Pick<ClearHook, 'id' | 'record'> & {
    readonly names: readonly string[]
    readonly headers: SealedSecret | null
  })[]
  readonly objects: readonly (ClearObject & { readonly headers: SealedSecret })[]
}

/** All header values that an earlier version stored in clear. */
export function readClearHeaders(db: ReadableDb): ClearHeaders {
  return {
    hooks: db
      .prepare<[], ClearHook>("SELECT id, headers, record FROM hooks WHERE headers LIKE '{%'")
      .all(),
    objects: db
      .prepare<[], ClearObject>(
        `SELECT kind, id, data FROM sandbox_objects
         WHERE headers_sealed IS NULL AND kind IN ('hook', 'notification') AND json_extract(data, '$.headers') <> '{}'`,
      )
      .all(),
  }
}

/** Replaces clear values with sealed ones, and overwrites their bytes in the rows and in freed pages. */
export function replaceClearHeaders(db: WritableDb, { hooks, objects }: SealedHeaders): void {
  const hadValues = objects.length > 0 || hooks.some(({ headers }) => headers !== null)
  db.pragma('secure_delete = ON')
  try {
    db.transaction(() => {
      const hook = db.prepare(
        'UPDATE hooks SET headers = ?, headers_backend = ?, headers_sealed = ?, record = ? WHERE id = ?',
      )
      for (const { id, names, headers, record } of hooks)
        hook.run(
          JSON.stringify(names),
          headers?.backend ?? null,
          headers?.sealed ?? null,
          record,
          id,
        )
      const object = db.prepare(
        'UPDATE sandbox_objects SET data = ?, headers_backend = ?, headers_sealed = ? WHERE kind = ? AND id = ?',
      )
      for (const { kind, id, data, headers } of objects)
        object.run(data, headers.backend, headers.sealed, kind, id)
      writeSetting(db, { name: ERASE_PENDING, value: String(hadValues) })
    })()
  } finally {
    db.pragma('secure_delete = OFF')
  }
  if (hadValues) emptyLog(db)
}

/** Writes the log back and truncates it. Returns false if a reader still uses the log. */
export function emptyLog(db: WritableDb): boolean {
  const timeout = db.pragma('busy_timeout', { simple: true }) as number
  db.pragma('busy_timeout = 0')
  try {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return result?.busy === 0
  } finally {
    db.pragma(`busy_timeout = ${timeout}`)
  }
}
