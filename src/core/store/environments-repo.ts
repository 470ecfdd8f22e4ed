/** Environments with their sealed keys, and the small settings of a data folder. */
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export interface StoredEnvironment {
  readonly name: string
  readonly mode: 'test' | 'live'
  readonly baseUrl: string
  readonly prefix: string
  readonly auth: 'service-key' | 'bearer'
  readonly ack: '200' | '2xx'
  /** The public key of a sandbox account; null elsewhere, because the app doesn't use it. */
  readonly publicKey: string | null
  /** The secret key, or the client secret of bearer authentication. */
  readonly key: SealedSecret | null
  /** JSON of the connection and authentication settings, without secrets. */
  readonly connection: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

interface EnvironmentRow {
  readonly name: string
  readonly mode: 'test' | 'live'
  readonly base_url: string
  readonly prefix: string
  readonly auth: 'service-key' | 'bearer'
  readonly ack: '200' | '2xx'
  readonly public_key: string | null
  readonly key_backend: string | null
  readonly key_sealed: Uint8Array | null
  readonly connection: string
  readonly created_at: number
}

/** All environments, in order of creation. */
export function listEnvironments(db: ReadableDb): StoredEnvironment[] {
  return db
    .prepare<[], EnvironmentRow>('SELECT * FROM environments ORDER BY created_at, rowid')
    .all()
    .map((row) => ({
      name: row.name,
      mode: row.mode,
      baseUrl: row.base_url,
      prefix: row.prefix,
      auth: row.auth,
      ack: row.ack,
      publicKey: row.public_key,
      key:
        row.key_backend === null || row.key_sealed === null
          ? null
          : { backend: row.key_backend, sealed: row.key_sealed },
      connection: row.connection,
      createdAt: row.created_at,
    }))
}

/** Adds an environment, or replaces its state. */
export function putEnvironment(db: WritableDb, environment: StoredEnvironment): void {
  db.prepare(
    `INSERT INTO environments (name, mode, base_url, prefix, auth, ack, public_key, key_backend, key_sealed, connection, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET mode = excluded.mode, base_url = excluded.base_url, prefix = excluded.prefix, auth = excluded.auth,
       ack = excluded.ack, public_key = excluded.public_key, key_backend = excluded.key_backend, key_sealed = excluded.key_sealed, connection = excluded.connection`,
  ).run(
    environment.name,
    environment.mode,
    environment.baseUrl,
    environment.prefix,
    environment.auth,
    environment.ack,
    environment.publicKey,
    environment.key?.backend ?? null,
    environment.key?.sealed ?? null,
    environment.connection,
    environment.createdAt,
  )
}

/** Removes an environment without hooks. */
export function deleteEnvironment(db: WritableDb, name: string): void {
  db.prepare('DELETE FROM environments WHERE name = ?').run(name)
}

/** The value of a setting; null if it was never set. */
export function readSetting(db: ReadableDb, name: string): string | null {
  return (
    db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck().get(name) ??
    null
  )
}

export function writeSetting(db: WritableDb, setting: { name: string; value: string }): void {
  db.prepare(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  ).run(setting.name, setting.value)
}
