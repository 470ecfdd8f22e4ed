/**
 * Deliveries counted by minute, hour and day, so that a timeline of a million is read in milliseconds. Receiving writes nothing here:
 * `countStored` counts stored deliveries behind it, in the order of their seqs, and `progress.counted_seq` says how far. Whatever
 * changes a counted delivery runs in `recounting`, within the same transaction, so the totals always equal a count over the rows.
 */
import {
  RESPONSE_CLASSES,
  VERDICT_CLASSES,
  type VerdictClass,
} from '../../shared/model/statistics.ts'
import { systemClock } from '../base/system-clock.ts'
import type { ResponseChange } from './handler-responses.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { rowStatement, valuesOf } from './statements.ts'

export const TOTALS_MINUTE_MS = 60_000
/** The widths of a total, in milliseconds: a minute, an hour, a day. */
export const TOTAL_WIDTHS = [
  TOTALS_MINUTE_MS,
  60 * TOTALS_MINUTE_MS,
  24 * 60 * TOTALS_MINUTE_MS,
] as const

/** The class of a delivery `d`: the first condition that is true. */
const CLASS_SQL: Readonly<Record<VerdictClass, string>> = {
  unverified: `d.verified_here = 0 OR (d.malformed IS NULL AND d.verdict IN ('unsigned', 'unknown-hook'))`,
  malformed: 'd.malformed IS NOT NULL',
  invalid: `d.verdict = 'invalid'`,
  valid: `d.freshness = 'fresh'`,
  stale: 'true',
}

/** The class of a delivery `d`, as its place in `VERDICT_CLASSES`. */
export const VERDICT_CLASS = `CASE ${Object.entries(CLASS_SQL)
  .map(([name, sql]) => `WHEN ${sql} THEN ${VERDICT_CLASSES.indexOf(name as VerdictClass)}`)
  .join(' ')} END`

export const TOTAL_COLUMNS = [...VERDICT_CLASSES, ...RESPONSE_CLASSES] as const

/** For each column, how many rows of `deliveries d` and `handler_responses r` are in it. */
export const TOTAL_COUNTS = [
  ...VERDICT_CLASSES.map((name, index) => `sum((${VERDICT_CLASS}) = ${index}) AS ${name}`),
  // No response compares as unknown.
  ...RESPONSE_CLASSES.map((name) => `coalesce(sum(r.outcome = '${name}'), 0) AS ${name}`),
].join(', ')

export type TotalCounts = Readonly<Record<(typeof TOTAL_COLUMNS)[number], number>>

export const IS_NOT_DELETED = 'd.seq NOT IN (SELECT seq FROM deleted)'
export const COUNTED_SEQ = 'SELECT counted_seq FROM progress'
export const COUNTABLE_ROWS = 'deliveries d LEFT JOIN handler_responses r ON r.seq = d.seq'

type Minute = TotalCounts & { readonly at: number }

function add(db: WritableDb, minutes: readonly Minute[], sign: 1 | -1): void {
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
     WHERE d.seq IN (SELECT value FROM json_each(?)) AND d.seq <= (${COUNTED_SEQ}) AND ${IS_NOT_DELETED} GROUP BY 1`,
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
  add(db, before, -1)
  add(db, countedMinutes(db, seqs), 1)
  return result
}

/** The same for a delivery whose handler response changed from one outcome to another. */
export function countResponse(db: WritableDb, responded: ResponseChange | null): void {
  if (responded === null || responded.before === responded.after) return
  const { seq, before, after } = responded
  const at = valuesOf<number>(
    db,
    `SELECT d.received_at FROM deliveries d WHERE d.seq = ? AND d.seq <= (${COUNTED_SEQ}) AND ${IS_NOT_DELETED}`,
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

/** Deliveries counted per transaction: about a millisecond. */
export const COUNT_CHUNK = 512

/**
 * Counts stored deliveries that aren't counted yet, oldest first, within a budget. Returns whether there are more. A stop in between
 * loses nothing: the next call continues from the last transaction.
 */
export function countStored(db: WritableDb, budgetMs: number): boolean {
  const newest = valuesOf<number | null>(db, 'SELECT max(seq) FROM deliveries').get() ?? 0
  const counted = valuesOf<number>(db, COUNTED_SEQ)
  const minutes = rowStatement<Minute>(
    db,
    `SELECT d.received_at - d.received_at % ${TOTALS_MINUTE_MS} AS at, ${TOTAL_COUNTS} FROM ${COUNTABLE_ROWS}
     WHERE d.seq > ? AND d.seq <= ? AND ${IS_NOT_DELETED} GROUP BY 1`,
  )
  const until = systemClock.monotonic() + budgetMs
  let from = counted.get() ?? 0
  const countChunk = db.transaction(() => {
    const to = Math.min(newest, from + COUNT_CHUNK)
    add(db, minutes.all(from, to), 1)
    rowStatement(db, 'UPDATE progress SET counted_seq = ?').run(to)
    from = to
  })
  withRelaxedCommit(db, () => {
    while (from < newest) {
      countChunk()
      if (systemClock.monotonic() >= until) break
    }
  })
  return from < newest
}

/** Removes all totals: they are counted again. */
export const FORGET_TOTALS = 'DELETE FROM delivery_totals; UPDATE progress SET counted_seq = 0'
