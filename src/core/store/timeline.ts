/** Reads deliveries over time. */
import {
  addBins,
  RESPONSE_CLASSES,
  VERDICT_CLASSES,
  type Bin,
} from '../../shared/model/statistics.ts'
import type { Query } from '../../shared/query/query.ts'
import { NOT_OF_FLOWS } from '../../shared/query/flow-runs.ts'
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

/** Part of a bar that totals of one width cover. */
type Cover = readonly [bin: number, width: number, from: number, to: number]

/** Covers a bar, which may start at any minute, with the widest possible totals. */
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
