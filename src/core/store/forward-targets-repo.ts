/** Targets of forwarding, as they are kept. What waits for one stands in its queue (`forward-queue-repo.ts`). */
import type { ForwardSettings } from '../../shared/model/forward.ts'
import { dropWaiting, type Drop } from './forward-queue-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'

/** What is kept of a target as JSON. */
export interface KeptSettings extends ForwardSettings {
  readonly allowHosts: readonly string[]
  readonly liveEnvironments: readonly string[]
}

export interface StoredTarget {
  readonly id: string
  readonly createdAt: number
  readonly settings: KeptSettings
  readonly paused: boolean
  readonly temporary: boolean
  /** Only later deliveries go there. */
  readonly since: number
}

interface TargetRow {
  readonly id: string
  readonly created_at: number
  readonly settings: string
  readonly paused: number
  readonly temporary: number
  readonly since_seq: number
}

/** In the order in which they were made. */
export function listTargets(db: ReadableDb): StoredTarget[] {
  return db
    .prepare<[], TargetRow>('SELECT * FROM forward_targets ORDER BY created_at, id')
    .all()
    .map((row) => ({
      id: row.id,
      createdAt: row.created_at,
      settings: JSON.parse(row.settings) as KeptSettings,
      paused: row.paused === 1,
      temporary: row.temporary === 1,
      since: row.since_seq,
    }))
}

/** Keeps a target. What waits for it, however much that is, goes where it points when its turn comes. */
export function putTarget(db: WritableDb, { id, createdAt, settings, paused, temporary, since }: StoredTarget): void {
  db.prepare(
    `INSERT INTO forward_targets (id, created_at, settings, paused, temporary, since_seq) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, paused = excluded.paused, temporary = excluded.temporary,
       since_seq = excluded.since_seq`,
  ).run(id, createdAt, JSON.stringify(settings), paused ? 1 : 0, temporary ? 1 : 0, since)
}

/**
 * Forgets a target, and with it what waits, so far as it was not dropped before; gives how many that were. Its sends stay with their
 * deliveries.
 */
export function removeTarget(db: WritableDb, { id, reason }: Omit<Drop, 'most'>): number {
  return db.transaction(() => {
    db.prepare('DELETE FROM forward_targets WHERE id = ?').run(id)
    return dropWaiting(db, { id, reason, most: -1 })
  })()
}
