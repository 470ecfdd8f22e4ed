/**
 * Deliveries whose index entry is out of date, written with the change, so that no change is lost.
 */
import { rowStatement } from '../statements.ts'
import type { ReadableDb, WritableDb } from '../database.ts'

export interface IndexChange {
  readonly id: number
  readonly seq: number
}

/** Records changes, within their transaction. */
export function noteIndexChanges(db: WritableDb, seqs: readonly number[]): void {
  if (seqs.length === 0) return
  rowStatement(db, 'INSERT INTO index_changes (seq) SELECT value FROM json_each(?)').run(
    JSON.stringify(seqs),
  )
}

export function readIndexChanges(db: ReadableDb, limit: number): IndexChange[] {
  return rowStatement<IndexChange>(db, 'SELECT id, seq FROM index_changes ORDER BY id LIMIT ?').all(
    limit,
  )
}

export function dropIndexChanges(db: WritableDb, ids: readonly number[]): void {
  rowStatement(db, 'DELETE FROM index_changes WHERE id IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(ids),
  )
}
