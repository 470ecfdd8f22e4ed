/** Hooks and their sealed secrets. Secrets stay sealed here: only the vault opens them. */
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export interface StoredHook {
  readonly id: string
  readonly remoteId: string | null
  readonly kind: 'brand' | 'program' | null
  readonly event: string
  readonly url: string
  readonly programId: string | null
  readonly offerId: string | null
  /** Its custom headers; their values are sealed as one JSON object, null if there are none. */
  readonly headerNames: readonly string[]
  readonly sealedHeaders: SealedSecret | null
  readonly environment: string
  readonly status: 'active' | 'deleted' | 'gone' | 'unconfirmed'
  /** JSON of the response rule; `{}` for the plain 200. */
  readonly answering: string
  /** JSON of the record that the service last returned, without secrets; null if none was received. */
  readonly record: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Current secret first, then the previous ones, newest first. */
  readonly secrets: readonly SealedSecret[]
}

/** Names; hooks from an earlier version may also have the values, if they couldn't be sealed. */
type HeadersColumn = readonly string[] | Readonly<Record<string, string>>

function namesOf(headers: HeadersColumn): readonly string[] {
  return Array.isArray(headers) ? (headers as readonly string[]) : Object.keys(headers)
}

interface HookRow {
  readonly id: string
  readonly remote_id: string | null
  readonly kind: StoredHook['kind']
  readonly event: string
  readonly url: string
  readonly program_id: string | null
  readonly offer_id: string | null
  readonly headers: string
  readonly headers_backend: string | null
  readonly headers_sealed: Uint8Array | null
  readonly environment: string
  readonly status: StoredHook['status']
  readonly answering: string
  readonly record: string | null
  readonly created_at: number
}

interface SecretRow {
  readonly hook_id: string
  readonly backend: string
  readonly sealed: Uint8Array
}

/** All hooks, in order of creation. */
export function listHooks(db: ReadableDb): StoredHook[] {
  const secrets = Map.groupBy(
    db
      .prepare<[], SecretRow>('SELECT hook_id, backend, sealed FROM hook_secrets ORDER BY id DESC')
      .all(),
    (secret) => secret.hook_id,
  )
  return db
    .prepare<[], HookRow>('SELECT * FROM hooks ORDER BY created_at, id')
    .all()
    .map((row) => ({
      id: row.id,
      remoteId: row.remote_id,
      kind: row.kind,
      event: row.event,
      url: row.url,
      programId: row.program_id,
      offerId: row.offer_id,
      headerNames: namesOf(JSON.parse(row.headers) as HeadersColumn),
      sealedHeaders:
        row.headers_backend === null || row.headers_sealed === null
          ? null
          : { backend: row.headers_backend, sealed: row.headers_sealed },
      environment: row.environment,
      status: row.status,
      answering: row.answering,
      record: row.record,
      createdAt: row.created_at,
      secrets: (secrets.get(row.id) ?? []).map(({ backend, sealed }) => ({ backend, sealed })),
    }))
}

function insertSecret(
  db: WritableDb,
  hookId: string,
  secret: SealedSecret,
  createdAt: number,
): void {
  db.prepare(
    'INSERT INTO hook_secrets (hook_id, backend, sealed, created_at) VALUES (?, ?, ?, ?)',
  ).run(hookId, secret.backend, secret.sealed, createdAt)
}

/** Stores a hook with its secrets, in one transaction. */
export function insertHook(db: WritableDb, hook: StoredHook): void {
  db.transaction(() => {
    db.prepare(
      `INSERT INTO hooks (id, remote_id, kind, event, url, program_id, offer_id, headers, headers_backend, headers_sealed,
         environment, status, answering, record, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      hook.id,
      hook.remoteId,
      hook.kind,
      hook.event,
      hook.url,
      hook.programId,
      hook.offerId,
      JSON.stringify(hook.headerNames),
      hook.sealedHeaders?.backend ?? null,
      hook.sealedHeaders?.sealed ?? null,
      hook.environment,
      hook.status,
      hook.answering,
      hook.record,
      hook.createdAt,
    )
    // The newest is the current one: the list is written from its end.
    for (const secret of hook.secrets.toReversed())
      insertSecret(db, hook.id, secret, hook.createdAt)
  })()
}

/** Writes everything about a hook that can change; secrets are added, never replaced. */
export function updateHook(db: WritableDb, hook: StoredHook): void {
  const { changes } = db
    .prepare(
      `UPDATE hooks SET remote_id = ?, event = ?, url = ?, program_id = ?, headers = ?, headers_backend = ?, headers_sealed = ?,
         status = ?, answering = ?, record = ? WHERE id = ?`,
    )
    .run(
      hook.remoteId,
      hook.event,
      hook.url,
      hook.programId,
      JSON.stringify(hook.headerNames),
      hook.sealedHeaders?.backend ?? null,
      hook.sealedHeaders?.sealed ?? null,
      hook.status,
      hook.answering,
      hook.record,
      hook.id,
    )
  if (changes !== 1) throw new Error(`Hook ${hook.id} not found. Nothing was updated.`)
}

/** Makes a secret the hook's current one. The previous one stays, so that its deliveries still verify. */
export function addHookSecret(
  db: WritableDb,
  input: { hookId: string; secret: SealedSecret; createdAt: number },
): void {
  insertSecret(db, input.hookId, input.secret, input.createdAt)
}

/** What a hook is still used for. */
export interface HookUse {
  /** Deliveries that it identified, without those that were just deleted and can be restored. */
  readonly deliveries: number
  readonly restorable: number
  /** Names of the saved handlers that it signs for. */
  readonly handlers: readonly string[]
  /** Unfinished replays that it signs, whatever their deliveries. */
  readonly replays: number
}

export function readHookUse(db: ReadableDb, id: string): HookUse {
  const count = (from: string) =>
    db.prepare<[string], number>(`SELECT count(*) FROM ${from} = ?`).pluck().get(id) ?? 0
  const restorable = count('deleted JOIN deliveries USING (seq) WHERE hook_id')
  return {
    deliveries: count('deliveries WHERE hook_id') - restorable,
    restorable,
    handlers: db
      .prepare<[string], string>(
        'SELECT name FROM handlers WHERE removed_at IS NULL AND hook_id = ?',
      )
      .pluck()
      .all(id),
    replays: count(
      "replay_jobs WHERE state IN ('preparing', 'running') AND json_extract(settings, '$.hookId')",
    ),
  }
}

/** Removes a hook with everything that is stored about it, and overwrites the bytes of its secrets. */
export function deleteHook(db: WritableDb, id: string): void {
  db.pragma('secure_delete = ON')
  try {
    db.transaction(() => {
      db.prepare('DELETE FROM hook_secrets WHERE hook_id = ?').run(id)
      db.prepare('DELETE FROM hooks WHERE id = ?').run(id)
      db.prepare("DELETE FROM settings WHERE name = 'compare.volatile.' || ?").run(id)
    })()
  } finally {
    db.pragma('secure_delete = OFF')
  }
}

// Environments with their sealed keys, and the small settings of a data folder.

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
