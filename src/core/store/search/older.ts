/**
 * Counts the deliveries received before a time without examining each: a block of the index has its earliest and latest time.
 * Partly older blocks and deliveries above the marks are left to examine.
 */
import type { ReadableDb } from '../open.ts'
import { hasSearch, BLOCK_SEQS, PARTITION_SEQS, partitionOf } from './open-search.ts'
import { marksOf } from './finder.ts'

interface Older {
  /** Deliveries in completely older blocks, without pinned or deleted ones. */
  readonly counted: number
  /** Inclusive ranges of seqs that may contain more, in no order. */
  readonly unknown: readonly { readonly from: number; readonly to: number }[]
}

/** `before` in milliseconds since the epoch. */
export function countOlder(db: ReadableDb, before: number): Older {
  return db.transaction(() => countNow(db, before))()
}

function countNow(db: ReadableDb, before: number): Older {
  const { least, newest } = db
    .prepare<[], { least: number | null; newest: number | null }>(
      'SELECT (SELECT min(seq) FROM deliveries) AS least, (SELECT max(seq) FROM deliveries) AS newest',
    )
    .get()!
  if (least === null || newest === null) return { counted: 0, unknown: [] }
  if (!hasSearch(db)) return { counted: 0, unknown: [{ from: newest, to: least }] }
  const marks = marksOf(db)
  const markOf = (partition: number) => marks.get(partition) ?? partition * PARTITION_SEQS - 1
  const counted = db
    .prepare<{ before: number }, number>(
      `SELECT coalesce((SELECT sum(deliveries) FROM search.blocks WHERE most_at < @before), 0) - (
         SELECT count(*) FROM (SELECT seq FROM main.deleted UNION SELECT seq FROM main.marks WHERE pinned = 1) spared
         JOIN search.documents document ON document.seq = spared.seq
         JOIN search.blocks b ON b.number = spared.seq / ${BLOCK_SEQS} WHERE b.most_at < @before)`,
    )
    .pluck()
    .get({ before })!
  const unknown = db
    .prepare<{ before: number }, number>(
      'SELECT number FROM search.blocks WHERE least_at < @before AND most_at >= @before',
    )
    .pluck()
    .all({ before })
    .map((number) => {
      const to = number * BLOCK_SEQS
      return { from: Math.min(to + BLOCK_SEQS - 1, markOf(partitionOf(to))), to }
    })
  for (let partition = partitionOf(newest); partition >= partitionOf(least); partition--) {
    const from = Math.min(newest, (partition + 1) * PARTITION_SEQS - 1)
    const to = markOf(partition) + 1
    if (to <= from) unknown.push({ from, to })
  }
  return { counted, unknown }
}
