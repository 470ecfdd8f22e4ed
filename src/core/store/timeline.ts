/** Counts deliveries over time, in bins. */
import {
  addBins,
  RESPONSE_CLASSES,
  VERDICT_CLASSES,
  type Bin,
} from '../../shared/model/statistics.ts'
import type { Query } from '../../shared/query/query.ts'
import { LISTED } from '../../shared/query/unlisted.ts'
import { matchesSql } from './search/finder.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import {
  type TotalCounts,
  COUNTED_SEQ,
  TOTAL_COUNTS,
  COUNTABLE_ROWS,
  TOTAL_WIDTHS,
  TOTALS_MINUTE_MS,
  TOTAL_COLUMNS,
  IS_COUNTABLE,
  COUNT_CHUNK,
} from './delivery-totals.ts'

export interface TimelineInput {
  readonly query: Query | null
  /** Start of the first bin, in milliseconds since the epoch. */
  readonly start: number
  /** Milliseconds of a bin, in whole minutes. */
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

/** Counts deliveries per bin, from the totals if there is no query. */
export function readTimeline(db: ReadableDb, { query, start, width, bins }: TimelineInput): Bin[] {
  const since = start
  const until = start + bins * width
  return db.transaction((): Bin[] => {
    const counted = query === null ? (columnStatement<number>(db, COUNTED_SEQ).get() ?? 0) : 0
    const matches = matchesSql(db, {
      query: query ?? LISTED,
      oldest: counted + 1,
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

/** Part of a bin that totals of one width cover, from `start` until before `end`. */
interface Cover {
  readonly bin: number
  readonly width: number
  readonly start: number
  readonly end: number
}

/** Covers a bin, which may start at any minute, with the widest totals of these widths. */
function coverOf(
  { bin, start, end }: Omit<Cover, 'width'>,
  widths: readonly number[] = TOTAL_WIDTHS,
): Cover[] {
  const width = widths.at(-1)
  if (start >= end || width === undefined) return []
  const narrower = widths.slice(0, -1)
  if (narrower.length === 0) return [{ bin, width, start, end }]
  const first = Math.ceil(start / width) * width
  const last = Math.floor(end / width) * width
  if (first >= last) return coverOf({ bin, start, end }, narrower)
  return [
    ...coverOf({ bin, start, end: first }, narrower),
    { bin, width, start: first, end: last },
    ...coverOf({ bin, start: last, end }, narrower),
  ]
}

function readTotals(
  db: ReadableDb,
  { start, width, bins }: Pick<TimelineInput, 'start' | 'width' | 'bins'>,
): Bin[] {
  const covers = Array.from({ length: bins }, (_, bin) =>
    coverOf({ bin, start: start + bin * width, end: start + (bin + 1) * width }),
  )
  const sums = TOTAL_COLUMNS.map((name) => `sum(t.${name}) AS ${name}`).join(', ')
  return rowStatement<CountedBin>(
    db,
    `SELECT c.value ->> 'bin' AS bin, ${sums} FROM json_each(?) c CROSS JOIN delivery_totals t
       ON t.width = c.value ->> 'width' AND t.at >= c.value ->> 'start' AND t.at < c.value ->> 'end' GROUP BY 1`,
  )
    .all(JSON.stringify(covers.flat()))
    .map(toBin)
}

/** Returns the earliest time of receipt, to the minute, or null. */
export function earliestReceipt(db: ReadableDb): number | null {
  return (
    columnStatement<number | null>(
      db,
      `SELECT min(at) FROM (SELECT min(at) AS at FROM delivery_totals WHERE width = ${TOTALS_MINUTE_MS}
         UNION ALL SELECT received_at FROM (SELECT received_at FROM deliveries d WHERE ${IS_COUNTABLE} ORDER BY d.seq LIMIT 1)
         UNION ALL SELECT min(received_at) FROM (SELECT received_at FROM deliveries d
           WHERE d.seq > (${COUNTED_SEQ}) AND ${IS_COUNTABLE} ORDER BY d.seq DESC LIMIT ${COUNT_CHUNK}))`,
    ).get() ?? null
  )
}
