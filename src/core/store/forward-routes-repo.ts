/** Which deliveries go to which target: found by the routes, and put into the queues, with how far that has come. */
import type { Query } from '../../shared/query/query.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { whereOf } from './query-sql.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

export interface ForwardRoute {
  readonly targetId: string
  readonly query: Query
  readonly since: number
}

/** A delivery that fits a route. */
export interface Routed {
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
