/**
 * Writes what becomes of sends: each as under way before its first byte, and again when it has ended, held against the last one of
 * its like.
 */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Send, SendOutcome, SendState } from '../../shared/model/send.ts'
import type { WritableDb } from './open.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

/** A send that is about to go. */
export interface BegunSend {
  readonly seq: number
  readonly at: number
  readonly registeredUrl: string | null
}

/** What came of a send; `not-sent` where it could not be made. */
export interface EndedSend {
  readonly seq: number
  readonly state: Extract<SendState, 'settled' | 'not-sent'>
  /** When it went, where it was written down well before; null: then. */
  readonly startedAt: number | null
  readonly status: number | null
  readonly ms: number | null
  readonly phases: Send['phases']
  readonly errorKind: Send['errorKind']
  readonly error: string | null
  readonly passed: boolean
  readonly certificateProblem: string | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
  /** What went out; null where nothing did. */
  readonly request: { readonly method: string; readonly headers: RawHeaders } | null
}

export interface SendsBatch {
  readonly begun: readonly BegunSend[]
  readonly ended: readonly EndedSend[]
  /** Those begun that have not gone, by seq: they wait again. */
  readonly released: readonly number[]
}

function outcomeOf(passed: boolean, before: number | undefined): SendOutcome {
  if (before === undefined) return passed ? 'first-pass' : 'first-fail'
  if (passed) return before === 1 ? 'still-passing' : 'fixed'
  return before === 1 ? 'regressed' : 'still-failing'
}

/** What makes two sends alike. */
type Likeness = [deliverySeq: number, target: string, tamper: string | null, variant: string | null]

/**
 * Makes the function that writes what has begun and what has ended, in one transaction; it gives the outcome of each that ended.
 * It outlives the end of the process, however that comes; it does not wait for the disk, which would halve the pace.
 */
export function prepareSends(db: WritableDb): (batch: SendsBatch) => (SendOutcome | null)[] {
  const begin = db.prepare("UPDATE sends SET state = 'under-way', started_at = ?, registered_url = ? WHERE seq = ?")
  const release = db.prepare("UPDATE sends SET state = 'waiting', started_at = NULL, registered_url = NULL WHERE seq = ?")
  const likeness = db.prepare<[number], Likeness>('SELECT delivery_seq, target, tamper, variant FROM sends WHERE seq = ?').raw()
  // The index has all that is asked for, which the planner does not see to be worth it. The send itself is not settled yet.
  const before = db
    .prepare<Likeness, number>(
      `SELECT passed FROM sends INDEXED BY sends_settled WHERE delivery_seq = ? AND target = ? AND tamper IS ? AND variant IS ? AND state = 'settled'
       ORDER BY started_at DESC, seq DESC LIMIT 1`,
    )
    .pluck()
  const end = db.prepare(
    `UPDATE sends SET state = ?, started_at = coalesce(?, started_at), status = ?, ms = ?, phases = ?, error_kind = ?, error = ?, passed = ?, outcome = ?,
       certificate_problem = ?, headers = ?, body = ?, truncated = ?, sent_method = ?, sent_headers = ? WHERE seq = ?`,
  )
  const outcomeNow = ({ seq, state, passed }: EndedSend): SendOutcome | null => {
    const like = state === 'settled' ? likeness.get(seq) : undefined
    return like === undefined ? null : outcomeOf(passed, before.get(...like))
  }
  const write = db.transaction(({ begun, ended, released }: SendsBatch) => {
    for (const { seq, at, registeredUrl } of begun) begin.run(at, registeredUrl, seq)
    for (const seq of released) release.run(seq)
    return ended.map((send) => {
      const outcome = outcomeNow(send)
      end.run(
        send.state,
        send.startedAt,
        send.status,
        send.ms,
        send.phases === null ? null : JSON.stringify(send.phases),
        send.errorKind,
        send.error,
        send.passed ? 1 : 0,
        outcome,
        send.certificateProblem,
        JSON.stringify(send.headers),
        send.body,
        send.truncated ? 1 : 0,
        send.request?.method ?? null,
        send.request === null ? null : JSON.stringify(send.request.headers),
        send.seq,
      )
      return outcome
    })
  })
  return (batch) => withRelaxedCommit(db, () => write(batch))
}
