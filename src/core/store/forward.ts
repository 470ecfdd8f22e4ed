/** Stores forwarding: targets, their queues, and which deliveries the routes put into them. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { deliveriesBySeq, readStoredBody } from './deliveries.ts'
import { SEARCHED_COLUMNS } from './delivery-columns.ts'
import { handlerSeq } from './handlers.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import type { EndedSend } from './sends.ts'
import type { Query } from '../../shared/query/query.ts'
import { whereOf } from './query-sql.ts'
import type { ForwardSettings } from '../../shared/model/forward.ts'
import { jsonSql, tableOf } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** Queue membership; word for word the index's condition, otherwise SQLite doesn't use it. */
const QUEUED = "kind = 'forward' AND state IN ('waiting', 'under-way')"

export interface Drop {
  /** The target's id. */
  readonly id: string
  readonly reason: string
  /** The batch size. */
  readonly most: number
}

/** Discards some pending sends of a target; returns how many: fewer than `most` if none is left. */
export function dropWaiting(db: WritableDb, { id, reason, most }: Drop): number {
  return db
    .prepare(
      `UPDATE sends SET state = 'cancelled', error = ?
       WHERE seq IN (SELECT seq FROM sends WHERE ${QUEUED} AND job_id = ? AND state = 'waiting' LIMIT ?)`,
    )
    .run(reason, id, most).changes
}

/** Records that a send is in progress, before its first byte. The target's URL may have changed since it was queued. */
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

/** A recorded send that won't be sent now is pending again. */
export function releaseForward(db: WritableDb, seq: number): void {
  const release = db.prepare(
    "UPDATE sends SET state = 'waiting', started_at = NULL, registered_url = NULL WHERE seq = ?",
  )
  withRelaxedCommit(db, () => release.run(seq))
}

/**
 * After the program ended: sends in progress are uncertain and wait again in their place, except those whose response the service
 * waited for, because the service sends them again.
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
  /** When the oldest pending delivery was received; null if there is none. */
  readonly oldestAt: number | null
}

/** Pending sends per target; targets without any are left out. */
export function queueCounts(db: ReadableDb): QueueCounts[] {
  return rowStatement<QueueCounts>(
    db,
    `SELECT q.targetId, q.waiting, q.underWay, d.received_at AS oldestAt FROM
         (SELECT job_id AS targetId, sum(state = 'waiting') AS waiting, sum(state = 'under-way') AS underWay,
            min(CASE state WHEN 'waiting' THEN delivery_seq END) AS oldest FROM sends WHERE ${QUEUED} GROUP BY job_id) q
       LEFT JOIN deliveries d ON d.seq = q.oldest`,
  ).all()
}

/** A send that may be next, with everything needed to make it; `delivery` is null if it was deleted in the meantime. */
export interface QueuedSend {
  readonly seq: number
  readonly position: number
  readonly deliverySeq: number
  readonly tries: number
  /** Whether the service waits for its response. */
  readonly answers: boolean
  /** Deliveries of one hook are sent one after another. */
  readonly lane: string
  readonly delivery: Delivery | null
  readonly body: Uint8Array
}

/** A page has at most about this many bytes of bodies, but at least one send. */
const PAGE_BYTES = 8 * 1_048_576

/** The first pending sends of a target, oldest delivery first, from all lanes that aren't busy. */
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
    if (page.length > 0 && bytes > PAGE_BYTES) break
    page.push({
      ...row,
      answers: row.answers === 1,
      delivery: deliveries.get(row.deliverySeq) ?? null,
      body,
    })
  }
  return page
}

// Which deliveries go to which target: matched by the routes and queued, with the progress.

export interface ForwardRoute {
  readonly targetId: string
  readonly query: Query
  readonly since: number
}

/** A delivery that matches a route. */
interface Routed {
  readonly targetId: string
  readonly seq: number
  readonly hookId: string | null
}

/**
 * A stored delivery as it will be described in a moment: its event is the one that its payload
 * names.
 */
const AS_DESCRIBED = `SELECT ${SEARCHED_COLUMNS.filter((column) => !/^event/.test(column)).join(', ')},
  coalesce(event, ?) AS event, iif(event IS NULL, ?, event_candidates) AS event_candidates FROM deliveries WHERE seq = ?`

/** A just stored delivery, and the routes it may match. */
export interface RouteSearch {
  readonly seq: number
  /** The events that its payload may be of, if no signature identified one. */
  readonly events: readonly string[]
  readonly routes: readonly Omit<ForwardRoute, 'since'>[]
}

/** Returns the ID of the first target whose route the delivery matches; null if there is none. */
export function firstRoute(db: ReadableDb, { seq, events, routes }: RouteSearch): string | null {
  const [event = null] = events.length === 1 ? events : []
  const candidates = JSON.stringify(event === null ? events : [])
  const matching = routes.find(({ query }) => {
    const { sql, values } = whereOf(query)
    return (
      rowStatement(db, `SELECT 1 FROM (${AS_DESCRIBED}) d WHERE ${sql}`).get(
        event,
        candidates,
        seq,
        ...values,
      ) !== undefined
    )
  })
  return matching?.targetId ?? null
}

/** Deliveries examined per call. */
const ROUTE_PAGE = 1_000

/**
 * Which of the next deliveries go where, and up to which one that is now decided. Only described deliveries are examined, so that a
 * route can use everything a search can. Our own sends are never forwarded, because they would loop forever; imported deliveries
 * aren't either, because they were received elsewhere.
 */
export function routeNext(
  db: ReadableDb,
  routes: readonly ForwardRoute[],
): { readonly upTo: number; readonly found: Routed[]; readonly more: boolean } {
  const { described, routed } = rowStatement<{ described: number; routed: number }>(
    db,
    'SELECT (SELECT described_seq FROM progress) AS described, (SELECT routed_seq FROM forward_progress) AS routed',
  ).get() ?? { described: 0, routed: 0 }
  const after = Math.max(routed, Math.min(...routes.map(({ since }) => since)))
  const upTo = Math.min(described, after + ROUTE_PAGE)
  const found = routes.flatMap(({ targetId, query, since }) => {
    const { sql, values } = whereOf(query)
    return rowStatement<Omit<Routed, 'targetId'>>(
      db,
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

/** Hooks with what their deliveries are searched by. */
export type HookSearch = readonly Pick<Hook, 'id' | 'environment' | 'mode'>[]

/** Returns the hooks of which a delivery about which nothing else is known matches a query. */
export function hooksMatching(
  db: ReadableDb,
  { query, hooks }: { readonly query: Query; readonly hooks: HookSearch },
): string[] {
  const { sql, values } = whereOf(query)
  return valuesOf<string>(
    db,
    `SELECT d.hook_id FROM (SELECT value ->> 'id' AS hook_id, value ->> 'environment' AS environment,
       value ->> 'mode' AS mode FROM json_each(?)) d WHERE ${sql}`,
  ).all(JSON.stringify(hooks), ...values)
}

export interface Enqueue {
  readonly rows: readonly {
    readonly targetId: string
    readonly url: string
    readonly deliverySeq: number
    readonly answers: boolean
  }[]
  /** The seq up to which routing is now decided; null leaves it unchanged. */
  readonly upTo: number | null
}

/**
 * Queues deliveries, each once. The deliveries are already durable and examined again after a power cut, so this doesn't wait for
 * the disk.
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
    if (upTo !== null)
      db.prepare('UPDATE forward_progress SET routed_seq = max(routed_seq, ?)').run(upTo)
  })
  withRelaxedCommit(db, route.immediate)
}

// Stored forward targets.

export interface StoredTarget {
  readonly id: string
  readonly createdAt: number
  readonly settings: ForwardSettings
  readonly paused: boolean
  readonly temporary: boolean
  /** Only later deliveries are forwarded there. */
  readonly since: number
}

const targets = tableOf<StoredTarget>('forward_targets', 'id', {
  settings: ['json', 'settings'],
  paused: ['flag', 'paused'],
  temporary: ['flag', 'temporary'],
  since: ['plain', 'since_seq'],
})

/** In order of creation. */
export function listTargets(db: ReadableDb): StoredTarget[] {
  return targets.list(db, 'ORDER BY created_at, id')
}

/** Stores a target. Pending sends go to its current URL when their turn comes, however many there are. */
export function putTarget(db: WritableDb, target: StoredTarget): void {
  targets.put(db, target)
}

/**
 * Removes a target with the pending sends that weren't discarded before; returns how many. Finished sends stay with their
 * deliveries.
 */
export function removeTarget(db: WritableDb, { id, reason }: Omit<Drop, 'most'>): number {
  return db
    .transaction(() => {
      db.prepare('DELETE FROM forward_targets WHERE id = ?').run(id)
      return dropWaiting(db, { id, reason, most: -1 })
    })
    .immediate()
}
