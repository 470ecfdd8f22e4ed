/** Queues of forward targets: their pending sends. */
import type { Delivery } from '../../shared/model/delivery.ts'
import { deliveriesBySeq } from './deliveries.ts'
import { handlerSeq } from './handlers.ts'
import { jsonSql } from './rows.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import type { EndedSend } from './record-sends.ts'
import { readStoredBody } from './stored-bodies.ts'

/** Condition of queued sends, worded as in the index `sends_forward`. */
const QUEUED = "kind = 'forward' AND state IN ('waiting', 'under-way')"

export interface Discard {
  readonly id: string
  readonly reason: string
  readonly limit: number
}

/** Discards a target's pending sends, all if the limit is negative, and returns how many. */
export function discardPending(db: WritableDb, { id, reason, limit }: Discard): number {
  return db
    .prepare(
      `UPDATE sends SET state = 'cancelled', error = ?
       WHERE seq IN (SELECT seq FROM sends WHERE ${QUEUED} AND job_id = ? AND state = 'waiting' LIMIT ?)`,
    )
    .run(reason, id, limit).changes
}

/** Records that a send is in progress, before its first byte. */
export function beginForward(
  db: WritableDb,
  {
    seq,
    at,
    registeredUrl,
    target,
  }: Pick<EndedSend, 'registeredUrl' | 'target'> & {
    readonly seq: number
    readonly at: number
  },
): void {
  const begin = db.prepare(
    `UPDATE sends SET state = 'under-way', started_at = ?, registered_url = ?, target = ?,
       handler = ${handlerSeq(`(SELECT ${jsonSql('settings', '{}')} ->> '$.handlerId' FROM forward_targets WHERE id = sends.job_id)`, '?')}
     WHERE seq = ?`,
  )
  withRelaxedCommit(db, () => begin.run(at, registeredUrl, target, target, seq))
}

/** Makes a send in progress pending again. */
export function requeueForward(db: WritableDb, seq: number): void {
  const requeue = db.prepare(
    "UPDATE sends SET state = 'waiting', started_at = NULL, registered_url = NULL WHERE seq = ?",
  )
  withRelaxedCommit(db, () => requeue.run(seq))
}

/** Queues interrupted sends again, except those whose response the service waited for. */
export function requeueInterrupted(db: WritableDb): void {
  const isUnderWay = `${QUEUED} AND state = 'under-way'`
  db.transaction(() => {
    db.prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, state, kind, tries)
       SELECT s.job_id, (SELECT max(position) FROM sends WHERE job_id = s.job_id) + row_number() OVER (PARTITION BY s.job_id ORDER BY s.delivery_seq),
         s.delivery_seq, s.target, 'waiting', 'forward', s.tries
       FROM sends s WHERE ${isUnderWay} AND s.answers = 0 AND s.job_id IN (SELECT id FROM forward_targets)`,
    ).run()
    db.prepare(`UPDATE sends SET state = 'uncertain' WHERE ${isUnderWay}`).run()
    db.prepare(
      `UPDATE sends SET state = 'cancelled', error = ? WHERE ${QUEUED} AND state = 'waiting' AND answers = 1`,
    ).run(
      'Countersign stopped before its turn. The service got no response, so it sends the delivery again.',
    )
  }).immediate()
}

export interface QueueCounts {
  readonly targetId: string
  readonly waiting: number
  readonly underWay: number
  /** Time of the oldest pending delivery, or null. */
  readonly oldestAt: number | null
}

export function queueCounts(db: ReadableDb): QueueCounts[] {
  return rowStatement<QueueCounts>(
    db,
    `SELECT q.targetId, q.waiting, q.underWay, d.received_at AS oldestAt FROM
         (SELECT job_id AS targetId, sum(state = 'waiting') AS waiting, sum(state = 'under-way') AS underWay,
            min(CASE state WHEN 'waiting' THEN delivery_seq END) AS oldest FROM sends WHERE ${QUEUED} GROUP BY job_id) q
       LEFT JOIN deliveries d ON d.seq = q.oldest`,
  ).all()
}

/** Pending send; `delivery` is null if it was deleted. */
export interface QueuedSend {
  readonly seq: number
  readonly position: number
  readonly deliverySeq: number
  readonly tries: number
  /** Whether the service waits for its response. */
  readonly answers: boolean
  /** Key of deliveries that are sent one after another. */
  readonly lane: string
  readonly delivery: Delivery | null
  readonly body: Uint8Array
}

const MAX_PAGE_BYTES = 8 * 1_048_576

/** Reads a target's first pending sends, from lanes that aren't busy. */
export function nextQueued(
  db: ReadableDb,
  {
    targetId,
    busy,
    limit,
  }: { readonly targetId: string; readonly busy: readonly string[]; readonly limit: number },
): QueuedSend[] {
  const rows = rowStatement<
    Omit<QueuedSend, 'answers' | 'delivery' | 'body'> & { readonly answers: number }
  >(
    db,
    `SELECT s.seq, s.position, s.delivery_seq AS deliverySeq, s.tries, s.answers, coalesce(d.hook_id, '') AS lane
       FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq
       WHERE ${QUEUED} AND s.job_id = ? AND s.state = 'waiting'
         AND coalesce(d.hook_id, '') NOT IN (SELECT value FROM json_each(?)) ORDER BY s.delivery_seq LIMIT ?`,
  ).all(targetId, JSON.stringify(busy), limit)
  const deliveries = new Map(
    deliveriesBySeq(
      db,
      rows.map(({ deliverySeq }) => deliverySeq),
    ).map((delivery) => [delivery.seq, delivery]),
  )
  const page: QueuedSend[] = []
  let bytes = 0
  for (const row of rows) {
    const body = readStoredBody(db, { seq: row.deliverySeq }).bytes
    bytes += body.length
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) break
    page.push({
      ...row,
      answers: row.answers === 1,
      delivery: deliveries.get(row.deliverySeq) ?? null,
      body,
    })
  }
  return page
}
