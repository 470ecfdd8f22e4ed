/**
 * Compares the index with the stored data after an unclean stop: which deliveries it has, and their facts. Differences are indexed
 * again: single deliveries, or the whole partition. Nothing checks the words piece by piece: they are written in the transaction
 * that moves the mark, and a damaged file is recreated.
 */
import type { ReadableDb } from '../open.ts'
import { documentEvidence, deliveryFacts } from './contents.ts'
import { EVIDENCE_COLUMNS, type Document, type EvidenceRow, type Indexing } from './indexing.ts'
import { PARTITION_SEQS, type SearchDb } from './open-search.ts'

interface CheckOutcome {
  /** Deliveries that were indexed again or removed from the index. */
  readonly mended: number
  /** Whether the partition was emptied, to be filled again. */
  readonly emptied: boolean
}

interface StoredDocument extends Document {
  readonly facts: string | null
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
      document.evidence !== documentEvidence(row) ||
      document.facts !== JSON.stringify(deliveryFacts(row))
    )
      changed.push(row.seq)
  }
  // The rest is no longer stored, or above the mark.
  changed.push(...bySeq.keys())
  return { changed, absent }
}

/** Checks and repairs one partition. Throws SQLite's error if the file itself is damaged. */
export function checkPartition(
  search: SearchDb,
  main: ReadableDb,
  indexing: Indexing,
  partition: number,
): CheckOutcome {
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
