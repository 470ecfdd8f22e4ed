/** What of an imported delivery is not found out here but known from where it was received: its place among attempts, and its marks. */
import type { MarksChange } from '../../shared/model/marks.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { setMarks } from './marks-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export type ImportedRow = Pick<Delivery, 'seq' | 'attempt' | 'attemptOf' | 'duplicateOf' | 'pinned' | 'note' | 'colour'>

/** Which of the ids are taken, those of deleted deliveries included while they can be brought back. */
export function knownIds(db: ReadableDb, ids: readonly string[]): string[] {
  return db
    .prepare<[string], string>('SELECT id FROM deliveries WHERE id IN (SELECT value FROM json_each(?))')
    .pluck()
    .all(JSON.stringify(ids))
}

/** In one transaction. */
export function completeImported(db: WritableDb, rows: readonly ImportedRow[]): void {
  const setAttempt = db.prepare('UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ? WHERE seq = ?')
  db.transaction(() => {
    for (const { seq, attempt, attemptOf, duplicateOf, pinned, note, colour } of rows) {
      setAttempt.run(attempt, attemptOf, duplicateOf, seq)
      const change: MarksChange = { pinned, note, colour }
      if (pinned || note !== null || colour !== null) setMarks(db, { seqs: [seq], change })
    }
  })()
}
