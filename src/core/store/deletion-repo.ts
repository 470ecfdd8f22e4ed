/**
 * Deletes deliveries in two steps: they are hidden immediately, which can be undone, then removed in the background with everything
 * that belongs to them. Hidden deliveries are invisible to every reader until the search index has dropped them too. After a stop
 * in between they stay hidden, and the next start removes them.
 */
import { systemClock } from '../base/system-clock.ts'
import { responsesOf, storingResponses } from './describe-repo.ts'
import { type WritableDb, type ReadableDb, withRelaxedCommit } from './open.ts'
import { recounting } from './timeline-repo.ts'

/** Hides deliveries; `at` in milliseconds since the epoch. Returns those that existed and weren't hidden before. */
export function hideDeliveries(
  db: WritableDb,
  { seqs, at }: { readonly seqs: readonly number[]; readonly at: number },
): number[] {
  const hide = db.prepare<[number, number]>(
    'INSERT OR IGNORE INTO deleted (seq, at) SELECT seq, ? FROM deliveries WHERE seq = ?',
  )
  return withRelaxedCommit(
    db,
    db.transaction(() =>
      recounting(db, seqs, () => seqs.filter((seq) => hide.run(at, seq).changes > 0)),
    ),
  )
}

/** Shows deliveries again, or drops them from the list because they are removed completely. Returns them. */
export function unhideDeliveries(db: WritableDb, seqs: readonly number[]): number[] {
  const show = db.prepare<[number]>('DELETE FROM deleted WHERE seq = ?')
  return withRelaxedCommit(
    db,
    db.transaction(() =>
      recounting(db, seqs, () => seqs.filter((seq) => show.run(seq).changes > 0)),
    ),
  )
}

export interface RemovalBatch {
  readonly leavings: readonly Leaving[]
  /** Milliseconds after which no further delivery is started. */
  readonly budgetMs: number
}

/**
 * Creates the function that removes as many of the given hidden deliveries as the time allows, in one transaction, and returns
 * their number.
 */
export function prepareRemoval(db: WritableDb): (removal: RemovalBatch) => number {
  const isHidden = db.prepare<[number], number>('SELECT 1 FROM deleted WHERE seq = ?').pluck()
  const dropNotification = db.prepare('DELETE FROM notifications WHERE key = ? AND last_seq = ?')
  const setLatest = db.prepare(
    'UPDATE notifications SET last_seq = ? WHERE key = ? AND last_seq = ?',
  )
  const drops = [
    'bodies',
    'marks',
    'handler_responses',
    'flow_deliveries',
    'details',
    'causes',
    'deliveries',
  ].map((table) => db.prepare(`DELETE FROM ${table} WHERE seq = ?`))

  const dropUse = db
    .prepare<[number], number>(
      'UPDATE responses SET uses = uses - 1 WHERE key = (SELECT response FROM deliveries WHERE seq = ?) RETURNING key',
    )
    .pluck()
  const dropUnused = db.prepare('DELETE FROM responses WHERE key = ? AND uses <= 0')

  const remove = db.transaction(({ leavings, budgetMs }: RemovalBatch) => {
    const until = systemClock.monotonic() + budgetMs
    responsesOf(db).settle()
    let count = 0
    for (const { seq, notification } of leavings) {
      if (count > 0 && systemClock.monotonic() >= until) break
      count++
      // Its deletion was undone in the meantime.
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
  return (removal) => withRelaxedCommit(db, () => storingResponses(db, () => remove(removal)))
}

// Finds everything to delete together with hidden deliveries. The reader's thread does this, so that the writer only deletes.

/** Everything that belongs to a hidden delivery and is deleted with it. */
interface Leaving {
  readonly seq: number
  /** If it is the latest of its notification: the previous one that stays, or null. */
  readonly notification: { readonly key: number; readonly previous: number | null } | null
}

interface LeavingRow {
  readonly seq: number
  readonly id: string
  readonly notification_key: number | null
  readonly is_latest: number | null
  readonly first: string | null
}

/** Hidden deliveries, oldest first, that were hidden before `before` and are described, with everything to delete. */
export function readLeavings(
  db: ReadableDb,
  { before, limit }: { readonly before: number; readonly limit: number },
): Leaving[] {
  const rows = db
    .prepare<[number, number], LeavingRow>(
      `SELECT d.seq, d.id, d.notification_key, coalesce(d.attempt_of, d.duplicate_of) AS first, n.last_seq = d.seq AS is_latest
       FROM deleted x JOIN deliveries d ON d.seq = x.seq LEFT JOIN notifications n ON n.key = d.notification_key
       WHERE x.at < ? AND x.seq <= (SELECT described_seq FROM progress) ORDER BY x.seq LIMIT ?`,
    )
    .all(before, limit)
  const previous = db
    .prepare<{ first: string; seq: number }, number | null>(
      `SELECT max(d.seq) FROM deliveries d
       WHERE d.seq >= (SELECT min(seq, @seq) FROM deliveries WHERE id >= @first ORDER BY id LIMIT 1) AND d.seq < @seq
         AND (d.id = @first OR d.attempt_of = @first OR d.duplicate_of = @first) AND d.seq NOT IN (SELECT seq FROM deleted)`,
    )
    .pluck()
  return rows.map(({ seq, notification_key: key, is_latest: isLatest, first }) => ({
    seq,
    notification:
      key !== null && isLatest === 1
        ? { key, previous: first === null ? null : (previous.get({ first, seq }) ?? null) }
        : null,
  }))
}

/** Deliveries that are removed but still listed as hidden, left by an interrupted run. */
export function readForgotten(db: ReadableDb): number[] {
  return db
    .prepare<[], number>(
      'SELECT seq FROM deleted WHERE seq NOT IN (SELECT seq FROM deliveries) ORDER BY seq',
    )
    .pluck()
    .all()
}
