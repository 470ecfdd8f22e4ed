/**
 * Hooks, environments and objects of the sandbox, with their secrets. These stay sealed here: only the vault opens them.
 */
import type { SealedSecret } from '../base/deps.ts'
import { emptyLog, overwriting, type ReadableDb, type WritableDb } from './open.ts'
import { jsonOf, jsonSql, readRows, valueOf } from './rows.ts'

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

/** The columns of a sealed value. */
export interface Sealed {
  readonly backend: string | null
  readonly sealed: Uint8Array | null
}

export function sealedOf({ backend, sealed }: Sealed): SealedSecret | null {
  return backend === null || sealed === null ? null : { backend, sealed }
}

type HookRow = Omit<StoredHook, 'headerNames' | 'sealedHeaders' | 'secrets'> &
  Sealed & { readonly headers: string }

/** All hooks, in order of creation. */
export function listHooks(db: ReadableDb): StoredHook[] {
  const secrets = Map.groupBy(
    db
      .prepare<[], SealedSecret & { readonly hookId: string }>(
        'SELECT hook_id AS hookId, backend, sealed FROM hook_secrets ORDER BY id DESC',
      )
      .all(),
    ({ hookId }) => hookId,
  )
  return db
    .prepare<[], HookRow>(
      `SELECT id, remote_id AS remoteId, kind, event, url, program_id AS programId, offer_id AS offerId, headers, headers_backend AS backend,
         headers_sealed AS sealed, environment, status, answering, record, created_at AS createdAt FROM hooks ORDER BY created_at, id`,
    )
    .all()
    .map(({ headers, backend, sealed, ...row }) => ({
      ...row,
      kind: valueOf('hooks.kind', row.kind),
      headerNames: jsonOf('hooks.headers', headers),
      sealedHeaders: sealedOf({ backend, sealed }),
      status: valueOf('hooks.status', row.status),
      answering: valueOf('hooks.answering', row.answering),
      record: valueOf('hooks.record', row.record),
      createdAt: valueOf('hooks.created_at', row.createdAt),
      secrets: (secrets.get(row.id) ?? []).map((secret) => ({
        backend: secret.backend,
        sealed: secret.sealed,
      })),
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

/** The columns of a value that may be missing. */
export const sealColumns = (secret: SealedSecret | null): Sealed =>
  secret ?? { backend: null, sealed: null }

function valuesOf({ secrets: _, headerNames, sealedHeaders, ...hook }: StoredHook) {
  return { ...hook, headers: JSON.stringify(headerNames), ...sealColumns(sealedHeaders) }
}

/** Stores a hook with its secrets, in one transaction. */
export function insertHook(db: WritableDb, hook: StoredHook): void {
  db.transaction(() => {
    db.prepare(
      `INSERT INTO hooks (id, remote_id, kind, event, url, program_id, offer_id, headers, headers_backend, headers_sealed,
         environment, status, answering, record, created_at)
       VALUES (@id, @remoteId, @kind, @event, @url, @programId, @offerId, @headers, @backend, @sealed,
         @environment, @status, @answering, @record, @createdAt)`,
    ).run(valuesOf(hook))
    // The newest is the current one: the list is written from its end.
    for (const secret of hook.secrets.toReversed())
      insertSecret(db, hook.id, secret, hook.createdAt)
  })()
}

/** Writes everything about a hook that can change; secrets are added, never replaced. */
export function updateHook(db: WritableDb, hook: StoredHook): void {
  const { changes } = db
    .prepare(
      `UPDATE hooks SET remote_id = @remoteId, event = @event, url = @url, program_id = @programId, headers = @headers,
         headers_backend = @backend, headers_sealed = @sealed, status = @status, answering = @answering, record = @record WHERE id = @id`,
    )
    .run(valuesOf(hook))
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
      `replay_jobs WHERE state = 'running' AND json_extract(${jsonSql('settings', '{}')}, '$.hookId')`,
    ),
  }
}

/** Removes a hook with everything that is stored about it, and overwrites the bytes of its secrets. */
export function deleteHook(db: WritableDb, id: string): void {
  overwriting(db, () => {
    db.prepare('DELETE FROM hook_secrets WHERE hook_id = ?').run(id)
    db.prepare('DELETE FROM hooks WHERE id = ?').run(id)
    db.prepare("DELETE FROM settings WHERE name = 'compare.volatile.' || ?").run(id)
  })
}

// Environments with their sealed keys.

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

/** All environments, in order of creation. */
export function listEnvironments(db: ReadableDb): StoredEnvironment[] {
  return db
    .prepare<[], Omit<StoredEnvironment, 'key'> & Sealed>(
      `SELECT name, mode, base_url AS baseUrl, prefix, auth, ack, public_key AS publicKey, key_backend AS backend, key_sealed AS sealed,
         connection, created_at AS createdAt FROM environments ORDER BY created_at, rowid`,
    )
    .all()
    .map(({ backend, sealed, ...row }) => ({
      ...row,
      mode: valueOf('environments.mode', row.mode),
      auth: valueOf('environments.auth', row.auth),
      ack: valueOf('environments.ack', row.ack),
      key: sealedOf({ backend, sealed }),
      connection: valueOf('environments.connection', row.connection),
      createdAt: valueOf('environments.created_at', row.createdAt),
    }))
}

/** Adds an environment, or replaces its state. */
export function putEnvironment(db: WritableDb, { key, ...environment }: StoredEnvironment): void {
  db.prepare(
    `INSERT INTO environments (name, mode, base_url, prefix, auth, ack, public_key, key_backend, key_sealed, connection, created_at)
     VALUES (@name, @mode, @baseUrl, @prefix, @auth, @ack, @publicKey, @backend, @sealed, @connection, @createdAt)
     ON CONFLICT (name) DO UPDATE SET mode = excluded.mode, base_url = excluded.base_url, prefix = excluded.prefix, auth = excluded.auth,
       ack = excluded.ack, public_key = excluded.public_key, key_backend = excluded.key_backend, key_sealed = excluded.key_sealed, connection = excluded.connection`,
  ).run({ ...environment, ...sealColumns(key) })
}

/** Removes an environment without hooks. */
export function deleteEnvironment(db: WritableDb, name: string): void {
  db.prepare('DELETE FROM environments WHERE name = ?').run(name)
}

// Stores the sandbox's objects: JSON by kind and id, with sealed secrets.

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

interface ObjectRow extends Pick<StoredSandboxObject, 'kind' | 'id' | 'mode' | 'data'> {
  readonly secret_backend: string | null
  readonly secret_sealed: Uint8Array | null
  readonly headers_backend: string | null
  readonly headers_sealed: Uint8Array | null
}

/** All objects, in the order in which they were first stored. */
export function listSandboxObjects(db: ReadableDb): StoredSandboxObject[] {
  return readRows(
    db.prepare<[], ObjectRow>('SELECT * FROM sandbox_objects ORDER BY rowid').all(),
    (row) => ({
      kind: row.kind,
      id: row.id,
      mode: valueOf('sandbox_objects.mode', row.mode),
      data: valueOf('sandbox_objects.data', row.data),
      secret: sealedOf({ backend: row.secret_backend, sealed: row.secret_sealed }),
      headers: sealedOf({ backend: row.headers_backend, sealed: row.headers_sealed }),
    }),
  )
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
    ...[kind, id, mode, data, secret?.backend ?? null, secret?.sealed ?? null],
    ...[headers?.backend ?? null, headers?.sealed ?? null],
  )
}

export function deleteSandboxObject(db: WritableDb, key: { kind: string; id: string }): void {
  db.prepare('DELETE FROM sandbox_objects WHERE kind = ? AND id = ?').run(key.kind, key.id)
}

// Every encrypted value of the database by its place, so that values of another backend can be
// encrypted again.

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
  const replaced = overwriting(db, () => {
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
  emptyLog(db)
  return replaced
}
