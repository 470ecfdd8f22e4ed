/** Routes: which deliveries go to which forward target. */
import type { Hook } from '../../shared/model/hook.ts'
import type { Query } from '../../shared/query/query.ts'
import { SEARCHED_COLUMNS } from './delivery-columns.ts'
import { whereOf } from './query-sql.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'

export interface ForwardRoute {
  readonly targetId: string
  readonly query: Query
  readonly since: number
}

interface Routed {
  readonly targetId: string
  readonly seq: number
  readonly hookId: string | null
}

/** SQL of a delivery with the events that its payload names, before they are stored. */
const AS_DESCRIBED = `SELECT ${SEARCHED_COLUMNS.filter((column) => !/^event/.test(column)).join(', ')},
  coalesce(event, ?) AS event, iif(event IS NULL, ?, event_candidates) AS event_candidates FROM deliveries WHERE seq = ?`

export interface RouteSearch {
  readonly seq: number
  /** Possible events, if no signature identified one. */
  readonly events: readonly string[]
  readonly routes: readonly Omit<ForwardRoute, 'since'>[]
}

/** Returns the first target whose route matches, or null. */
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

const ROUTE_PAGE = 1_000

/** Returns the targets of the next deliveries, except imported ones and our own sends. */
export function routeNext(
  db: ReadableDb,
  routes: readonly ForwardRoute[],
): { readonly upTo: number; readonly matches: Routed[]; readonly hasMore: boolean } {
  const { described, routed } = rowStatement<{ described: number; routed: number }>(
    db,
    'SELECT (SELECT described_seq FROM progress) AS described, (SELECT routed_seq FROM forward_progress) AS routed',
  ).get() ?? { described: 0, routed: 0 }
  const after = Math.max(routed, Math.min(...routes.map(({ since }) => since)))
  const upTo = Math.min(described, after + ROUTE_PAGE)
  const matches = routes.flatMap(({ targetId, query, since }) => {
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
  return { upTo, matches, hasMore: upTo < described }
}

export type HookSearch = readonly Pick<Hook, 'id' | 'environment' | 'mode'>[]

/** Returns the hooks whose deliveries match a query. */
export function hooksMatching(
  db: ReadableDb,
  { query, hooks }: { readonly query: Query; readonly hooks: HookSearch },
): string[] {
  const { sql, values } = whereOf(query)
  return columnStatement<string>(
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
  /** Seq up to which routing is decided; null keeps the stored one. */
  readonly upTo: number | null
}

/** Queues deliveries, each once, without a wait for the disk. */
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
