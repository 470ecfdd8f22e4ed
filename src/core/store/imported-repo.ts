/** What of an imported delivery is not found out here but known from where it was received: its place among attempts, its answer and its marks. */
import type { MarksChange } from '../../shared/model/marks.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { setMarks } from './marks-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'

export type KnownElsewhere = Pick<Delivery, 'attempt' | 'attemptOf' | 'duplicateOf' | 'answer' | 'pinned' | 'note' | 'colour'>

/** Which of the ids are taken, those of deleted deliveries included while they can be brought back. */
export function knownIds(db: ReadableDb, ids: readonly string[]): string[] {
  return db
    .prepare<[string], string>('SELECT id FROM deliveries WHERE id IN (SELECT value FROM json_each(?))')
    .pluck()
    .all(JSON.stringify(ids))
}

/** Makes the function that fills these in, as a part of the transaction that stores the delivery: it is whole, or not there. */
export function prepareElsewhere(db: WritableDb): (seq: number, known: KnownElsewhere) => void {
  const set = db.prepare(
    "UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ?, answer_status = ?, answer_ms = ?, origin = 'imported', verified_here = 0 WHERE seq = ?",
  )
  return (seq, { attempt, attemptOf, duplicateOf, answer, pinned, note, colour }) => {
    set.run(attempt, attemptOf, duplicateOf, answer.status, answer.ms, seq)
    const change: MarksChange = { pinned, note, colour }
    if (pinned || note !== null || colour !== null) setMarks(db, { seqs: [seq], change })
  }
}
