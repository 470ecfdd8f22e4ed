/** Hidden deliveries that can be removed, found in the reader's thread. */
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'

export interface Deletable {
  readonly seq: number
  /** Notification whose latest delivery this is, with the seq of its predecessor. */
  readonly notification: { readonly key: number; readonly previous: number | null } | null
}

interface DeletableRow {
  readonly seq: number
  readonly id: string
  readonly notification_key: number | null
  readonly is_latest: number | null
  readonly first: string | null
}

/** Reads deliveries hidden before a time, oldest first. */
export function readDeletable(
  db: ReadableDb,
  { before, limit }: { readonly before: number; readonly limit: number },
): Deletable[] {
  const rows = rowStatement<DeletableRow>(
    db,
    `SELECT d.seq, d.id, d.notification_key, coalesce(d.attempt_of, d.duplicate_of) AS first, n.last_seq = d.seq AS is_latest
       FROM deleted x JOIN deliveries d ON d.seq = x.seq LEFT JOIN notifications n ON n.key = d.notification_key
       WHERE x.at < ? AND x.seq <= (SELECT described_seq FROM progress) ORDER BY x.seq LIMIT ?`,
  ).all(before, limit)
  const previous = columnStatement<number | null>(
    db,
    `SELECT max(d.seq) FROM deliveries d
       WHERE d.seq >= (SELECT min(seq, @seq) FROM deliveries WHERE id >= @first ORDER BY id LIMIT 1) AND d.seq < @seq
         AND (d.id = @first OR d.attempt_of = @first OR d.duplicate_of = @first) AND d.seq NOT IN (SELECT seq FROM deleted)`,
  )
  return rows.map(({ seq, notification_key: key, is_latest: isLatest, first }) => ({
    seq,
    notification:
      key !== null && isLatest === 1
        ? { key, previous: first === null ? null : (previous.get({ first, seq }) ?? null) }
        : null,
  }))
}

/** Reads hidden seqs whose deliveries an interrupted run has already removed. */
export function readRemovedSeqs(db: ReadableDb): number[] {
  return columnStatement<number>(
    db,
    'SELECT seq FROM deleted WHERE seq NOT IN (SELECT seq FROM deliveries) ORDER BY seq',
  ).all()
}
