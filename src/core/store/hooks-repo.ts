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
