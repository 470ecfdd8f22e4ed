/** Facts of an imported delivery that only its file knows: attempt, response, marks. */
import type { MarksChange } from '../../shared/model/marks.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { columnStatement } from './statements.ts'
import type { WritableDb, ReadableDb } from './database.ts'
import { setMarks } from './marks.ts'
import { responsesOf } from './stored-responses.ts'

export type ImportedFacts = Pick<
  Delivery,
  | 'attempt'
  | 'attemptOf'
  | 'duplicateOf'
  | 'answer'
  | 'pinned'
  | 'note'
  | 'cause'
  | 'response'
  | 'verifiedHere'
> & { readonly origin: 'imported' | 'shared' }

/** Returns which ids exist, deleted ones included. */
export function readExistingIds(db: ReadableDb, ids: readonly string[]): string[] {
  return columnStatement<string>(
    db,
    'SELECT id FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
  ).all(JSON.stringify(ids))
}

export function prepareImportedFacts(db: WritableDb): (seq: number, facts: ImportedFacts) => void {
  const set = db.prepare(
    'UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ?, answer_status = ?, answer_ms = ?, response = ?, origin = ?, verified_here = ? WHERE seq = ?',
  )
  const setCause = db.prepare('INSERT OR REPLACE INTO causes (seq, cause, keys) VALUES (?, ?, 0)')
  const { keep } = responsesOf(db)
  return (seq, { answer, pinned, note, cause, response, ...facts }) => {
    const key = response === null ? null : keep(JSON.stringify(response), 1)
    const { attempt, attemptOf, duplicateOf, origin, verifiedHere } = facts
    const verified = Number(verifiedHere)
    const { status, ms } = answer
    set.run(attempt, attemptOf, duplicateOf, status, ms, key, origin, verified, seq)
    if (cause !== null) setCause.run(seq, cause)
    const change: MarksChange = { pinned, note }
    if (pinned || note !== null) setMarks(db, { seqs: [seq], change })
  }
}
