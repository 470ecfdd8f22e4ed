/**
 * Sends: what was made of a delivery, each with its answer. A send is named by its job and its place in it, `JOB.PLACE`; the rows
 * of a job are there before the first of them goes (`replay-jobs-repo.ts`), and each is written as under way before its first byte.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery, RawHeaders } from '../../shared/model/delivery.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import {
  replaySettingsSchema,
  type Send,
  type SendAnswer,
  type SendOutcome,
  type SendsShown,
  type SendState,
} from '../../shared/model/send.ts'
import { deliveriesBySeq, readBody } from './deliveries-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'
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
}

interface Before {
  readonly passed: number
}

function outcomeOf(passed: boolean, before: Before | undefined): SendOutcome {
  if (before === undefined) return passed ? 'first-pass' : 'first-fail'
  if (passed) return before.passed === 1 ? 'still-passing' : 'fixed'
  return before.passed === 1 ? 'regressed' : 'still-failing'
}

/**
 * Makes the function that writes what has begun and what has ended, in one transaction; it gives the outcome of each that ended.
 * It outlives the end of the process, however that comes; it does not wait for the disk, which would halve the pace.
 */
export function prepareSends(db: WritableDb): (batch: SendsBatch) => (SendOutcome | null)[] {
  const begin = db.prepare("UPDATE sends SET state = 'under-way', started_at = ?, registered_url = ? WHERE seq = ?")
  const before = db.prepare<[number], Before>(
    `SELECT b.passed FROM sends s JOIN sends b ON b.delivery_seq = s.delivery_seq AND b.target = s.target AND b.tamper IS s.tamper
       AND b.variant IS s.variant
     WHERE s.seq = ? AND b.seq <> s.seq AND b.state = 'settled' ORDER BY b.started_at DESC, b.seq DESC LIMIT 1`,
  )
  const end = db.prepare(
    `UPDATE sends SET state = ?, status = ?, ms = ?, phases = ?, error_kind = ?, error = ?, passed = ?, outcome = ?,
       certificate_problem = ?, headers = ?, body = ?, truncated = ?, sent_method = ?, sent_headers = ? WHERE seq = ?`,
  )
  const write = db.transaction(({ begun, ended }: SendsBatch) => {
    for (const { seq, at, registeredUrl } of begun) begin.run(at, registeredUrl, seq)
    return ended.map((send) => {
      const outcome = send.state === 'settled' ? outcomeOf(send.passed, before.get(send.seq)) : null
      end.run(
        send.state,
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

/** A send whose turn comes, with all it is made of; `delivery` is null where that was deleted meanwhile. */
export interface WaitingSend {
  readonly seq: number
  readonly position: number
  readonly target: string
  readonly delivery: Delivery | null
  readonly body: Uint8Array
}

/** A page of waiting sends holds about so many bytes of bodies at most; it has one send at least. */
const PAGE_BYTES = 8 * 1_048_576
const WHOLE = Number.MAX_SAFE_INTEGER

/** The next sends of a job after a place, in order. */
export function waitingSends(
  db: ReadableDb,
  { jobId, after, limit }: { readonly jobId: string; readonly after: number; readonly limit: number },
): WaitingSend[] {
  const rows = db
    .prepare<[string, number, number], { seq: number; position: number; target: string; delivery_seq: number }>(
      `SELECT seq, position, target, delivery_seq FROM sends
       WHERE job_id = ? AND position > ? AND state = 'waiting' ORDER BY position LIMIT ?`,
    )
    .all(jobId, after, limit)
  const found = deliveriesBySeq(
    db,
    rows.map((row) => row.delivery_seq),
  )
  const deliveries = new Map(found.map((delivery) => [delivery.seq, delivery]))
  const page: WaitingSend[] = []
  let bytes = 0
  for (const row of rows) {
    const body = readBody(db, { seq: row.delivery_seq, offset: 0, length: WHOLE }).bytes
    bytes += body.length
    if (page.length > 0 && bytes > PAGE_BYTES) break
    const { seq, position, target } = row
    page.push({ seq, position, target, delivery: deliveries.get(row.delivery_seq) ?? null, body })
  }
  return page
}

export interface SendRow {
  readonly job_id: string
  readonly position: number
  readonly delivery_id: string
  readonly target: string
  readonly tamper: Send['tamper']
  /** Of its job; null where it is of none any more. */
  readonly settings: string | null
  readonly has_body: number
  readonly variant: string | null
  readonly state: SendState
  readonly started_at: number | null
  readonly registered_url: string | null
  readonly status: number | null
  readonly ms: number | null
  readonly phases: string | null
  readonly error_kind: Send['errorKind']
  readonly error: string | null
  readonly outcome: SendOutcome | null
  readonly certificate_problem: string | null
  readonly kind: Send['kind']
  readonly tries: number
}

interface AnswerRow extends SendRow {
  readonly headers: string | null
  readonly body: Uint8Array | null
  readonly truncated: number
  readonly delivery_seq: number
  readonly sent_method: string | null
  readonly sent_headers: string | null
}

export const SEND_COLUMNS = `s.job_id, s.position, d.id AS delivery_id, s.target, s.tamper, s.state, s.started_at, s.registered_url, s.status,
  s.ms, s.phases, s.error_kind, s.error, s.outcome, s.certificate_problem, s.kind, s.tries, s.variant,
  CASE WHEN s.variant IS NULL THEN NULL ELSE j.settings END AS settings, j.body IS NOT NULL AS has_body`
export const SEND_SOURCE = 'sends s JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id'

export function toSend(row: SendRow): Send {
  return {
    id: `${row.job_id}.${row.position}`,
    jobId: row.job_id,
    position: row.position,
    deliveryId: row.delivery_id,
    target: row.target,
    registeredUrl: row.registered_url,
    tamper: row.tamper,
    kind: row.kind,
    tries: row.tries,
    edited:
      row.settings === null ? [] : editedParts(replaySettingsSchema.parse(JSON.parse(row.settings)).edits, row.has_body === 1),
    state: row.state,
    startedAt: row.started_at === null ? null : new Date(row.started_at).toISOString(),
    status: row.status,
    ms: row.ms,
    phases: row.phases === null ? null : (JSON.parse(row.phases) as Send['phases']),
    errorKind: row.error_kind,
    error: row.error,
    outcome: row.outcome,
    certificateProblem: row.certificate_problem,
  }
}

const SHOWN: Readonly<Record<SendsShown, string>> = {
  all: '1',
  failed: "s.state = 'settled' AND s.passed = 0",
  regressed: "s.outcome = 'regressed'",
  fixed: "s.outcome = 'fixed'",
  'not-sent': "s.state IN ('not-sent', 'cancelled')",
  uncertain: "s.state = 'uncertain'",
}

export interface SendsOfJob {
  readonly jobId: string
  readonly after: number
  readonly limit: number
  readonly show: SendsShown
}

/** Sends of a job after a place, in order. */
export function sendsOfJob(db: ReadableDb, { jobId, after, limit, show }: SendsOfJob): Send[] {
  return db
    .prepare<[string, number, number], SendRow>(
      `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE s.job_id = ? AND s.position > ? AND ${SHOWN[show]} ORDER BY s.position LIMIT ?`,
    )
    .all(jobId, after, limit)
    .map(toSend)
}

/** Sends of a delivery, newest first. */
export function sendsOfDelivery(
  db: ReadableDb,
  { deliverySeq, limit }: { readonly deliverySeq: number; readonly limit: number },
): Send[] {
  return db
    .prepare<[number, number], SendRow>(
      `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE s.delivery_seq = ? ORDER BY s.seq DESC LIMIT ?`,
    )
    .all(deliverySeq, limit)
    .map(toSend)
}

/** A send with its answer, and what is known of its request: the body is the job's own, or its delivery's. */
export interface StoredSend extends Omit<SendAnswer, 'request'> {
  readonly deliverySeq: number
  readonly hasOwnBody: boolean
  readonly sent: { readonly method: string; readonly headers: RawHeaders } | null
}

/** Throws `NOT_FOUND` where there is none of that name. */
export function readSend(db: ReadableDb, id: string): StoredSend {
  const dot = id.lastIndexOf('.')
  const row = db
    .prepare<[string, number], AnswerRow>(
      `SELECT ${SEND_COLUMNS}, s.headers, s.body, s.truncated, s.delivery_seq, s.sent_method, s.sent_headers
       FROM ${SEND_SOURCE} WHERE s.job_id = ? AND s.position = ?`,
    )
    .get(id.slice(0, Math.max(0, dot)), Number(id.slice(dot + 1)))
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no send ${id}. List those of its delivery.`)
  return {
    ...toSend(row),
    headers: row.headers === null ? [] : (JSON.parse(row.headers) as RawHeaders),
    base64: Buffer.from(row.body ?? new Uint8Array()).toString('base64'),
    truncated: row.truncated === 1,
    deliverySeq: row.delivery_seq,
    hasOwnBody: row.has_body === 1,
    sent:
      row.sent_method === null || row.sent_headers === null
        ? null
        : { method: row.sent_method, headers: JSON.parse(row.sent_headers) as RawHeaders },
  }
}
