/** Reads what belongs to hidden deliveries and has to go with them: found out by the reader, so that the writer only deletes. */
import type { ReadableDb } from './open.ts'

/** What belongs to a hidden delivery and has to go with it. */
export interface Leaving {
  readonly seq: number
  /** Where it is the latest of its notification: the one before it that stays, null where none does. */
  readonly notification: { readonly key: number; readonly previous: number | null } | null
}

interface LeavingRow {
  readonly seq: number
  readonly id: string
  readonly notification_key: number | null
  readonly is_latest: number | null
  readonly first: string | null
}

/** Hidden deliveries, oldest first, that were hidden before `before` and are described, with what goes with each. */
export function readLeavings(db: ReadableDb, { before, limit }: { readonly before: number; readonly limit: number }): Leaving[] {
  const rows = db
    .prepare<[number, number], LeavingRow>(
      `SELECT d.seq, d.id, d.notification_key, coalesce(d.attempt_of, d.duplicate_of) AS first, n.last_seq = d.seq AS is_latest
       FROM deleted x JOIN deliveries d ON d.seq = x.seq LEFT JOIN notifications n ON n.key = d.notification_key
       WHERE x.at < ? AND x.seq <= (SELECT described_seq FROM progress) ORDER BY x.seq LIMIT ?`,
    )
    .all(before, limit)
  const previous = db
    .prepare<{ first: string; seq: number }, number | null>(
      `SELECT max(d.seq) FROM deliveries d
       WHERE d.seq >= (SELECT min(seq, @seq) FROM deliveries WHERE id >= @first ORDER BY id LIMIT 1) AND d.seq < @seq
         AND (d.id = @first OR d.attempt_of = @first OR d.duplicate_of = @first) AND d.seq NOT IN (SELECT seq FROM deleted)`,
    )
    .pluck()
  return rows.map(({ seq, notification_key: key, is_latest: isLatest, first }) => ({
    seq,
    notification:
      key !== null && isLatest === 1 ? { key, previous: first === null ? null : (previous.get({ first, seq }) ?? null) } : null,
  }))
}

/** Deliveries that are taken out and still on the list of the hidden: what an interrupted run left there. */
export function readForgotten(db: ReadableDb): number[] {
  return db
    .prepare<[], number>('SELECT seq FROM deleted WHERE seq NOT IN (SELECT seq FROM deliveries) ORDER BY seq')
    .pluck()
    .all()
}
