/**
 * Records the progress of sends: in progress before the first byte, alone or with all of its job up to its place, and again at the
 * end, compared with the last similar one.
 */
import type { SendOutcome, Tamper } from '../../shared/model/send.ts'
import { rejectionSql, prepareResponse } from './handler-responses.ts'
import { handlerSeq } from './handlers-repo.ts'
import { type WritableDb, withRelaxedCommit } from './open.ts'
import { unpackBodies } from './ingest-repo.ts'
import { countResponse } from './timeline-repo.ts'
import { packSends, type EndedRow, type EndedSend, type PackedSends } from './sends-batch.ts'
import { jsonSql } from './rows.ts'

/** The outcome if the last similar send failed, passed, or doesn't exist. */
type Outcomes = readonly [
  afterFailure: SendOutcome | null,
  afterPass: SendOutcome | null,
  atFirst: SendOutcome | null,
]
const PASSED: Outcomes = ['fixed', 'still-passing', 'first-pass']
const FAILED: Outcomes = ['still-failing', 'regressed', 'first-fail']
/** Our own receiver isn't compared: it isn't the user's endpoint. */
const RECORDED: Outcomes = ['recorded', 'recorded', 'recorded']
/** A send that wasn't made says nothing about the endpoint. */
const NOT_MADE: Outcomes = [null, null, null]

function outcomesOf([, state, , , , right]: EndedRow): Outcomes {
  if (state !== 'settled') return NOT_MADE
  if (right === null) return RECORDED
  return right === 1 ? PASSED : FAILED
}

export interface RecordedSends {
  /** For each ended send; null if it wasn't made, or if its delivery was removed in the meantime. */
  readonly outcomes: readonly (SendOutcome | null)[]
  /** The deliveries of the ended sends, by seq. */
  readonly deliveries: readonly number[]
}

/**
 * Creates the function that records started and ended sends in one transaction, with the handler's response to each delivery. It
 * survives the end of the process; it doesn't wait for the disk, which would halve the pace.
 */
export function prepareSends(db: WritableDb): (batch: PackedSends) => RecordedSends {
  const reach = db.prepare('UPDATE replay_jobs SET reached = ? WHERE id = ?')
  // A forward target's URL may have changed since the delivery was queued.
  const begin = db.prepare(
    `UPDATE sends SET state = 'under-way', started_at = ?, registered_url = ?, target = ?,
       handler = ${handlerSeq(`(SELECT ${jsonSql('settings', '{}')} ->> '$.handlerId' FROM forward_targets WHERE id = sends.job_id)`, '?')}
     WHERE seq = ?`,
  )
  const release = db.prepare(
    "UPDATE sends SET state = 'waiting', started_at = NULL, registered_url = NULL WHERE seq = ?",
  )
  // The index has all columns requested for a valid send, which the planner doesn't notice. The send itself isn't settled yet.
  const end = db.prepare(
    `UPDATE sends SET state = ?, passed = ?, started_at = coalesce(?, started_at), registered_url = coalesce(?, registered_url),
         status = ?, ms = ?, phases = ?, error_kind = ?, error = ?, certificate_problem = ?, headers = ?, truncated = ?,
         sent_method = ?, sent_headers = ?, body = ?,
         outcome = CASE (SELECT CASE ? WHEN 1 THEN ${rejectionSql('b')} ELSE b.passed END FROM sends b INDEXED BY sends_settled
                         WHERE b.delivery_seq = sends.delivery_seq AND b.target = sends.target AND b.tamper IS sends.tamper
                           AND b.variant IS sends.variant AND b.state = 'settled' AND b.passed IS NOT NULL
                         ORDER BY b.started_at DESC, b.seq DESC LIMIT 1)
                   WHEN 0 THEN ? WHEN 1 THEN ? ELSE ? END
       WHERE seq = ?`,
  )
  // Queried once: RETURNING would create a table for each send.
  const recorded = db.prepare<[string], { outcome: SendOutcome | null; delivery: number | null }>(
    'SELECT s.outcome, s.delivery_seq AS delivery FROM json_each(?) e LEFT JOIN sends s ON s.seq = e.value ORDER BY e.key',
  )
  const respond = prepareResponse(db)
  const write = db.transaction(({ reached, begun, ended, released, bodies }: PackedSends) => {
    for (const values of reached) reach.run(values)
    for (const [at, registeredUrl, target, seq] of begun)
      begin.run(at, registeredUrl, target, target, seq)
    for (const seq of released) release.run(seq)
    const bodyOf = unpackBodies(bodies)
    for (const row of ended) {
      const [seq, state, passed, size, forged, , ...values] = row
      end.run(state, passed, ...values, bodyOf(size), forged, ...outcomesOf(row), seq)
      countResponse(db, respond(seq))
    }
    const rows = ended.length === 0 ? [] : recorded.all(JSON.stringify(ended.map(([seq]) => seq)))
    return {
      outcomes: rows.map(({ outcome }) => outcome),
      deliveries: rows.flatMap(({ delivery }) => delivery ?? []),
    }
  })
  return (batch) => withRelaxedCommit(db, () => write(batch))
}

/** What a flow's run sent to the user's handler, stored once its response is known. */
export interface FlowSend {
  readonly runId: string
  /** Counted from 1 in each run. */
  readonly position: number
  readonly deliverySeq: number
  readonly target: string
  /** The saved handler's id; null if the URL isn't saved. */
  readonly handlerId: string | null
  readonly tamper: Tamper | null
  readonly ended: Omit<EndedSend, 'seq'>
}

/** Stores a flow's send, unless its delivery was removed. */
export function addFlowSend(
  db: WritableDb,
  record: (batch: PackedSends) => RecordedSends,
  { runId, position, deliverySeq, target, handlerId, tamper, ended }: FlowSend,
): RecordedSends {
  // Uncertain only for a program that stops right here.
  const insert = db.prepare(
    `INSERT INTO sends (job_id, position, delivery_seq, target, handler, tamper, state, kind)
     SELECT ?, ?, ?, ?, ${handlerSeq('?', '?')}, ?, 'uncertain', 'flow' WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = ?)`,
  )
  const { changes, lastInsertRowid } = withRelaxedCommit(db, () =>
    insert.run(runId, position, deliverySeq, target, handlerId, target, tamper, deliverySeq),
  )
  const seqs = changes === 0 ? [] : [Number(lastInsertRowid)]
  return record(
    packSends({
      reached: [],
      begun: [],
      ended: seqs.map((seq) => ({ ...ended, seq })),
      released: [],
    }),
  )
}
