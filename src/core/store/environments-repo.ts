/** Environments with their sealed keys, and the small settings of a data folder. */
import type { SealedSecret } from '../vault/vault.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export interface StoredEnvironment {
  readonly name: string
  readonly mode: 'test' | 'live'
  readonly baseUrl: string
  readonly prefix: string
  readonly auth: 'service-key' | 'bearer'
  readonly ack: '200' | '2xx'
  /** The public key of a sandbox account; null elsewhere, where the app has no use for it. */
  readonly publicKey: string | null
  readonly key: SealedSecret | null
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
  readonly created_at: number
}

/** All environments, in the order they were made. */
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
      key: row.key_backend === null || row.key_sealed === null ? null : { backend: row.key_backend, sealed: row.key_sealed },
      createdAt: row.created_at,
    }))
}

export function insertEnvironment(db: WritableDb, environment: StoredEnvironment): void {
  db.prepare(
    `INSERT INTO environments (name, mode, base_url, prefix, auth, ack, public_key, key_backend, key_sealed, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    environment.createdAt,
  )
}

/** The value of a setting, or null where it was never set. */
export function readSetting(db: ReadableDb, name: string): string | null {
  return db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck().get(name) ?? null
}

export function writeSetting(db: WritableDb, setting: { name: string; value: string }): void {
  db.prepare('INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value').run(
    setting.name,
    setting.value,
  )
}
