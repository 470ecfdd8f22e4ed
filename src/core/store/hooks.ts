/**
 * Hooks, environments and objects of the sandbox, with their secrets. These stay sealed here: only the vault opens them.
 */
import type { SealedSecret } from '../base/deps.ts'
import { emptyLog, overwriting, type ReadableDb, type WritableDb } from './open.ts'
import { jsonSql, tableOf } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

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

const hooks = tableOf<Omit<StoredHook, 'secrets'>>('hooks', 'id', {
  headerNames: ['json', 'headers'],
  sealedHeaders: ['sealed', 'headers'],
})

/** All hooks, in order of creation. */
export function listHooks(db: ReadableDb): StoredHook[] {
  const secrets = Map.groupBy(
    rowStatement<SealedSecret & { readonly hookId: string }>(
      db,
      'SELECT hook_id AS hookId, backend, sealed FROM hook_secrets ORDER BY id DESC',
    ).all(),
    ({ hookId }) => hookId,
  )
  return hooks.list(db, 'ORDER BY created_at, id').map((hook) => ({
    ...hook,
    secrets: (secrets.get(hook.id) ?? []).map(({ backend, sealed }) => ({ backend, sealed })),
  }))
}

/** Stores a hook with its secrets, in one transaction. */
export function insertHook(db: WritableDb, { secrets, ...hook }: StoredHook): void {
  db.transaction(() => {
    hooks.put(db, hook)
    // The newest is the current one: the list is written from its end.
    for (const secret of secrets.toReversed())
      addHookSecret(db, { hookId: hook.id, secret, createdAt: hook.createdAt })
  }).immediate()
}

/** Writes everything about a hook that can change; secrets are added, never replaced. */
export function updateHook(db: WritableDb, { secrets: _, ...hook }: StoredHook): void {
  const known = db.prepare('SELECT 1 FROM hooks WHERE id = ?').get(hook.id)
  if (known === undefined) throw new Error(`Hook ${hook.id} not found. Nothing was updated.`)
  hooks.put(db, hook)
}

/** Makes a secret the hook's current one. The previous one stays, so that its deliveries still verify. */
export function addHookSecret(
  db: WritableDb,
  { hookId, secret, createdAt }: { hookId: string; secret: SealedSecret; createdAt: number },
): void {
  db.prepare(
    'INSERT INTO hook_secrets (hook_id, backend, sealed, created_at) VALUES (?, ?, ?, ?)',
  ).run(hookId, secret.backend, secret.sealed, createdAt)
}

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
    valuesOf<number>(db, `SELECT count(*) FROM ${from} = ?`).get(id) ?? 0
  const restorable = count('deleted JOIN deliveries USING (seq) WHERE hook_id')
  return {
    deliveries: count('deliveries WHERE hook_id') - restorable,
    restorable,
    handlers: valuesOf<string>(
      db,
      'SELECT name FROM handlers WHERE removed_at IS NULL AND hook_id = ?',
    ).all(id),
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

const environments = tableOf<StoredEnvironment>('environments', 'name', { key: ['sealed', 'key'] })

/** All environments, in order of creation. */
export const listEnvironments = (db: ReadableDb): StoredEnvironment[] =>
  environments.list(db, 'ORDER BY created_at, rowid')

/** Adds an environment, or replaces its state. */
export function putEnvironment(db: WritableDb, environment: StoredEnvironment): void {
  environments.put(db, environment)
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

const sandboxObjects = tableOf<StoredSandboxObject>('sandbox_objects', 'kind, id', {
  secret: ['sealed', 'secret'],
  headers: ['sealed', 'headers'],
})

/** All objects, in the order in which they were first stored. */
export const listSandboxObjects = (db: ReadableDb): StoredSandboxObject[] =>
  sandboxObjects.list(db, 'ORDER BY rowid')

/** Adds an object, or replaces its state. */
export function putSandboxObject(db: WritableDb, object: StoredSandboxObject): void {
  sandboxObjects.put(db, object)
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
    rowStatement<Omit<PlacedSeal, 'place'>>(
      db,
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
