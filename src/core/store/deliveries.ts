/** Reads rows of deliveries, paged by their seq. */
import type { Delivery, DeliveryRow, SortKey } from '../../shared/model/delivery.ts'
import type { Query } from '../../shared/query/query.ts'
import {
  ALL_COLUMNS,
  ROW_COLUMNS,
  ROW_SOURCE,
  toDelivery,
  toRow,
  type StoredDelivery,
  type StoredRow,
} from './delivery-columns.ts'
import { whereOf } from './query-sql.ts'
import { readRow, readRows } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import { IS_KEPT, getDelivery } from './find-delivery.ts'

export function matchingSeqs(
  db: ReadableDb,
  { query, seqs }: { readonly query: Query; readonly seqs: readonly number[] },
): number[] {
  const { sql, values } = whereOf(query)
  return columnStatement<number>(
    db,
    `SELECT d.seq FROM deliveries d WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT} AND ${sql}`,
  ).all(JSON.stringify(seqs), ...values)
}

/** Counts the deliveries up to a seq that aren't deleted. */
export function countUpTo(db: ReadableDb, seq: number): number {
  // `+seq` makes SQLite count a small index instead of the table.
  return (
    columnStatement<number>(
      db,
      'SELECT (SELECT count(*) FROM deliveries WHERE +seq <= @seq) - (SELECT count(*) FROM deleted WHERE seq <= @seq AND seq IN (SELECT seq FROM deliveries))',
    ).get({ seq }) ?? 0
  )
}

/** Returns the largest known seq or 0; seqs aren't reused. */
export function newestSeq(db: ReadableDb): number {
  return (
    columnStatement<number>(
      db,
      'SELECT max(coalesce((SELECT max(seq) FROM deliveries), 0), (SELECT described_seq FROM progress))',
    ).get() ?? 0
  )
}

function selectBySeq<Row>(db: ReadableDb, columns: string, seqs: readonly number[]): Row[] {
  return rowStatement<Row>(
    db,
    `SELECT ${columns} FROM ${ROW_SOURCE} WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT} ORDER BY d.seq DESC`,
  ).all(JSON.stringify(seqs))
}

/** Reads rows, newest first, without deleted ones. */
export function rowsBySeq(db: ReadableDb, seqs: readonly number[]): DeliveryRow[] {
  return readRows(selectBySeq<StoredRow>(db, ROW_COLUMNS, seqs), toRow)
}

/** Reads rows as JSON in the seqs' direction; text passes between threads cheaply. */
export function rowsText(db: ReadableDb, seqs: readonly number[]): string {
  const rows = rowsBySeq(db, seqs)
  const isAscending = (seqs[0] ?? 0) < (seqs.at(-1) ?? 0)
  return JSON.stringify(isAscending ? rows.reverse() : rows)
}

/** SQL values to sort by; the first is null for deliveries to be listed last. */
const SORT_VALUES: Readonly<Record<SortKey, readonly string[]>> = {
  time: ['d.received_at'],
  verdict: ['d.verdict', 'd.freshness'],
  event: ['d.event'],
  // Amounts without a currency are sorted too.
  amount: ["iif(t.amount IS NULL, NULL, coalesce(t.currency, ''))", 'CAST(t.amount AS REAL)'],
  merchant: ['lower(t.merchant)', 't.merchant'],
  path: ['d.path'],
  size: ['d.body_size'],
  source: [
    "CASE WHEN d.origin IN ('imported', 'shared') THEN d.origin WHEN f.flow IS NOT NULL THEN 'flow' END",
    'f.flow',
  ],
  responded: ['d.answer_status', 'd.answer_ms'],
  handler: ['s.status', 's.ms'],
  'schema-errors': ['t.schema_errors'],
}

/** Whether any delivery was imported; seqs and times then disagree. */
export function hasImported(db: ReadableDb): boolean {
  return (
    columnStatement<number>(
      db,
      "SELECT EXISTS (SELECT 1 FROM deliveries WHERE origin IN ('imported', 'shared'))",
    ).get() === 1
  )
}

export function sortSeqs(
  db: ReadableDb,
  {
    seqs,
    by,
    descending,
  }: { readonly seqs: readonly number[]; readonly by: SortKey; readonly descending: boolean },
): number[] {
  const direction = descending ? 'DESC' : 'ASC'
  return columnStatement<number>(
    db,
    `SELECT d.seq FROM ${ROW_SOURCE} WHERE d.seq IN (SELECT value FROM json_each(?)) AND ${IS_KEPT}
       ORDER BY ${SORT_VALUES[by].map((value) => `${value} ${direction} NULLS LAST`).join(', ')}, d.seq DESC`,
  ).all(JSON.stringify(seqs))
}

/** Reads deliveries, newest first, without deleted ones. */
export function deliveriesBySeq(db: ReadableDb, seqs: readonly number[]): Delivery[] {
  return readRows(selectBySeq<StoredDelivery>(db, ALL_COLUMNS, seqs), toDelivery)
}

/** Returns the previous (`by` -1) or next delivery of the event and hook, or null. */
export function neighbourOf(
  db: ReadableDb,
  { ref, by }: { readonly ref: string; readonly by: 1 | -1 },
): DeliveryRow | null {
  const { seq, event, hookId, path, malformed } = getDelivery(db, ref)
  if (malformed !== null) return null
  const [side, order] = by < 0 ? ['<', 'DESC'] : ['>', 'ASC']
  const row = rowStatement<StoredRow>(
    db,
    `SELECT ${ROW_COLUMNS} FROM ${ROW_SOURCE} WHERE d.event IS @event AND d.hook_id IS @hookId
       AND (@hookId IS NOT NULL OR d.path IS @path) AND d.malformed IS NULL AND ${IS_KEPT} AND d.seq NOT IN (SELECT seq FROM composed) AND d.seq ${side} @seq
       ORDER BY d.seq ${order} LIMIT 1`,
  ).get({ seq, event, hookId, path })
  return row === undefined ? null : readRow(`Delivery ${row.id}`, row, toRow)
}

/** Returns the first 200 deliveries of one notification, oldest first. */
export function attemptsOf(db: ReadableDb, ref: string): DeliveryRow[] {
  const delivery = getDelivery(db, ref)
  const first = delivery.attemptOf ?? delivery.duplicateOf ?? delivery.id
  // Ids sort by time, so the next id after a deleted first one starts the scan.
  return readRows(
    rowStatement<StoredRow>(
      db,
      `SELECT ${ROW_COLUMNS} FROM ${ROW_SOURCE}
       WHERE d.seq >= (SELECT min(seq, @seq) FROM deliveries WHERE id >= @first ORDER BY id LIMIT 1)
         AND d.seq <= coalesce((SELECT max(n.last_seq, @seq) FROM notifications n JOIN deliveries f ON n.key = f.notification_key WHERE f.seq = @seq), @seq)
         AND (d.id = @first OR d.attempt_of = @first OR d.duplicate_of = @first) AND ${IS_KEPT}
       ORDER BY d.seq LIMIT 200`,
    ).all({ first, seq: delivery.seq }),
    toRow,
  )
}

export function isDescribed(db: ReadableDb): boolean {
  return (
    columnStatement<number>(
      db,
      'SELECT EXISTS (SELECT 1 FROM deliveries WHERE seq > (SELECT described_seq FROM progress))',
    ).get() === 0
  )
}
