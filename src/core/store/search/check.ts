/**
 * Checks whether a partition of the index is correct. A contentless table can't be compared with anything, and FTS5's own check
 * covers only its structure. So the recorded input is compared, delivery by delivery, with the stored data, and the sum of the
 * table's words with the recorded sum. Differences are indexed again: single deliveries, or the whole partition.
 */
import type { ReadableDb } from '../open.ts'
import { FACT_COLUMNS, deliveryFacts, EVERY_DELIVERY } from './facts.ts'
import { evidenceOf, wordSum, LINK_SUM, linksTable } from './contents.ts'
import { EVIDENCE_COLUMNS, type Document, type EvidenceRow, type Indexing } from './indexing.ts'
import { BLOCK_SEQS, PARTITION_SEQS, wordsTable, type SearchDb } from './open-search.ts'

interface CheckOutcome {
  /** Deliveries that were indexed again or removed from the index. */
  readonly mended: number
  /** Whether the partition was emptied, to be filled again. */
  readonly emptied: boolean
}

interface StoredDocument extends Document {
  readonly facts: string | null
}

/** Checks structure, sums of words and links, and the number of deliveries of a partition. */
function isSound(search: SearchDb, partition: number): boolean {
  const table = wordsTable(partition)
  const from = partition * PARTITION_SEQS
  const range = [from, from + PARTITION_SEQS - 1] as const
  const number = (sql: string, ...values: (string | number)[]) =>
    search
      .prepare<unknown[], number | null>(sql)
      .pluck()
      .get(...values) ?? 0
  search.function('word_sum', { deterministic: true }, (term) => wordSum(term as string))
  search.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
  const documents = number('SELECT count(*) FROM documents WHERE seq BETWEEN ? AND ?', ...range)
  search.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary_${partition} USING fts5vocab (main, ${table}, 'row')`,
  )
  const hasItsWords = number(
    `SELECT coalesce((SELECT sum(cnt * word_sum(term)) FROM temp.vocabulary_${partition}), 0)
      + (SELECT coalesce(sum(${LINK_SUM}), 0) FROM ${linksTable(partition)}) =
      (SELECT coalesce(sum(words), 0) FROM documents WHERE seq BETWEEN ? AND ?)`,
    ...range,
  )
  search.exec(`DROP TABLE temp.vocabulary_${partition}`)
  const found = number(
    `SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`,
    `"${EVERY_DELIVERY}"`,
  )
  const inSets = number('SELECT sum(deliveries) FROM fact_counts WHERE partition = ?', partition)
  const inBlocks = number(
    'SELECT sum(deliveries) FROM blocks WHERE number BETWEEN ? AND ?',
    from / BLOCK_SEQS,
    (from + PARTITION_SEQS) / BLOCK_SEQS - 1,
  )
  return hasItsWords === 1 && [found, inSets, inBlocks].every((value) => value === documents)
}

/** The seqs of a partition whose index entry is missing or differs from the stored delivery. */
function differing(
  search: SearchDb,
  main: ReadableDb,
  partition: number,
): { changed: number[]; absent: number[] } {
  const from = partition * PARTITION_SEQS
  const mark =
    search
      .prepare<[number], number>('SELECT mark FROM partitions WHERE number = ?')
      .pluck()
      .get(partition) ?? from - 1
  const changed: number[] = []
  const absent: number[] = []
  const documents = search
    .prepare<[number, number], StoredDocument>(
      `SELECT documents.*, fact_sets.facts FROM documents LEFT JOIN fact_sets ON fact_sets.id = fact_set
       WHERE seq BETWEEN ? AND ? ORDER BY seq`,
    )
    .all(from, from + PARTITION_SEQS - 1)
  const bySeq = new Map(documents.map((document) => [document.seq, document]))
  const rows = main
    .prepare<[number, number], EvidenceRow>(
      `SELECT ${EVIDENCE_COLUMNS} FROM deliveries d WHERE d.seq BETWEEN ? AND ?`,
    )
    .iterate(from, mark)
  for (const row of rows) {
    const document = bySeq.get(row.seq)
    bySeq.delete(row.seq)
    if (document === undefined) absent.push(row.seq)
    else if (
      document.evidence !== evidenceOf(row) ||
      document.facts !== JSON.stringify(deliveryFacts(row))
    )
      changed.push(row.seq)
  }
  // The rest is no longer stored, or above the mark.
  changed.push(...bySeq.keys())
  return { changed, absent }
}

/** Whether the columns of the fact sets match the lists they are found by. */
export function areFactSetsSound(search: SearchDb): boolean {
  const rows = search.prepare<[], Record<string, unknown>>('SELECT * FROM fact_sets').all()
  return rows.every(
    (row) => JSON.stringify(FACT_COLUMNS.map((column) => row[column])) === row['facts'],
  )
}

/** Checks and repairs one partition. Throws SQLite's error if the file itself is damaged. */
export function checkPartition(
  search: SearchDb,
  main: ReadableDb,
  indexing: Indexing,
  partition: number,
): CheckOutcome {
  if (!isSound(search, partition)) {
    indexing.empty(partition)
    return { mended: 0, emptied: true }
  }
  const { changed, absent } = differing(search, main, partition)
  // Filling from the mark can't close a gap below it.
  if (absent.length > 0) {
    indexing.empty(partition)
    return { mended: 0, emptied: true }
  }
  indexing.refresh(changed)
  return { mended: changed.length, emptied: false }
}

/** The partitions to check, newest first. */
export function partitionsOf(search: SearchDb): number[] {
  return search
    .prepare<[], number>('SELECT number FROM partitions ORDER BY number DESC')
    .pluck()
    .all()
}
