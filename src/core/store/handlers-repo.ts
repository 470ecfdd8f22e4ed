/**
 * Saved handlers with their sealed secrets. A deleted one keeps its row without the secret, so that the sends to it keep its name:
 * `sends.handler` is a row's seq, and lists join the present name.
 */
import type { HandlerCheckRun } from '../../shared/model/handler.ts'
import type { SealedSecret } from '../base/deps.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export interface StoredHandler {
  readonly id: string
  readonly name: string
  readonly url: string
  /** The URL as a request to it has it: how a send to a typed URL is recognized. */
  readonly target: string
  readonly registeredUrl: string | null
  readonly hookId: string | null
  /** Its own secret; null without one. */
  readonly secret: SealedSecret | null
  readonly targetCa: string | null
  readonly isCurrent: boolean
  /** The last checks, oldest first. */
  readonly checks: readonly HandlerCheckRun[]
  /** Milliseconds since the epoch; `removedAt` is null until it is deleted. */
  readonly createdAt: number
  readonly removedAt: number | null
}

interface HandlerRow {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly target: string
  readonly registered_url: string | null
  readonly hook_id: string | null
  readonly secret_backend: string | null
  readonly secret_sealed: Uint8Array | null
  readonly target_ca: string | null
  readonly is_current: number
  readonly checks: string
  readonly created_at: number
  readonly removed_at: number | null
}

/** All but the deleted ones, in order of creation. */
export function listHandlers(db: ReadableDb): StoredHandler[] {
  return db
    .prepare<[], HandlerRow>('SELECT * FROM handlers WHERE removed_at IS NULL ORDER BY seq')
    .all()
    .map((row) => ({
      id: row.id,
      name: row.name,
      url: row.url,
      target: row.target,
      registeredUrl: row.registered_url,
      hookId: row.hook_id,
      secret:
        row.secret_backend === null || row.secret_sealed === null
          ? null
          : { backend: row.secret_backend, sealed: row.secret_sealed },
      targetCa: row.target_ca,
      isCurrent: row.is_current === 1,
      checks: JSON.parse(row.checks) as HandlerCheckRun[],
      createdAt: row.created_at,
      removedAt: row.removed_at,
    }))
}

/** Stores handlers, all or none. A replaced secret's bytes are overwritten. */
export function putHandlers(db: WritableDb, handlers: readonly StoredHandler[]): void {
  const put = db.prepare(
    `INSERT INTO handlers (id, name, url, target, registered_url, hook_id, secret_backend, secret_sealed, target_ca, is_current,
       checks, created_at, removed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, url = excluded.url, target = excluded.target,
       registered_url = excluded.registered_url, hook_id = excluded.hook_id, secret_backend = excluded.secret_backend,
       secret_sealed = excluded.secret_sealed, target_ca = excluded.target_ca, is_current = excluded.is_current,
       checks = excluded.checks, removed_at = excluded.removed_at`,
  )
  db.pragma('secure_delete = ON')
  try {
    db.transaction(() => {
      for (const handler of handlers)
        put.run(
          handler.id,
          handler.name,
          handler.url,
          handler.target,
          handler.registeredUrl,
          handler.hookId,
          handler.secret?.backend ?? null,
          handler.secret?.sealed ?? null,
          handler.targetCa,
          handler.isCurrent ? 1 : 0,
          JSON.stringify(handler.checks),
          handler.createdAt,
          handler.removedAt,
        )
    })()
  } finally {
    db.pragma('secure_delete = OFF')
  }
}

/**
 * SQL for the seq of the handler that gets a request: the one named by `id`, else one with this URL, the current one first. Null if
 * the URL isn't saved.
 */
export const handlerSeq = (id: string, url: string) =>
  `coalesce((SELECT seq FROM handlers WHERE id = ${id}),
     (SELECT seq FROM handlers WHERE target = ${url} AND removed_at IS NULL ORDER BY is_current DESC, seq LIMIT 1))`
