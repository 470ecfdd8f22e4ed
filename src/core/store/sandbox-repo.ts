/** The objects of the sandbox service: JSON by kind and id, their secrets sealed. */
import type { SealedSecret } from '../vault/vault.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export interface StoredSandboxObject {
  readonly kind: string
  readonly id: string
  readonly mode: 'test' | 'live'
  /** JSON. */
  readonly data: string
  readonly secret: SealedSecret | null
}

interface ObjectRow {
  readonly kind: string
  readonly id: string
  readonly mode: 'test' | 'live'
  readonly data: string
  readonly secret_backend: string | null
  readonly secret_sealed: Uint8Array | null
}

/** All objects, in the order they were first put. */
export function listSandboxObjects(db: ReadableDb): StoredSandboxObject[] {
  return db
    .prepare<[], ObjectRow>('SELECT * FROM sandbox_objects ORDER BY rowid')
    .all()
    .map((row) => ({
      kind: row.kind,
      id: row.id,
      mode: row.mode,
      data: row.data,
      secret:
        row.secret_backend === null || row.secret_sealed === null
          ? null
          : { backend: row.secret_backend, sealed: row.secret_sealed },
    }))
}

/** Adds an object, or puts its new state in place of the old one. */
export function putSandboxObject(db: WritableDb, object: StoredSandboxObject): void {
  db.prepare(
    `INSERT INTO sandbox_objects (kind, id, mode, data, secret_backend, secret_sealed) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET mode = excluded.mode, data = excluded.data,
       secret_backend = excluded.secret_backend, secret_sealed = excluded.secret_sealed`,
  ).run(object.kind, object.id, object.mode, object.data, object.secret?.backend ?? null, object.secret?.sealed ?? null)
}

export function deleteSandboxObject(db: WritableDb, key: { kind: string; id: string }): void {
  db.prepare('DELETE FROM sandbox_objects WHERE kind = ? AND id = ?').run(key.kind, key.id)
}
