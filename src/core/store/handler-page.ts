/** A handler's page: response times by minute, failures, and flows. */
import type { HandlerPage } from '../../shared/model/handler.ts'
import { MESSAGE_BYTES, responseMessage } from '../../shared/service/response-message.ts'
import { IS_FAILING } from './handler-responses.ts'
import { readHandlerFlows } from './handler-flows.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

const MINUTE_MS = 60_000
const LATEST_SHOWN = 10
/** Newest failures that are grouped by event and reason. */
const LATEST_READ = 1_000

interface PageInput {
  readonly id: string
  readonly now: number
  readonly minutes: number
}

interface SentRow {
  readonly startedAt: number
  readonly ms: number | null
  readonly status: number | null
  readonly failing: number
}

interface FailedRow {
  readonly replayId: string
  readonly position: number
  readonly deliveryId: string
  readonly event: string | null
  readonly startedAt: number
  readonly status: number | null
  readonly errorKind: HandlerPage['latest'][number]['errorKind']
  readonly body: Uint8Array | null
  readonly error: string | null
  readonly amount: string | null
  readonly currency: string | null
}

/** Returns a percentile by nearest rank. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

function percentiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) }
}

const iso = (time: number) => new Date(time).toISOString()

/** A send that failed: as in `response:failing`, or without a response. */
const IS_FAILED = `(${IS_FAILING} OR s.status IS NULL)`

type Failure = Omit<HandlerPage['latest'][number], 'ids'>

/** Groups failures, newest first, by event and reason. */
function byReason(failures: readonly Failure[]): HandlerPage['latest'] {
  const groups = Map.groupBy(failures, ({ event, status, errorKind, excerpt }) =>
    JSON.stringify([event, status, errorKind, excerpt]),
  )
  return [...groups.values()].slice(0, LATEST_SHOWN).flatMap((group) => {
    const ids = [...new Set(group.map(({ deliveryId }) => deliveryId))]
    return group.slice(0, 1).map((latest) => ({ ...latest, ids }))
  })
}

/** Reads a handler's page without its checks. */
export function readHandlerPage(
  db: ReadableDb,
  { id, now, minutes }: PageInput,
): Omit<HandlerPage, 'checks'> {
  const handler = rowStatement<{ seq: number; name: string; target: string }>(
    db,
    'SELECT seq, name, target FROM handlers WHERE id = ?',
  ).get(id) ?? { seq: -1, name: '', target: '' }
  const firstMinute = Math.floor(now / MINUTE_MS) - minutes + 1
  const since = firstMinute * MINUTE_MS
  const source = `sends s INDEXED BY sends_handler JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id
    LEFT JOIN details t ON t.seq = d.seq WHERE s.handler = ? AND s.state = 'settled' AND s.started_at >= ?`

  const byMinute = Array.from({ length: minutes }, () => ({
    times: [] as number[],
    count: 0,
    failed: 0,
  }))
  const sends = rowStatement<SentRow>(
    db,
    `SELECT s.started_at AS startedAt, s.ms, s.status, ${IS_FAILED} AS failing FROM ${source}`,
  )
  for (const { startedAt, ms, status, failing } of sends.iterate(handler.seq, since)) {
    const minute = byMinute[Math.min(minutes - 1, Math.floor(startedAt / MINUTE_MS) - firstMinute)]
    if (minute === undefined) continue
    minute.count++
    minute.failed += failing
    if (status !== null && ms !== null) minute.times.push(ms)
  }

  const latest = rowStatement<FailedRow>(
    db,
    `SELECT s.job_id AS replayId, s.position, d.id AS deliveryId, d.event, s.started_at AS startedAt, s.status,
         s.error_kind AS errorKind, substr(s.body, 1, ${MESSAGE_BYTES}) AS body, s.error, t.amount, t.currency
       FROM ${source} AND ${IS_FAILED} ORDER BY s.started_at DESC, s.seq DESC LIMIT ?`,
  )
    .all(handler.seq, since, LATEST_READ)
    .map(({ replayId, position, startedAt, amount, body, error, ...row }) => ({
      sendId: `${replayId}.${position}`,
      ...row,
      amount: amount === null ? null : Number(amount),
      excerpt: error ?? responseMessage(body ?? new Uint8Array()),
      at: iso(startedAt),
    }))
  const allTimes = byMinute.flatMap(({ times }) => times)
  return {
    at: iso(now),
    minutes: byMinute.map(({ times, count, failed: failing }, index) => ({
      at: iso((firstMinute + index) * MINUTE_MS),
      count,
      failed: failing,
      ...percentiles(times),
    })),
    requests: byMinute.reduce((sum, { count }) => sum + count, 0),
    failed: byMinute.reduce((sum, minute) => sum + minute.failed, 0),
    ...percentiles(allTimes),
    latest: byReason(latest),
    flows: readHandlerFlows(db, handler).map(({ shown }) => shown),
  }
}
