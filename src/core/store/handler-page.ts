/** A handler's page: response times by minute, failures, and flows. */
import type { HandlerPage } from '../../shared/model/handler.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { IS_FAILING } from './handler-responses.ts'
import { jsonOf, jsonSql, readRows } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

const MINUTE_MS = 60_000
const LATEST_SHOWN = 10
const EXCERPT_BYTES = 2_048
const EXCERPT_LENGTH = 120

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
  readonly jobId: string
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

/** Returns the error message of a JSON body, else the body's start. */
function excerptOf(body: Uint8Array): string {
  const parsed = parseBody(body)
  const { message, error }: { readonly message?: unknown; readonly error?: unknown } =
    parsed.ok && typeof parsed.value === 'object' && parsed.value !== null ? parsed.value : {}
  const reason = [message, error].find((value) => typeof value === 'string')
  const text = reason ?? Buffer.from(body.subarray(0, EXCERPT_BYTES)).toString('utf8')
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= EXCERPT_LENGTH ? line : `${line.slice(0, EXCERPT_LENGTH - 1)}…`
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
    `SELECT s.started_at AS startedAt, s.ms, s.status, ${IS_FAILING} AS failing FROM ${source}`,
  )
  for (const { startedAt, ms, status, failing } of sends.iterate(handler.seq, since)) {
    const minute = byMinute[Math.min(minutes - 1, Math.floor(startedAt / MINUTE_MS) - firstMinute)]
    if (minute === undefined) continue
    minute.count++
    minute.failed += failing
    if (status !== null && ms !== null) minute.times.push(ms)
  }

  const failed = `FROM ${source} AND ${IS_FAILING}`
  const latest = rowStatement<FailedRow>(
    db,
    `SELECT s.job_id AS jobId, s.position, d.id AS deliveryId, d.event, s.started_at AS startedAt, s.status,
         s.error_kind AS errorKind, s.body, s.error, t.amount, t.currency
       ${failed} ORDER BY s.started_at DESC, s.seq DESC LIMIT ?`,
  )
    .all(handler.seq, since, LATEST_SHOWN)
    .map(({ jobId, position, startedAt, amount, body, error, ...row }) => ({
      sendId: `${jobId}.${position}`,
      ...row,
      amount: amount === null ? null : Number(amount),
      excerpt: error ?? excerptOf(body ?? new Uint8Array()),
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
    latest,
    flows: lastFlows(db, handler),
  }
}

const SUMMARY = jsonSql('summary', '{}')

/** Returns each flow's last finished run against a handler. */
function lastFlows(
  db: ReadableDb,
  { name, target }: { readonly name: string; readonly target: string },
): HandlerPage['flows'] {
  const byFlow = new Map<string, HandlerPage['flows'][number]>()
  const runs = columnStatement<string>(
    db,
    `SELECT summary FROM flow_runs WHERE ${SUMMARY} ->> '$.state' = 'done'
         AND (${SUMMARY} ->> '$.handlerName' = ? OR ${SUMMARY} ->> '$.handler' = ?) ORDER BY id DESC`,
  )
  const summaries = readRows(runs.all(name, target), (text) => jsonOf('flow_runs.summary', text))
  for (const { flow, title, id, outcome, summary, startedAt, endedAt } of summaries) {
    if (byFlow.has(flow) || outcome === null || endedAt === null) continue
    byFlow.set(flow, { flow, title, runId: id, outcome, summary, startedAt, endedAt })
  }
  return [...byFlow.values()]
}
