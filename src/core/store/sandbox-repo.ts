/** Stores the sandbox's objects: JSON by kind and id, with sealed secrets. */
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export interface StoredSandboxObject {
  readonly kind: string
  readonly id: string
  readonly mode: 'test' | 'live'
  /** JSON. */
  readonly data: string
  readonly secret: SealedSecret | null
  /** The custom headers of a hook or notification, which `data` omits; null if there are none. */
  readonly headers: SealedSecret | null
}

interface ObjectRow {
  readonly kind: string
  readonly id: string
  readonly mode: 'test' | 'live'
  readonly data: string
  readonly secret_backend: string | null
  readonly secret_sealed: Uint8Array | null
  readonly headers_backend: string | null
  readonly headers_sealed: Uint8Array | null
}

function sealedOf(backend: string | null, sealed: Uint8Array | null): SealedSecret | null {
  return backend === null || sealed === null ? null : { backend, sealed }
}

/** All objects, in the order in which they were first stored. */
export function listSandboxObjects(db: ReadableDb): StoredSandboxObject[] {
  return db
    .prepare<[], ObjectRow>('SELECT * FROM sandbox_objects ORDER BY rowid')
    .all()
    .map((row) => ({
      kind: row.kind,
      id: row.id,
      mode: row.mode,
      data: row.data,
      secret: sealedOf(row.secret_backend, row.secret_sealed),
      headers: sealedOf(row.headers_backend, row.headers_sealed),
    }))
}

/** Adds an object, or replaces its state. */
export function putSandboxObject(db: WritableDb, object: StoredSandboxObject): void {
  const { kind, id, mode, data, secret, headers } = object
  db.prepare(
    `INSERT INTO sandbox_objects (kind, id, mode, data, secret_backend, secret_sealed, headers_backend, headers_sealed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET mode = excluded.mode, data = excluded.data,
       secret_backend = excluded.secret_backend, secret_sealed = excluded.secret_sealed,
       headers_backend = excluded.headers_backend, headers_sealed = excluded.headers_sealed`,
  ).run(
    kind,
    id,
    mode,
    data,
    secret?.backend ?? null,
    secret?.sealed ?? null,
    headers?.backend ?? null,
    headers?.sealed ?? null,
  )
}

export function deleteSandboxObject(db: WritableDb, key: { kind: string; id: string }): void {
  db.prepare('DELETE FROM sandbox_objects WHERE kind = ? AND id = ?').run(key.kind, key.id)
}
