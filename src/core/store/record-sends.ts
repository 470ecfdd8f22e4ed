/** Records sends that have ended, many in one transaction. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { isRejection } from '../../shared/model/replay-edits.ts'
import type { Send, SendOutcome, SendState, Tamper } from '../../shared/model/send.ts'
import { prepareResponse, rejectionSql } from './handler-responses.ts'
import { handlerSeq } from './handlers.ts'
import { prepareProgress, type Reached, type Tally } from './replays.ts'
import { columnStatement } from './statements.ts'
import type { WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import { packBodies, unpackBodies } from './packed-bodies.ts'
import { correctTotals } from './delivery-totals.ts'

export interface SendIdentity {
  readonly replayId: string
  readonly position: number
  readonly kind: Send['kind']
  readonly deliverySeq: number
  readonly target: string
  readonly handlerId: string | null
  readonly tamper: Tamper | null
  readonly variant: string | null
  /** Whether the endpoint should reject it. */
  readonly forged: boolean
}

export interface EndedSend extends SendIdentity {
  /** `waiting` for a failed try that another one follows. */
  readonly state: Extract<SendState, 'settled' | 'not-sent' | 'waiting'>
  readonly tries?: number
  /** Time and signed URL; null keeps those recorded at its start. */
  readonly startedAt: number | null
  readonly registeredUrl: string | null
  readonly status: number | null
  readonly ms: number | null
  readonly phases: Send['phases']
  readonly errorKind: Send['errorKind']
  readonly error: string | null
  /** Whether the endpoint acknowledged it; null for our own receiver. */
  readonly passed: boolean | null
  readonly certificateProblem: string | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
  readonly request: { readonly method: string; readonly headers: RawHeaders } | null
}

type EndedRow = Omit<EndedSend, 'body'> & { readonly size: number }

export interface SendsBatch {
  /** JSON, because many objects take long to transfer. */
  readonly sends: string
  readonly bodies: Uint8Array<ArrayBuffer>
  readonly reached: Reached | null
}

/** Packs sends, with bodies that may be transferred. */
export function packSends(sends: readonly EndedSend[], reached: Reached | null = null): SendsBatch {
  const rows = sends.map(({ body, ...send }): EndedRow => ({ ...send, size: body.length }))
  return {
    sends: JSON.stringify(rows),
    bodies: packBodies(sends.map(({ body }) => body)),
    reached,
  }
}

export interface RecordedSends {
  readonly deliveries: readonly number[]
  readonly progress: ReturnType<ReturnType<typeof prepareProgress>>
}

/** Whether the endpoint rejected a forged send or acknowledged another; null if unknown. */
export function didRespondCorrectly(
  send: Pick<EndedSend, 'forged' | 'passed' | 'status' | 'error'>,
): boolean | null {
  return send.forged && send.passed !== null ? isRejection(send) : send.passed
}

/** Compares a send with the last similar one: `wasRight` is 1 if that one was right. */
function outcomeOf(send: EndedRow, wasRight: number | undefined): SendOutcome | null {
  if (send.state !== 'settled') return null
  const right = didRespondCorrectly(send)
  if (right === null) return 'recorded'
  if (wasRight === undefined) return right ? 'passed' : 'failed'
  if (right) return wasRight === 1 ? 'still-passing' : 'fixed'
  return wasRight === 1 ? 'regressed' : 'still-failing'
}

function tallyOf(
  rows: readonly EndedRow[],
  outcomes: readonly (SendOutcome | null | undefined)[],
): Partial<Tally> {
  const tally: { -readonly [Name in keyof Tally]?: number } = {}
  const add = (name: keyof Tally) => (tally[name] = (tally[name] ?? 0) + 1)
  for (const [index, row] of rows.entries()) {
    const right = didRespondCorrectly(row)
    if (row.state === 'not-sent') add('notSent')
    else add(right === null ? 'recorded' : right ? 'passed' : 'failed')
    const outcome = outcomes[index]
    if (outcome === 'fixed' || outcome === 'regressed') add(outcome)
  }
  return tally
}

const bit = (flag: boolean | null) => (flag === null ? null : Number(flag))
const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** Creates the function that records sends, without a wait for the disk. */
export function prepareSends(db: WritableDb): (batch: SendsBatch) => RecordedSends {
  const progress = prepareProgress(db)
  const wasLastRight = columnStatement<number>(
    db,
    `SELECT CASE ? WHEN 1 THEN ${rejectionSql('b')} ELSE b.passed END FROM sends b INDEXED BY sends_settled
       WHERE b.delivery_seq = ? AND b.target = ? AND b.tamper IS ? AND b.variant IS ? AND b.state = 'settled' AND b.passed IS NOT NULL
       ORDER BY b.started_at DESC, b.seq DESC LIMIT 1`,
  )
  const put = db.prepare(
    `INSERT INTO sends (job_id, position, kind, delivery_seq, target, handler, tamper, variant, state, started_at, registered_url, status,
       ms, phases, error_kind, error, passed, outcome, certificate_problem, headers, body, truncated, sent_method, sent_headers, tries)
     SELECT ${Array(25).fill('?').join(', ')} WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = ?)
     ON CONFLICT (job_id, position) DO UPDATE SET state = excluded.state, tries = max(tries, excluded.tries), started_at = coalesce(excluded.started_at, started_at),
       registered_url = coalesce(excluded.registered_url, registered_url), status = excluded.status, ms = excluded.ms,
       phases = excluded.phases, error_kind = excluded.error_kind, error = excluded.error, passed = excluded.passed,
       outcome = excluded.outcome, certificate_problem = excluded.certificate_problem, headers = excluded.headers, body = excluded.body,
       truncated = excluded.truncated, sent_method = excluded.sent_method, sent_headers = excluded.sent_headers`,
  )
  const handlerOf = columnStatement<number | null>(db, `SELECT ${handlerSeq('?', '?')}`)
  const seqOf = columnStatement<number>(
    db,
    'SELECT seq FROM sends WHERE job_id = ? AND position = ?',
  )
  const respond = prepareResponse(db)

  /** Records a send; undefined if its delivery was removed. */
  function record(send: EndedRow, body: Uint8Array): SendOutcome | null | undefined {
    const { replayId, position, deliverySeq, target, tamper, variant, request } = send
    const forged = bit(send.forged)
    const outcome = outcomeOf(send, wasLastRight.get(forged, deliverySeq, target, tamper, variant))
    // Bound in the columns' order: by name takes five times as long.
    const { changes } = put.run(
      replayId,
      position,
      send.kind,
      deliverySeq,
      target,
      handlerOf.get(send.handlerId ?? '', target),
      tamper,
      variant,
      send.state,
      send.startedAt,
      send.registeredUrl,
      send.status,
      send.ms,
      json(send.phases),
      send.errorKind,
      send.error,
      bit(send.passed),
      outcome,
      send.certificateProblem,
      JSON.stringify(send.headers),
      body,
      bit(send.truncated),
      request?.method ?? null,
      json(request?.headers ?? null),
      send.tries ?? 0,
      deliverySeq,
    )
    if (changes === 0) return undefined
    correctTotals(db, respond(seqOf.get(replayId, position)!, send))
    return outcome
  }

  const write = db.transaction(({ sends, bodies, reached }: SendsBatch): RecordedSends => {
    const bodyOf = unpackBodies(bodies)
    const rows = JSON.parse(sends) as EndedRow[]
    const recorded = rows.map((row) => record(row, bodyOf(row.size)))
    return {
      progress: reached === null ? null : progress(reached, tallyOf(rows, recorded)),
      deliveries: rows.flatMap(({ deliverySeq }, index) =>
        recorded[index] === undefined ? [] : deliverySeq,
      ),
    }
  })
  return (batch) => withRelaxedCommit(db, () => write.immediate(batch))
}
