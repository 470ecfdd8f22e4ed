/** Environments with their sealed keys. */
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { tableOf } from './tables.ts'

export interface StoredEnvironment {
  readonly name: string
  readonly mode: 'test' | 'live'
  readonly baseUrl: string
  readonly prefix: string
  readonly auth: 'service-key' | 'bearer'
  readonly ack: '200' | '2xx'
  readonly publicKey: string | null
  /** Secret key, or client secret of bearer authentication. */
  readonly key: SealedSecret | null
  /** JSON, without secrets. */
  readonly connection: string
  readonly createdAt: number
}

const environments = tableOf<StoredEnvironment>('environments', 'name', {
  key: { form: 'sealed', column: 'key' },
})

export const listEnvironments = (db: ReadableDb): StoredEnvironment[] =>
  environments.list(db, 'ORDER BY created_at, rowid')

export function putEnvironment(db: WritableDb, environment: StoredEnvironment): void {
  environments.put(db, environment)
}

export function deleteEnvironment(db: WritableDb, name: string): void {
  db.prepare('DELETE FROM environments WHERE name = ?').run(name)
}
