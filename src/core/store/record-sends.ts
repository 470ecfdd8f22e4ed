/**
 * Writes what becomes of sends: each as under way before its first byte, and again when it has ended, held against the last one of
 * its like.
 */
import type { SendOutcome } from '../../shared/model/send.ts'
import type { WritableDb } from './open.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'
import type { EndedRow, PackedSends } from './sends-batch.ts'

function outcomeOf(passed: boolean, before: number | null): SendOutcome {
  if (before === null) return passed ? 'first-pass' : 'first-fail'
  if (passed) return before === 1 ? 'still-passing' : 'fixed'
  return before === 1 ? 'regressed' : 'still-failing'
}

/**
 * Makes the function that writes what has begun and what has ended, in one transaction; it gives the outcome of each that ended.
 * It outlives the end of the process, however that comes; it does not wait for the disk, which would halve the pace.
 */
export function prepareSends(db: WritableDb): (batch: PackedSends) => (SendOutcome | null)[] {
  const begin = db.prepare("UPDATE sends SET state = 'under-way', started_at = ?, registered_url = ? WHERE seq = ?")
  const release = db.prepare("UPDATE sends SET state = 'waiting', started_at = NULL, registered_url = NULL WHERE seq = ?")
  // The index has all that is asked for, which the planner does not see to be worth it. The send itself is not settled yet.
  const before = db
    .prepare<[number], number | null>(
      `SELECT (SELECT b.passed FROM sends b INDEXED BY sends_settled
               WHERE b.delivery_seq = s.delivery_seq AND b.target = s.target AND b.tamper IS s.tamper AND b.variant IS s.variant
                 AND b.state = 'settled'
               ORDER BY b.started_at DESC, b.seq DESC LIMIT 1)
       FROM sends s WHERE s.seq = ?`,
    )
    .pluck()
  const end = db.prepare(
    `UPDATE sends SET state = ?, passed = ?, started_at = coalesce(?, started_at), status = ?, ms = ?, phases = ?, error_kind = ?, error = ?,
       certificate_problem = ?, headers = ?, truncated = ?, sent_method = ?, sent_headers = ?, body = ?, outcome = ? WHERE seq = ?`,
  )
  /** Null for one that was not made, or whose delivery was taken out meanwhile, and it with that. */
  const outcomeNow = ([seq, state, passed]: EndedRow): SendOutcome | null => {
    const last = state === 'settled' ? before.get(seq) : undefined
    return last === undefined ? null : outcomeOf(passed === 1, last)
  }
  const write = db.transaction(({ begun, ended, released, bodies }: PackedSends) => {
    for (const values of begun) begin.run(values)
    for (const seq of released) release.run(seq)
    let offset = 0
    return ended.map((row) => {
      const [seq, state, passed, size, ...values] = row
      const body = bodies.subarray(offset, offset + size)
      offset += size
      const outcome = outcomeNow(row)
      end.run(state, passed, ...values, body, outcome, seq)
      return outcome
    })
  })
  return (batch) => withRelaxedCommit(db, () => write(batch))
}
