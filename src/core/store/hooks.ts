/** Hooks with their secrets and sealed headers. */
import type { SealedSecret } from '../base/deps.ts'
import { jsonSql } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withSecureDelete } from './commit-modes.ts'
import { tableOf } from './tables.ts'

export interface StoredHook {
  readonly id: string
  readonly remoteId: string | null
  readonly kind: 'brand' | 'program' | null
  readonly event: string
  readonly url: string
  readonly programId: string | null
  readonly offerId: string | null
  /** Names of custom headers, whose values are sealed as one JSON object. */
  readonly headerNames: readonly string[]
  readonly sealedHeaders: SealedSecret | null
  readonly environment: string
  readonly status: 'active' | 'deleted' | 'gone' | 'unconfirmed'
  /** JSON of the response rule; `{}` for a plain 200. */
  readonly answering: string
  /** JSON of the service's last record. */
  readonly record: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Current secret first, then the previous ones, newest first. */
  readonly secrets: readonly SealedSecret[]
}

const hooks = tableOf<Omit<StoredHook, 'secrets'>>('hooks', 'id', {
  headerNames: { form: 'json', column: 'headers' },
  sealedHeaders: { form: 'sealed', column: 'headers' },
})

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

export function insertHook(db: WritableDb, { secrets, ...hook }: StoredHook): void {
  db.transaction(() => {
    hooks.put(db, hook)
    // The newest one is current.
    for (const secret of secrets.toReversed())
      addHookSecret(db, { hookId: hook.id, secret, createdAt: hook.createdAt })
  }).immediate()
}

/** Stores a hook with exactly these secrets; kept ones keep their time. */
export function putHook(db: WritableDb, { secrets, ...hook }: StoredHook): void {
  hooks.put(db, hook)
  const stored = rowStatement<SealedSecret & { readonly id: number }>(
    db,
    'SELECT id, backend, sealed FROM hook_secrets WHERE hook_id = ?',
  ).all(hook.id)
  const isSame = (one: SealedSecret, other: SealedSecret) =>
    one.backend === other.backend && Buffer.compare(one.sealed, other.sealed) === 0
  for (const row of stored)
    if (!secrets.some((secret) => isSame(secret, row)))
      db.prepare('DELETE FROM hook_secrets WHERE id = ?').run(row.id)
  for (const secret of secrets.toReversed())
    if (!stored.some((row) => isSame(secret, row)))
      addHookSecret(db, { hookId: hook.id, secret, createdAt: hook.createdAt })
}

/** Changes a hook; secrets are only added. */
export function updateHook(db: WritableDb, { secrets: _, ...hook }: StoredHook): void {
  const existing = db.prepare('SELECT 1 FROM hooks WHERE id = ?').get(hook.id)
  if (existing === undefined) throw new Error(`Hook ${hook.id} not found. Nothing was updated.`)
  hooks.put(db, hook)
}

/** Makes a secret current; the previous one still verifies. */
export function addHookSecret(
  db: WritableDb,
  { hookId, secret, createdAt }: { hookId: string; secret: SealedSecret; createdAt: number },
): void {
  db.prepare(
    'INSERT INTO hook_secrets (hook_id, backend, sealed, created_at) VALUES (?, ?, ?, ?)',
  ).run(hookId, secret.backend, secret.sealed, createdAt)
}

export interface HookUse {
  /** Deliveries, without deleted ones that can be restored. */
  readonly deliveries: number
  readonly restorable: number
  readonly handlers: readonly string[]
  readonly replays: number
}

export function readHookUse(db: ReadableDb, id: string): HookUse {
  const count = (from: string) =>
    columnStatement<number>(db, `SELECT count(*) FROM ${from} = ?`).get(id) ?? 0
  const restorable = count('deleted JOIN deliveries USING (seq) WHERE hook_id')
  return {
    deliveries: count('deliveries WHERE hook_id') - restorable,
    restorable,
    handlers: columnStatement<string>(
      db,
      'SELECT name FROM handlers WHERE removed_at IS NULL AND hook_id = ?',
    ).all(id),
    replays: count(
      `replay_jobs WHERE state = 'running' AND json_extract(${jsonSql('settings', '{}')}, '$.hookId')`,
    ),
  }
}

export function deleteHook(db: WritableDb, id: string): void {
  withSecureDelete(db, () => {
    db.prepare('DELETE FROM hook_secrets WHERE hook_id = ?').run(id)
    db.prepare('DELETE FROM hooks WHERE id = ?').run(id)
    db.prepare("DELETE FROM settings WHERE name = 'compare.volatile.' || ?").run(id)
  })
}
