/** Reads deliveries over time, and their statistics; and keeps the per-minute totals from which a timeline without a filter is read. */
import {
  addBins,
  emptyGroup,
  RESPONSE_CLASSES,
  roundedTime,
  VERDICT_CLASSES,
  type Bin,
  type ResponseClass,
  type Statistics,
  type StatisticsGroup,
  type VerdictClass,
} from '../../shared/model/statistics.ts'
import { FLAGS } from '../../shared/query/flags.ts'
import { NOT_OF_FLOWS, type Query } from '../../shared/query/query.ts'
import { REPLAY_OUTCOME, type ResponseChange } from './handler-responses.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { matchesOf } from './search/finder.ts'
import { rowStatement, stillWanted, valuesOf } from './statements.ts'

export interface TimelineInput {
  /** Null: every delivery but those of flow runs, read from the totals. */
  readonly query: Query | null
  /** Start of the first bin, in milliseconds since the epoch. */
  readonly start: number
  /** Milliseconds of a bin: whole minutes. */
  readonly width: number
  readonly bins: number
}

type CountedBin = TotalCounts & { readonly bin: number }

function toBin(counts: CountedBin): Bin {
  return {
    index: counts.bin,
    verdicts: VERDICT_CLASSES.map((name) => counts[name]),
    responses: RESPONSE_CLASSES.map((name) => counts[name]),
  }
}

/** Deliveries over time: all from the totals, and what these don't count yet from the rows; matches of a query from the rows. */
export function readTimeline(db: ReadableDb, { query, start, width, bins }: TimelineInput): Bin[] {
  const since = start
  const until = start + bins * width
  return db.transaction((): Bin[] => {
    const counted = query === null ? (valuesOf<number>(db, COUNTED_SEQ).get() ?? 0) : 0
    const matches = matchesOf(db, {
      query: query ?? NOT_OF_FLOWS,
      to: counted + 1,
      since,
      until,
    })
    return matches.reduce(
      (sum, { sql, values }) => {
        const rows = rowStatement<CountedBin>(
          db,
          `SELECT CAST((d.received_at - ?) / ? AS INTEGER) AS bin, ${TOTAL_COUNTS}
           FROM (${sql}) m CROSS JOIN ${COUNTABLE_ROWS}
           WHERE d.seq = m.seq AND d.received_at >= ? AND d.received_at < ? GROUP BY 1`,
        )
        return addBins(sum, rows.all(start, width, ...values, since, until).map(toBin))
      },
      counted === 0 ? [] : readTotals(db, { start, width, bins }),
    )
  })()
}

type Cover = readonly [bin: number, width: number, from: number, to: number]

/**
 * Covers a time with the widest totals: days inside, hours around them, minutes at the ends. A bar may start at any minute, as in
 * a time zone of half an hour, and still is the sum of few totals.
 */
function coverOf(bin: number, from: number, to: number, place = TOTAL_WIDTHS.length - 1): Cover[] {
  if (from >= to) return []
  const width = TOTAL_WIDTHS[place] ?? TOTALS_MINUTE_MS
  if (place === 0) return [[bin, width, from, to]]
  const first = Math.ceil(from / width) * width
  const last = Math.floor(to / width) * width
  if (first >= last) return coverOf(bin, from, to, place - 1)
  return [
    ...coverOf(bin, from, first, place - 1),
    [bin, width, first, last],
    ...coverOf(bin, last, to, place - 1),
  ]
}

function readTotals(
  db: ReadableDb,
  { start, width, bins }: Pick<TimelineInput, 'start' | 'width' | 'bins'>,
): Bin[] {
  const covers = Array.from({ length: bins }, (_, bin) =>
    coverOf(bin, start + bin * width, start + (bin + 1) * width),
  )
  const sums = TOTAL_COLUMNS.map((name) => `sum(t.${name}) AS ${name}`).join(', ')
  return rowStatement<CountedBin>(
    db,
    `SELECT c.value ->> 0 AS bin, ${sums} FROM json_each(?) c
     CROSS JOIN delivery_totals t ON t.width = c.value ->> 1 AND t.at >= c.value ->> 2 AND t.at < c.value ->> 3 GROUP BY 1`,
  )
    .all(JSON.stringify(covers.flat()))
    .map(toBin)
}

/** The earliest time of receipt, to the minute; of a database that is still being counted, a good guess. Null without deliveries. */
export function earliestReceipt(db: ReadableDb): number | null {
  return (
    valuesOf<number | null>(
      db,
      `SELECT min(at) FROM (SELECT min(at) AS at FROM delivery_totals WHERE width = ${TOTALS_MINUTE_MS}
         UNION ALL SELECT received_at FROM (SELECT received_at FROM deliveries d WHERE ${IS_LISTED} ORDER BY d.seq LIMIT 1)
         UNION ALL SELECT min(received_at) FROM (SELECT received_at FROM deliveries d
           WHERE d.seq > (${COUNTED_SEQ}) AND ${IS_LISTED} ORDER BY d.seq DESC LIMIT ${COUNT_CHUNK}))`,
    ).get() ?? null
  )
}

// Statistics: the rows of a query's matches, counted in JavaScript, because SQL would read them once per grouping.

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

function createSums() {
  const all = createGroup(null)
  const groups = {
    event: new Map<string | null, ReturnType<typeof createGroup>>(),
    hook: new Map<string | null, ReturnType<typeof createGroup>>(),
    handler: new Map<string | null, ReturnType<typeof createGroup>>(),
  }
  function addTo(by: keyof typeof groups, row: CountedRow): void {
    const key = row[by]
    const group = groups[by].get(key) ?? createGroup(key)
    groups[by].set(key, group)
    group.add(row)
  }
  const done = (by: keyof typeof groups) => Array.from(groups[by].values(), (group) => group.done())
  return {
    add(row: CountedRow) {
      all.add(row)
      addTo('event', row)
      addTo('hook', row)
      if (row.handler !== null) addTo('handler', row)
    },
    done: (): Statistics => ({
      all: all.done(),
      event: done('event'),
      hook: done('hook'),
      handler: done('handler'),
    }),
  }
}

/** What the view "Retried" finds. */
const IS_RETRIED = FLAGS['is:retry'].sql
const HANDLER_NAME = "coalesce('@' || h.name, s.target)"
// Without a status there was no response to time.
const HANDLER_MS = 'CASE WHEN s.status IS NOT NULL THEN s.ms END'

export function readStatistics(db: ReadableDb, query: Query): Statistics {
  return db.transaction((): Statistics => {
    const { add, done } = createSums()
    for (const { sql, values } of matchesOf(db, { query })) {
      const rows = rowStatement<CountedRow>(
        db,
        `SELECT ${STATISTICS_OF}, r.outcome, CASE WHEN d.answer_status IS NOT NULL THEN d.answer_ms END AS ours
         FROM (${sql}) m CROSS JOIN ${COUNTABLE_ROWS} LEFT JOIN sends s ON s.seq = r.send_seq LEFT JOIN handlers h ON h.seq = s.handler
         WHERE d.seq = m.seq`,
      )
      for (const row of rows.iterate(...values)) add(row)
    }
    return done()
  })()
}

/** The statistics of a replay's sends that have ended with a response or without one. */
export function readReplayStatistics(db: ReadableDb, jobId: string): Statistics {
  const rows = rowStatement<CountedRow>(
    db,
    `SELECT ${STATISTICS_OF}, nullif(${REPLAY_OUTCOME}, 'recorded') AS outcome, NULL AS ours
     FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id
       LEFT JOIN handlers h ON h.seq = s.handler
     WHERE ${stillWanted('s.position')} AND s.job_id = ? AND s.state = 'settled'`,
  )
  const { add, done } = createSums()
  for (const row of rows.iterate(jobId)) add(row)
  return done()
}

// Deliveries counted by minute, hour and day, so that a timeline of a million is read in milliseconds. They are counted with their
// description, in the order of their seqs, and `progress.counted_seq` says how far.
// Whatever changes a counted delivery runs in `recounting`, within the same transaction, so the totals always equal a count
// over the rows.

const TOTALS_MINUTE_MS = 60_000
/** The widths of a total, in milliseconds: a minute, an hour, a day. */
const TOTAL_WIDTHS = [TOTALS_MINUTE_MS, 60 * TOTALS_MINUTE_MS, 24 * 60 * TOTALS_MINUTE_MS] as const

/** The class of a delivery `d`: the first condition that is true. */
const CLASS_SQL: Readonly<Record<VerdictClass, string>> = {
  unverified: `d.verified_here = 0 OR (d.malformed IS NULL AND d.verdict IN ('unsigned', 'unknown-hook'))`,
  malformed: 'd.malformed IS NOT NULL',
  invalid: `d.verdict = 'invalid'`,
  valid: `d.freshness = 'fresh'`,
  stale: 'true',
}

/** The class of a delivery `d`, as its place in `VERDICT_CLASSES`. */
const VERDICT_CLASS = `CASE ${Object.entries(CLASS_SQL)
  .map(([name, sql]) => `WHEN ${sql} THEN ${VERDICT_CLASSES.indexOf(name as VerdictClass)}`)
  .join(' ')} END`

const TOTAL_COLUMNS = [...VERDICT_CLASSES, ...RESPONSE_CLASSES] as const

/** For each column, how many rows of `deliveries d` and `handler_responses r` are in it. */
const TOTAL_COUNTS = [
  ...VERDICT_CLASSES.map((name, index) => `sum((${VERDICT_CLASS}) = ${index}) AS ${name}`),
  // No response compares as unknown.
  ...RESPONSE_CLASSES.map((name) => `coalesce(sum(r.outcome = '${name}'), 0) AS ${name}`),
].join(', ')

type TotalCounts = Readonly<Record<(typeof TOTAL_COLUMNS)[number], number>>

/** Totals are those of the list without a query: no deliveries of flow runs. */
const IS_LISTED =
  'd.seq NOT IN (SELECT seq FROM deleted) AND d.seq NOT IN (SELECT seq FROM flow_deliveries)'
const COUNTED_SEQ = 'SELECT counted_seq FROM progress'
const COUNTABLE_ROWS = 'deliveries d LEFT JOIN handler_responses r ON r.seq = d.seq'

/** What statistics read of a delivery `d`, with a send `s` and its handler `h`. */
const STATISTICS_OF = `${VERDICT_CLASS} AS verdict, d.event, d.hook_id AS hook, ${HANDLER_NAME} AS handler, ${IS_RETRIED} AS retried,
  ${HANDLER_MS} AS handlers`

type Minute = TotalCounts & { readonly at: number }

function addMinutes(db: WritableDb, minutes: readonly Minute[], sign: 1 | -1): void {
  const put = rowStatement(
    db,
    `INSERT INTO delivery_totals (width, at, ${TOTAL_COLUMNS.join(', ')}) VALUES (?, ?, ${TOTAL_COLUMNS.map(() => '?').join(', ')})
     ON CONFLICT (width, at) DO UPDATE SET ${TOTAL_COLUMNS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  )
  const drop = rowStatement(
    db,
    `DELETE FROM delivery_totals WHERE width = ? AND at = ? AND ${VERDICT_CLASSES.join(' + ')} = 0`,
  )
  for (const minute of minutes)
    for (const width of TOTAL_WIDTHS) {
      const at = minute.at - (minute.at % width)
      put.run(
        width,
        at,
        TOTAL_COLUMNS.map((name) => sign * minute[name]),
      )
      if (sign < 0) drop.run(width, at)
    }
}

/** Sums counted deliveries by minute. */
function countedMinutes(db: ReadableDb, seqs: readonly number[]): Minute[] {
  return rowStatement<Minute>(
    db,
    `SELECT d.received_at - d.received_at % ${TOTALS_MINUTE_MS} AS at, ${TOTAL_COUNTS} FROM ${COUNTABLE_ROWS}
     WHERE d.seq IN (SELECT value FROM json_each(?)) AND d.seq <= (${COUNTED_SEQ}) AND ${IS_LISTED} GROUP BY 1`,
  ).all(JSON.stringify(seqs))
}

/** Runs a change of these deliveries and corrects the totals. Call it within the transaction of the change. */
export function recounting<Result>(
  db: WritableDb,
  seqs: readonly number[],
  change: () => Result,
): Result {
  const before = countedMinutes(db, seqs)
  const result = change()
  addMinutes(db, before, -1)
  addMinutes(db, countedMinutes(db, seqs), 1)
  return result
}

/** The same for a delivery whose handler response changed from one outcome to another. */
export function countResponse(db: WritableDb, responded: ResponseChange | null): void {
  if (responded === null || responded.before === responded.after) return
  const { seq, before, after } = responded
  const at = valuesOf<number>(
    db,
    `SELECT d.received_at FROM deliveries d WHERE d.seq = ? AND d.seq <= (${COUNTED_SEQ}) AND ${IS_LISTED}`,
  ).get(seq)
  if (at === undefined) return
  for (const [outcome, change] of [[before, -1] as const, [after, 1] as const]) {
    const column = RESPONSE_CLASSES.find((name) => name === outcome)
    if (column === undefined) continue
    const put = rowStatement(
      db,
      `UPDATE delivery_totals SET ${column} = ${column} + ? WHERE width = ? AND at = ?`,
    )
    for (const width of TOTAL_WIDTHS) put.run(change, width, at - (at % width))
  }
}

/** Deliveries counted at once: about a millisecond. */
const COUNT_CHUNK = 512

/**
 * Counts the next stored deliveries up to a seq, oldest first, within the caller's transaction. Returns whether there are more: after
 * a repair, for example, all are counted again.
 */
export function countStored(db: WritableDb, upTo: number): boolean {
  const from = valuesOf<number>(db, COUNTED_SEQ).get() ?? 0
  const to = Math.min(upTo, from + COUNT_CHUNK)
  if (to <= from) return false
  const minutes = rowStatement<Minute>(
    db,
    `SELECT d.received_at - d.received_at % ${TOTALS_MINUTE_MS} AS at, ${TOTAL_COUNTS} FROM ${COUNTABLE_ROWS}
     WHERE d.seq > ? AND d.seq <= ? AND ${IS_LISTED} GROUP BY 1`,
  )
  addMinutes(db, minutes.all(from, to), 1)
  rowStatement(db, 'UPDATE progress SET counted_seq = ?').run(to)
  return to < upTo
}

/** Removes all totals: they are counted again. */
export const FORGET_TOTALS = 'DELETE FROM delivery_totals; UPDATE progress SET counted_seq = 0'
