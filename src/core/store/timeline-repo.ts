/**
 * Reads deliveries over time, and their statistics, in short pieces: in the reader's thread or the search thread, so that no query
 * blocks anything.
 */
import {
  emptyGroup,
  RESPONSE_CLASSES,
  roundedTime,
  VERDICT_CLASSES,
  type Bin,
  type ResponseClass,
  type Statistics,
  type StatisticsGroup,
} from '../../shared/model/statistics.ts'
import type { Query } from '../../shared/query/query.ts'
import type { ReadableDb } from './open.ts'
import { find } from './search/finder.ts'
import { rowStatement, valuesOf } from './statements.ts'
import {
  COUNT_CHUNK,
  COUNTABLE_ROWS,
  COUNTED_SEQ,
  IS_NOT_DELETED,
  TOTAL_COLUMNS,
  TOTAL_COUNTS,
  TOTAL_WIDTHS,
  TOTALS_MINUTE_MS,
  VERDICT_CLASS,
  type TotalCounts,
} from './totals-repo.ts'

export interface TimelineInput {
  /** Null: every delivery, read from the totals. */
  readonly query: Query | null
  /** Start of the first bin, in milliseconds since the epoch. */
  readonly start: number
  /** Milliseconds of a bin: whole minutes. */
  readonly width: number
  readonly bins: number
  /** Where to continue, from seq `from` down to `to`; undefined at first. */
  readonly rest?: { readonly from: number; readonly to: number } | undefined
  readonly budgetMs: number
}

export interface TimelinePiece {
  readonly bins: Bin[]
  /** Null once everything is counted. */
  readonly rest: { from: number; to: number } | null
  /** The largest stored seq at that moment. */
  readonly newest: number
}

type CountedBin = TotalCounts & { readonly bin: number }

function toBin(counts: CountedBin): Bin {
  return {
    index: counts.bin,
    verdicts: VERDICT_CLASSES.map((name) => counts[name]),
    responses: RESPONSE_CLASSES.map((name) => counts[name]),
  }
}

/** Deliveries found per piece: their rows are read too, so a piece stays short. */
const FOUND_AT_ONCE = 4_096

/** Adds the time to a query. Its blocks keep the index from reading older deliveries. */
function within(query: Query | null, start: number, end: number): Query {
  const time: Query = {
    kind: 'bounds',
    field: 'received',
    bounds: [
      { operator: '>=', value: start },
      { operator: '<', value: end },
    ],
  }
  return query === null ? time : { kind: 'all', of: [time, query] }
}

/**
 * One piece of a timeline. The first one of all deliveries has the totals; what isn't counted yet follows row by row, newest first,
 * as does a query's every match.
 */
export function readTimeline(db: ReadableDb, { query, start, width, bins, rest, budgetMs }: TimelineInput): TimelinePiece {
  const end = start + bins * width
  return db.transaction((): TimelinePiece => {
    const newest = valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
    const counted = query === null && rest === undefined ? (valuesOf<number>(db, COUNTED_SEQ).get() ?? 0) : 0
    const from = rest?.from ?? newest
    const to = rest?.to ?? counted + 1
    const totals = counted === 0 ? [] : readTotals(db, start, end, width)
    if (from < to) return { bins: totals, rest: null, newest }
    const { seqs, next } = find(db, { query: within(query, start, end), from, to, limit: FOUND_AT_ONCE, budgetMs })
    const found = rowStatement<CountedBin>(
      db,
      `SELECT CAST((d.received_at - ?) / ? AS INTEGER) AS bin, ${TOTAL_COUNTS} FROM ${COUNTABLE_ROWS}
       WHERE d.seq IN (SELECT value FROM json_each(?)) GROUP BY 1`,
    ).all(start, width, JSON.stringify(seqs))
    return { bins: [...totals, ...found.map(toBin)], rest: next === null ? null : { from: next, to }, newest }
  })()
}

/** The totals in each bin, from the widest that fit into the bins. */
function readTotals(db: ReadableDb, start: number, end: number, width: number): Bin[] {
  const fitting = TOTAL_WIDTHS.findLast((one) => width % one === 0 && start % one === 0) ?? TOTALS_MINUTE_MS
  const sums = TOTAL_COLUMNS.map((name) => `sum(${name}) AS ${name}`).join(', ')
  return rowStatement<CountedBin>(
    db,
    `SELECT CAST((at - ?) / ? AS INTEGER) AS bin, ${sums} FROM delivery_totals WHERE width = ? AND at >= ? AND at < ? GROUP BY 1`,
  )
    .all(start, width, fitting, start, end)
    .map(toBin)
}

/** The earliest time of receipt, to the minute; of a database that is still being counted, a good guess. Null without deliveries. */
export function earliestReceipt(db: ReadableDb): number | null {
  return (
    valuesOf<number | null>(
      db,
      `SELECT min(at) FROM (SELECT min(at) AS at FROM delivery_totals WHERE width = ${TOTALS_MINUTE_MS}
         UNION ALL SELECT received_at FROM (SELECT received_at FROM deliveries d WHERE ${IS_NOT_DELETED} ORDER BY d.seq LIMIT 1)
         UNION ALL SELECT min(received_at) FROM (SELECT received_at FROM deliveries d
           WHERE d.seq > (${COUNTED_SEQ}) AND ${IS_NOT_DELETED} ORDER BY d.seq DESC LIMIT ${COUNT_CHUNK}))`,
    ).get() ?? null
  )
}

// Statistics: the rows of a query's matches, counted in JavaScript, because SQL would read them once per grouping.

export interface StatisticsInput {
  readonly query: Query
  /** Where to continue; undefined: from the newest. */
  readonly from?: number | undefined
  readonly budgetMs: number
}

export interface StatisticsPiece extends Statistics {
  /** Where to continue; null once everything is counted. */
  readonly next: number | null
}

interface CountedRow {
  readonly verdict: number
  readonly outcome: ResponseClass | null
  readonly event: string | null
  readonly hook: string | null
  readonly handler: string | null
  readonly retried: number
  readonly ours: number | null
  readonly handlers: number | null
}

/** Adds up rows in one group. */
function createGroup(key: string | null) {
  const verdicts = VERDICT_CLASSES.map(() => 0)
  const responses = RESPONSE_CLASSES.map(() => 0)
  const ours = new Map<number, number>()
  const handlers = new Map<number, number>()
  let retried = 0
  const note = (times: Map<number, number>, ms: number | null) => {
    if (ms === null) return
    const rounded = roundedTime(ms)
    times.set(rounded, (times.get(rounded) ?? 0) + 1)
  }
  return {
    add(row: CountedRow) {
      verdicts[row.verdict]!++
      if (row.outcome !== null) responses[RESPONSE_CLASSES.indexOf(row.outcome)]!++
      retried += row.retried
      note(ours, row.ours)
      note(handlers, row.handlers)
    },
    done: (): StatisticsGroup => ({
      ...emptyGroup(key),
      verdicts,
      responses,
      retried,
      ours: [...ours],
      handlers: [...handlers],
    }),
  }
}

function createGroups() {
  const groups = new Map<string | null, ReturnType<typeof createGroup>>()
  return {
    of(key: string | null) {
      const known = groups.get(key) ?? createGroup(key)
      groups.set(key, known)
      return known
    },
    done: () => Array.from(groups.values(), (group) => group.done()),
  }
}

/** One piece of the statistics of a query's matches, newest first. */
export function readStatistics(db: ReadableDb, { query, from, budgetMs }: StatisticsInput): StatisticsPiece {
  return db.transaction((): StatisticsPiece => {
    const { seqs, next } = find(db, { query, from, limit: FOUND_AT_ONCE, budgetMs })
    // Without a status there was no response to time.
    const rows = rowStatement<CountedRow>(
      db,
      `SELECT ${VERDICT_CLASS} AS verdict, r.outcome, d.event, d.hook_id AS hook, coalesce('@' || h.name, s.target) AS handler,
         d.attempt > 1 AS retried, CASE WHEN d.answer_status IS NOT NULL THEN d.answer_ms END AS ours,
         CASE WHEN s.status IS NOT NULL THEN s.ms END AS handlers
       FROM ${COUNTABLE_ROWS} LEFT JOIN sends s ON s.seq = r.send_seq LEFT JOIN handlers h ON h.seq = s.handler
       WHERE d.seq IN (SELECT value FROM json_each(?))`,
    )
    const all = createGroup(null)
    const event = createGroups()
    const hook = createGroups()
    const handler = createGroups()
    for (const row of rows.iterate(JSON.stringify(seqs))) {
      all.add(row)
      event.of(row.event).add(row)
      hook.of(row.hook).add(row)
      if (row.handler !== null) handler.of(row.handler).add(row)
    }
    return { all: all.done(), event: event.done(), hook: hook.done(), handler: handler.done(), next }
  })()
}
