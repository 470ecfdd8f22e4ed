/**
 * Deletes deliveries in two steps: hidden at once, which can be undone, and taken out behind, piece by piece, with all that
 * belongs to them. What is hidden is gone for every reader, and stays so until the search index has forgotten it too; a stop in
 * between leaves it hidden, and the next start takes it out.
 */
import { systemClock } from '../base/system-clock.ts'
import type { Leaving } from './leavings-repo.ts'
import type { WritableDb } from './open.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

/** Hides deliveries; `at` in milliseconds since the epoch. Gives those that were there and were not hidden before. */
export function hideDeliveries(
  db: WritableDb,
  { seqs, at }: { readonly seqs: readonly number[]; readonly at: number },
): number[] {
  const hide = db.prepare<[number, number]>('INSERT OR IGNORE INTO deleted (seq, at) SELECT seq, ? FROM deliveries WHERE seq = ?')
  return withRelaxedCommit(
    db,
    db.transaction(() => seqs.filter((seq) => hide.run(at, seq).changes > 0)),
  )
}

/** Takes deliveries off the list of the hidden: to show them again, or once nothing knows of them any more. Gives those. */
export function unhideDeliveries(db: WritableDb, seqs: readonly number[]): number[] {
  const show = db.prepare<[number]>('DELETE FROM deleted WHERE seq = ?')
  return withRelaxedCommit(
    db,
    db.transaction(() => seqs.filter((seq) => show.run(seq).changes > 0)),
  )
}

export interface RemovalBatch {
  readonly leavings: readonly Leaving[]
  /** Milliseconds after which no further one is begun. */
  readonly budgetMs: number
}

/** Makes the function that takes hidden deliveries out, as many of those given as the time allows, in one transaction; it gives their number. */
export function prepareRemoval(db: WritableDb): (removal: RemovalBatch) => number {
  const isHidden = db.prepare<[number], number>('SELECT 1 FROM deleted WHERE seq = ?').pluck()
  const dropNotification = db.prepare('DELETE FROM notifications WHERE key = ? AND last_seq = ?')
  const setLatest = db.prepare('UPDATE notifications SET last_seq = ? WHERE key = ? AND last_seq = ?')
  const drops = ['bodies', 'marks', 'deliveries'].map((table) => db.prepare(`DELETE FROM ${table} WHERE seq = ?`))

  const remove = db.transaction(({ leavings, budgetMs }: RemovalBatch) => {
    const until = systemClock.monotonic() + budgetMs
    let count = 0
    for (const { seq, notification } of leavings) {
      if (count > 0 && systemClock.monotonic() >= until) break
      count++
      // Its deletion was undone meanwhile.
      if (isHidden.get(seq) === undefined) continue
      if (notification !== null && notification.previous === null) dropNotification.run(notification.key, seq)
      else if (notification !== null) setLatest.run(notification.previous, notification.key, seq)
      for (const drop of drops) drop.run(seq)
    }
    return count
  })
  return (removal) => withRelaxedCommit(db, () => remove(removal))
}
