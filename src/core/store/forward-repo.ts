/** Forwarding, as it is stored: targets, their queues, and which deliveries the routes put into them. */
import type { Delivery } from '../../shared/model/delivery.ts'
import { deliveriesBySeq, readStoredBody } from './deliveries-repo.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import type { EndedSend } from './sends-batch.ts'
import type { Query } from '../../shared/query/query.ts'
import { whereOf } from './query-sql.ts'
import type { ForwardSettings } from '../../shared/model/forward.ts'

/** What is in a queue; word for word the condition of the index, or that is not used. */
const QUEUED = "kind = 'forward' AND state IN ('waiting', 'under-way')"

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

// Which deliveries go to which target: matched by the routes and put into the queues, with how far that has come.

export interface ForwardRoute {
  readonly targetId: string
  readonly query: Query
  readonly since: number
}

/** A delivery that fits a route. */
interface Routed {
  readonly targetId: string
  readonly seq: number
  readonly hookId: string | null
}

/** So many deliveries are looked at in one go. */
const ROUTE_PAGE = 1_000

/**
 * Which of the next deliveries go where, and up to which one that is now known. Only what is described is looked at, so that a
 * route can ask for all that a search can. What we send ourselves goes nowhere, or it would go round for ever; what was imported was
 * received elsewhere, and is news to nobody.
 */
export function routeNext(
  db: ReadableDb,
  routes: readonly ForwardRoute[],
): { readonly upTo: number; readonly found: Routed[]; readonly more: boolean } {
  const { described, routed } = db
    .prepare<[], { described: number; routed: number }>(
      'SELECT (SELECT described_seq FROM progress) AS described, (SELECT routed_seq FROM forward_progress) AS routed',
    )
    .get() ?? { described: 0, routed: 0 }
  const after = Math.max(routed, Math.min(...routes.map(({ since }) => since)))
  const upTo = Math.min(described, after + ROUTE_PAGE)
  const found = routes.flatMap(({ targetId, query, since }) => {
    const { sql, values } = whereOf(query)
    return db
      .prepare<unknown[], Omit<Routed, 'targetId'>>(
        `SELECT d.seq, d.hook_id AS hookId FROM deliveries d
         WHERE d.seq > ? AND d.seq <= ? AND d.replay_of IS NULL AND d.malformed IS NULL
           AND (d.remote IS NULL OR d.remote NOT LIKE 'imported:%')
           AND d.seq NOT IN (SELECT seq FROM deleted) AND ${sql} ORDER BY d.seq`,
      )
      .all(Math.max(after, since), upTo, ...values)
      .map((row) => ({ ...row, targetId }))
  })
  return { upTo, found, more: upTo < described }
}

export interface Enqueue {
  readonly rows: readonly {
    readonly targetId: string
    readonly url: string
    readonly deliverySeq: number
    readonly answers: boolean
  }[]
  /** Up to which delivery it is now decided where they go; null leaves that as it is. */
  readonly upTo: number | null
}

/**
 * Puts deliveries into queues, none twice. A delivery is durable before this, and looked at again after a power cut: it does not
 * wait for the disk.
 */
export function enqueue(db: WritableDb, { rows, upTo }: Enqueue): void {
  const insert = db.prepare(
    `INSERT INTO sends (job_id, position, delivery_seq, target, state, kind, answers)
     SELECT @targetId, coalesce((SELECT max(position) FROM sends WHERE job_id = @targetId), 0) + 1, @deliverySeq, @url, 'waiting', 'forward', @answers
     WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = @deliverySeq)
       AND NOT EXISTS (SELECT 1 FROM sends WHERE delivery_seq = @deliverySeq AND job_id = @targetId)`,
  )
  const route = db.transaction(() => {
    for (const { answers, ...row } of rows) insert.run({ ...row, answers: answers ? 1 : 0 })
    if (upTo !== null) db.prepare('UPDATE forward_progress SET routed_seq = max(routed_seq, ?)').run(upTo)
  })
  withRelaxedCommit(db, route)
}

// Forward targets as they are stored.

/** What is kept of a target as JSON. */
interface KeptSettings extends ForwardSettings {
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
