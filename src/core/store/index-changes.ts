/**
 * Deliveries whose entry in the search index is out of date. They are written in the transaction of the change and stay until the
 * index has taken them, so that neither a stop nor an index that can't be opened loses one.
 */
import type { ReadableDb, WritableDb } from './open.ts'
import { rowStatement } from './statements.ts'

export interface IndexChange {
  readonly id: number
  readonly seq: number
}

/** Call it within the transaction of the change. */
export function noteIndexChanges(db: WritableDb, seqs: readonly number[]): void {
  if (seqs.length === 0) return
  rowStatement(db, 'INSERT INTO index_changes (seq) SELECT value FROM json_each(?)').run(
    JSON.stringify(seqs),
  )
}

/** The earliest changes that the index hasn't taken. */
export function readIndexChanges(db: ReadableDb, limit: number): IndexChange[] {
  return rowStatement<IndexChange>(db, 'SELECT id, seq FROM index_changes ORDER BY id LIMIT ?').all(
    limit,
  )
}

/** The index has taken these. A delivery that changed again in the meantime has another row. */
export function dropIndexChanges(db: WritableDb, ids: readonly number[]): void {
  rowStatement(db, 'DELETE FROM index_changes WHERE id IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(ids),
  )
}
