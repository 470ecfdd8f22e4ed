/** Stored forward targets. */
import type { ForwardSettings } from '../../shared/model/forward.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { tableOf } from './tables.ts'
import { type Discard, discardPending } from './forward-queue.ts'

export interface StoredTarget {
  readonly id: string
  readonly createdAt: number
  readonly settings: ForwardSettings
  readonly paused: boolean
  readonly temporary: boolean
  /** Seq after which deliveries are forwarded. */
  readonly since: number
}

const targets = tableOf<StoredTarget>('forward_targets', 'id', {
  settings: { form: 'json', column: 'settings' },
  paused: { form: 'flag', column: 'paused' },
  temporary: { form: 'flag', column: 'temporary' },
  since: { form: 'plain', column: 'since_seq' },
})

export function listTargets(db: ReadableDb): StoredTarget[] {
  return targets.list(db, 'ORDER BY created_at, id')
}

export function putTarget(db: WritableDb, target: StoredTarget): void {
  targets.put(db, target)
}

/** Removes a target with its pending sends; returns how many. */
export function removeTarget(db: WritableDb, { id, reason }: Omit<Discard, 'limit'>): number {
  return db
    .transaction(() => {
      db.prepare('DELETE FROM forward_targets WHERE id = ?').run(id)
      return discardPending(db, { id, reason, limit: -1 })
    })
    .immediate()
}
