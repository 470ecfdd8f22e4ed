/**
 * The queues of targets: sends of the kind `forward`, named by their target and their place in it. What waits goes in the order in
 * which the deliveries came, whatever the places are.
 */
import type { Delivery } from '../../shared/model/delivery.ts'
import { deliveriesBySeq, readStoredBody } from './deliveries-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import type { EndedSend } from './sends-batch.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

/** What is in a queue; word for word the condition of the index, or that is not used. */
export const QUEUED = "kind = 'forward' AND state IN ('waiting', 'under-way')"

export interface Drop {
  /** Of the target. */
  readonly id: string
  readonly reason: string
  /** So many at once. */
  readonly most: number
}

/** Some of what waits of a target will not go; gives how many that were: fewer than `most` where none is left. */
export function dropWaiting(db: WritableDb, { id, reason, most }: Drop): number {
  return db
    .prepare(
      `UPDATE sends SET state = 'cancelled', error = ?
       WHERE seq IN (SELECT seq FROM sends WHERE ${QUEUED} AND job_id = ? AND state = 'waiting' LIMIT ?)`,
    )
    .run(reason, id, most).changes
}

/** A try that did not do: the send waits again. `counts`: whether it is one of the tries that a delivery has. */
export function waitAgain(
  db: WritableDb,
  { send, counts }: { readonly send: Pick<EndedSend, 'seq' | 'status' | 'ms' | 'errorKind' | 'error'>; readonly counts: boolean },
): void {
  withRelaxedCommit(db, () =>
    db
      .prepare(
        "UPDATE sends SET state = 'waiting', status = ?, ms = ?, error_kind = ?, error = ?, tries = tries + ? WHERE seq = ?",
      )
      .run(send.status, send.ms, send.errorKind, send.error, counts ? 1 : 0, send.seq),
  )
}

/**
 * After the program ended: what was under way is uncertain and waits once more, in its place; but for what the service waited for,
 * which it sends again itself.
 */
export function reviveQueues(db: WritableDb): void {
  const underWay = `${QUEUED} AND state = 'under-way'`
  db.transaction(() => {
    db.prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, state, kind, tries)
       SELECT s.job_id, (SELECT max(position) FROM sends WHERE job_id = s.job_id) + row_number() OVER (PARTITION BY s.job_id ORDER BY s.delivery_seq),
         s.delivery_seq, s.target, 'waiting', 'forward', s.tries
       FROM sends s WHERE ${underWay} AND s.answers = 0 AND s.job_id IN (SELECT id FROM forward_targets)`,
    ).run()
    db.prepare(`UPDATE sends SET state = 'uncertain' WHERE ${underWay}`).run()
    db.prepare(`UPDATE sends SET state = 'cancelled', error = ? WHERE ${QUEUED} AND state = 'waiting' AND answers = 1`).run(
      'The program ended before its turn. The service got no answer, so it sends the delivery again.',
    )
  })()
}

export interface QueueCounts {
  readonly targetId: string
  readonly waiting: number
  readonly underWay: number
  /** When the oldest that waits was received; null where none waits. */
  readonly oldestAt: number | null
}

/** How much waits of each target; those of which nothing does are left out. */
export function queueCounts(db: ReadableDb): QueueCounts[] {
  return db
    .prepare<[], QueueCounts>(
      `SELECT q.targetId, q.waiting, q.underWay, d.received_at AS oldestAt FROM
         (SELECT job_id AS targetId, sum(state = 'waiting') AS waiting, sum(state = 'under-way') AS underWay,
            min(CASE state WHEN 'waiting' THEN delivery_seq END) AS oldest FROM sends WHERE ${QUEUED} GROUP BY job_id) q
       LEFT JOIN deliveries d ON d.seq = q.oldest`,
    )
    .all()
}

/** A send whose turn may come, with all it is made of; `delivery` is null where that was deleted meanwhile. */
export interface QueuedSend {
  readonly seq: number
  readonly deliverySeq: number
  readonly tries: number
  /** Whether the service waits for its answer. */
  readonly answers: boolean
  /** Deliveries of one hook go one after another. */
  readonly lane: string
  readonly delivery: Delivery | null
  readonly body: Uint8Array
}

/** A page holds about so many bytes of bodies at most; it has one send at least. */
const PAGE_BYTES = 8 * 1_048_576
const WHOLE = Number.MAX_SAFE_INTEGER

/** The first that wait for a target, oldest delivery first, of all lanes but those that are busy. */
export function nextQueued(
  db: ReadableDb,
  { targetId, busy, limit }: { readonly targetId: string; readonly busy: readonly string[]; readonly limit: number },
): QueuedSend[] {
  const rows = db
    .prepare<[string, string, number], { seq: number; deliverySeq: number; tries: number; answers: number; lane: string }>(
      `SELECT s.seq, s.delivery_seq AS deliverySeq, s.tries, s.answers, coalesce(d.hook_id, '') AS lane
       FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq
       WHERE ${QUEUED} AND s.job_id = ? AND s.state = 'waiting'
         AND coalesce(d.hook_id, '') NOT IN (SELECT value FROM json_each(?)) ORDER BY s.delivery_seq LIMIT ?`,
    )
    .all(targetId, JSON.stringify(busy), limit)
  const deliveries = new Map(
    deliveriesBySeq(
      db,
      rows.map(({ deliverySeq }) => deliverySeq),
    ).map((delivery) => [delivery.seq, delivery]),
  )
  const page: QueuedSend[] = []
  let bytes = 0
  for (const row of rows) {
    const body = readStoredBody(db, { seq: row.deliverySeq, offset: 0, length: WHOLE }).bytes
    bytes += body.length
    if (page.length > 0 && bytes > PAGE_BYTES) break
    page.push({ ...row, answers: row.answers === 1, delivery: deliveries.get(row.deliverySeq) ?? null, body })
  }
  return page
}
