/** Deletes deliveries: hidden from every reader first, removed in the background later. */
import { systemClock } from '../base/system-clock.ts'
import { columnStatement } from './statements.ts'
import type { WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import type { Deletable } from './deletable.ts'
import { responsesOf, withStoredResponses } from './stored-responses.ts'
import { withRecount } from './delivery-totals.ts'

/**
 * Hides deliveries and returns those that weren't hidden.
 * @param at - in milliseconds since the epoch
 */
export function hideDeliveries(
  db: WritableDb,
  { seqs, at }: { readonly seqs: readonly number[]; readonly at: number },
): number[] {
  const hide = db.prepare<[number, number]>(
    'INSERT OR IGNORE INTO deleted (seq, at) SELECT seq, ? FROM deliveries WHERE seq = ?',
  )
  return changeHidden(db, seqs, (seq) => hide.run(at, seq).changes > 0)
}

/** Takes deliveries off the hidden list and returns them. */
export function unhideDeliveries(db: WritableDb, seqs: readonly number[]): number[] {
  const show = db.prepare<[number]>('DELETE FROM deleted WHERE seq = ?')
  return changeHidden(db, seqs, (seq) => show.run(seq).changes > 0)
}

const changeHidden = (db: WritableDb, seqs: readonly number[], move: (seq: number) => boolean) =>
  withRelaxedCommit(
    db,
    db.transaction(() => withRecount(db, seqs, () => seqs.filter(move))).immediate,
  )

export interface RemovalBatch {
  readonly deletable: readonly Deletable[]
  readonly budgetMs: number
}

/** Creates the function that removes hidden deliveries in a time budget. */
export function prepareRemoval(db: WritableDb): (removal: RemovalBatch) => number {
  const isHidden = columnStatement<number>(db, 'SELECT 1 FROM deleted WHERE seq = ?')
  const dropNotification = db.prepare('DELETE FROM notifications WHERE key = ? AND last_seq = ?')
  const setLatest = db.prepare(
    'UPDATE notifications SET last_seq = ? WHERE key = ? AND last_seq = ?',
  )
  const drops = [
    'bodies',
    'marks',
    'handler_responses',
    'flow_deliveries',
    'composed',
    'details',
    'causes',
    'deliveries',
  ].map((table) => db.prepare(`DELETE FROM ${table} WHERE seq = ?`))

  const dropUse = columnStatement<number>(
    db,
    'UPDATE responses SET uses = uses - 1 WHERE key = (SELECT response FROM deliveries WHERE seq = ?) RETURNING key',
  )
  const dropUnused = db.prepare('DELETE FROM responses WHERE key = ? AND uses <= 0')

  const remove = db.transaction(({ deletable, budgetMs }: RemovalBatch) => {
    const until = systemClock.monotonic() + budgetMs
    responsesOf(db).settle()
    let count = 0
    for (const { seq, notification } of deletable) {
      if (count > 0 && systemClock.monotonic() >= until) break
      count++
      if (isHidden.get(seq) === undefined) continue
      if (notification !== null && notification.previous === null)
        dropNotification.run(notification.key, seq)
      else if (notification !== null) setLatest.run(notification.previous, notification.key, seq)
      const response = dropUse.get(seq)
      if (response !== undefined) dropUnused.run(response)
      for (const drop of drops) drop.run(seq)
    }
    return count
  })
  return (removal) =>
    withRelaxedCommit(db, () => withStoredResponses(db, () => remove.immediate(removal)))
}
