/** Objects of the sandbox: JSON by kind and id, with sealed secrets. */
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { tableOf } from './tables.ts'

export interface StoredSandboxObject {
  readonly kind: string
  readonly id: string
  readonly mode: 'test' | 'live'
  readonly data: string
  readonly secret: SealedSecret | null
  /** Custom headers, which `data` omits. */
  readonly headers: SealedSecret | null
}

const sandboxObjects = tableOf<StoredSandboxObject>('sandbox_objects', 'kind, id', {
  secret: { form: 'sealed', column: 'secret' },
  headers: { form: 'sealed', column: 'headers' },
})

export const listSandboxObjects = (db: ReadableDb): StoredSandboxObject[] =>
  sandboxObjects.list(db, 'ORDER BY rowid')

export function putSandboxObject(db: WritableDb, object: StoredSandboxObject): void {
  sandboxObjects.put(db, object)
}

export function deleteSandboxObject(db: WritableDb, key: { kind: string; id: string }): void {
  db.prepare('DELETE FROM sandbox_objects WHERE kind = ? AND id = ?').run(key.kind, key.id)
}
