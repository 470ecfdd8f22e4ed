/**
 * Deliveries counted by minute, hour and day, so that a timeline of a million is read in
 * milliseconds. Whatever changes a counted delivery runs in `withRecount`.
 */
import {
  RESPONSE_CLASSES,
  VERDICT_CLASSES,
  type VerdictClass,
} from '../../shared/model/statistics.ts'
import type { ResponseChange } from './handler-responses.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'

export const TOTALS_MINUTE_MS = 60_000
/** Milliseconds of a minute, an hour and a day. */
export const TOTAL_WIDTHS = [
  TOTALS_MINUTE_MS,
  60 * TOTALS_MINUTE_MS,
  24 * 60 * TOTALS_MINUTE_MS,
] as const

/** Condition of each class; the first true one decides. */
const CLASS_SQL: Readonly<Record<VerdictClass, string>> = {
  unverified: `d.verified_here = 0 OR (d.malformed IS NULL AND d.verdict IN ('unsigned', 'unknown-hook'))`,
  malformed: 'd.malformed IS NOT NULL',
  invalid: `d.verdict = 'invalid'`,
  valid: `d.freshness = 'fresh'`,
  stale: 'true',
}

export const VERDICT_CLASS = `CASE ${Object.entries(CLASS_SQL)
  .map(([name, sql]) => `WHEN ${sql} THEN ${VERDICT_CLASSES.indexOf(name as VerdictClass)}`)
  .join(' ')} END`

export const TOTAL_COLUMNS = [...VERDICT_CLASSES, ...RESPONSE_CLASSES] as const

/** Counts of `deliveries d` and `handler_responses r` per column. */
export const TOTAL_COUNTS = [
  ...VERDICT_CLASSES.map((name, index) => `sum((${VERDICT_CLASS}) = ${index}) AS ${name}`),
  ...RESPONSE_CLASSES.map((name) => `coalesce(sum(r.outcome = '${name}'), 0) AS ${name}`),
].join(', ')

export type TotalCounts = Readonly<Record<(typeof TOTAL_COLUMNS)[number], number>>

export const IS_COUNTABLE = ['deleted', 'flow_deliveries', 'composed']
  .map((table) => `d.seq NOT IN (SELECT seq FROM ${table})`)
  .join(' AND ')
export const COUNTED_SEQ = 'SELECT counted_seq FROM progress'
export const COUNTABLE_ROWS = 'deliveries d LEFT JOIN handler_responses r ON r.seq = d.seq'

type MinuteCounts = TotalCounts & { readonly at: number }

/** Adds the counts of minutes to the totals, or subtracts them (`sign` -1). */
function addMinutes(db: WritableDb, minutes: readonly MinuteCounts[], sign: 1 | -1): void {
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

function minutesWhere(db: ReadableDb, condition: string) {
  return rowStatement<MinuteCounts>(
    db,
    `SELECT d.received_at - d.received_at % ${TOTALS_MINUTE_MS} AS at, ${TOTAL_COUNTS} FROM ${COUNTABLE_ROWS}
     WHERE ${condition} AND ${IS_COUNTABLE} GROUP BY 1`,
  )
}

function countedMinutes(db: ReadableDb, seqs: readonly number[]): MinuteCounts[] {
  const condition = `d.seq IN (SELECT value FROM json_each(?)) AND d.seq <= (${COUNTED_SEQ})`
  return minutesWhere(db, condition).all(JSON.stringify(seqs))
}

/** Runs a change of deliveries and corrects the totals, in the caller's transaction. */
export function withRecount<Result>(
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

/** Corrects the totals after a handler's outcome changed. */
export function correctTotals(db: WritableDb, responded: ResponseChange | null): void {
  if (responded === null || responded.before === responded.after) return
  const { seq, before, after } = responded
  const at = columnStatement<number>(
    db,
    `SELECT d.received_at FROM deliveries d WHERE d.seq = ? AND d.seq <= (${COUNTED_SEQ}) AND ${IS_COUNTABLE}`,
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

/** Deliveries counted in about a millisecond. */
export const COUNT_CHUNK = 512

/** Adds the next deliveries up to a seq to the totals; returns whether more are left. */
export function addToTotals(db: WritableDb, upTo: number): boolean {
  const from = columnStatement<number>(db, COUNTED_SEQ).get() ?? 0
  const to = Math.min(upTo, from + COUNT_CHUNK)
  if (to <= from) return false
  const minutes = minutesWhere(db, 'd.seq > ? AND d.seq <= ?')
  addMinutes(db, minutes.all(from, to), 1)
  rowStatement(db, 'UPDATE progress SET counted_seq = ?').run(to)
  return to < upTo
}

/** SQL that removes all totals, which are then counted again. */
export const FORGET_TOTALS = 'DELETE FROM delivery_totals; UPDATE progress SET counted_seq = 0'
