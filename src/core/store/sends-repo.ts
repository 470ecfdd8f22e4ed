/**
 * Reads sends: everything sent from a delivery, each with its response. A send is named by its job and its place in it,
 * `JOB.PLACE`. A job's rows exist before its first send starts (`replay-jobs-repo.ts`) and are completed as they end
 * (`record-sends.ts`): pending ones up to the job's progress are in progress.
 */
import { isShortId } from '../../shared/model/delivery-ref.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { editedParts, isForged } from '../../shared/model/replay-edits.ts'
import type {
  ReplayEdits,
  Send,
  SendAnswer,
  SendOutcome,
  SendsShown,
  SendState,
} from '../../shared/model/send.ts'
import type { ReadableDb } from './open.ts'
import { readSettings } from './replay-jobs-repo.ts'
import { unpackSentHeaders } from './sends-batch.ts'
import { jsonOf, jsonSql, readRow, readRows } from './rows.ts'

interface SendRow {
  readonly job_id: string
  readonly position: number
  readonly delivery_id: string
  readonly target: string
  readonly handler: string | null
  readonly tamper: Send['tamper']
  /** The job's settings; null if it no longer exists. */
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
  readonly valid_passed: number | null
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
  readonly captured: string
}

/**
 * Whether the endpoint acknowledged the last valid send before a forged one: without tampering, or as captured. The index has all
 * requested columns.
 */
const VALID_PASSED = `CASE WHEN s.state = 'settled' AND (s.tamper IS NOT NULL OR s.variant IS NOT NULL) THEN
  (SELECT b.passed FROM sends b INDEXED BY sends_settled
   WHERE b.delivery_seq = s.delivery_seq AND (b.started_at, b.seq) < (s.started_at, s.seq) AND b.target = s.target
     AND b.tamper IS NULL AND b.variant IS CASE WHEN s.tamper IS NULL THEN NULL ELSE s.variant END
     AND b.state = 'settled' AND b.passed IS NOT NULL
   ORDER BY b.started_at DESC, b.seq DESC LIMIT 1) END`

const SEND_COLUMNS = `s.job_id, s.position, d.id AS delivery_id, s.tamper, s.started_at, s.registered_url, s.status,
  s.ms, s.phases, s.error_kind, s.error, s.outcome, ${VALID_PASSED} AS valid_passed, s.certificate_problem, s.kind, s.tries, s.variant,
  h.name AS handler,
  CASE WHEN s.kind = 'forward' AND s.state = 'waiting' THEN coalesce(
    (SELECT json_extract(${jsonSql('f.settings', '{}')}, '$.url') FROM forward_targets f WHERE f.id = s.job_id), s.target) ELSE s.target END AS target,
  CASE WHEN s.state = 'waiting' AND s.position <= j.reached THEN 'under-way' ELSE s.state END AS state,
  CASE WHEN s.variant IS NULL THEN NULL ELSE j.settings END AS settings, j.body IS NOT NULL AS has_body`
const SEND_SOURCE =
  'sends s JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id LEFT JOIN handlers h ON h.seq = s.handler'

function editsOf({ settings }: SendRow): ReplayEdits | null {
  return settings === null ? null : readSettings(settings).edits
}

function toSend(row: SendRow): Send {
  const edits = editsOf(row)
  const edited = edits === null ? [] : editedParts(edits, row.has_body === 1)
  const isCompared = row.valid_passed !== null && isForged({ tamper: row.tamper, edited })
  return {
    id: `${row.job_id}.${row.position}`,
    jobId: row.job_id,
    position: row.position,
    deliveryId: row.delivery_id,
    target: row.target,
    handler: row.handler,
    registeredUrl: row.registered_url,
    tamper: row.tamper,
    kind: row.kind,
    tries: row.tries,
    edited,
    state: row.state,
    startedAt: row.started_at === null ? null : new Date(row.started_at).toISOString(),
    status: row.status,
    ms: row.ms,
    phases: row.phases === null ? null : jsonOf('sends.phases', row.phases),
    errorKind: row.error_kind,
    error: row.error,
    outcome: row.outcome,
    validPassed: isCompared ? row.valid_passed === 1 : null,
    certificateProblem: row.certificate_problem,
  }
}

const SHOWN: Readonly<Record<SendsShown, string>> = {
  all: '1',
  failed: "s.outcome IN ('first-fail', 'still-failing', 'regressed')",
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
  return readRows(
    db
      .prepare<[string, number, number], SendRow>(
        `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE s.job_id = ? AND s.position > ? AND ${SHOWN[show]} ORDER BY s.position LIMIT ?`,
      )
      .all(jobId, after, limit),
    toSend,
  )
}

/** Sends of a delivery, newest first. */
export function sendsOfDelivery(
  db: ReadableDb,
  { deliverySeq, limit }: { readonly deliverySeq: number; readonly limit: number },
): Send[] {
  return readRows(
    db
      .prepare<[number, number], SendRow>(
        `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE s.delivery_seq = ? ORDER BY s.seq DESC LIMIT ?`,
      )
      .all(deliverySeq, limit),
    toSend,
  )
}

/** The last sends to a target, newest first. */
export function sendsOfTarget(
  db: ReadableDb,
  { id, limit }: { readonly id: string; readonly limit: number },
): Send[] {
  return readRows(
    db
      .prepare<[string, number], SendRow>(
        `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE s.job_id = ? ORDER BY s.position DESC LIMIT ?`,
      )
      .all(id, limit),
    toSend,
  )
}

/** Sends by their seq, in that order. */
export function sendsBySeq(db: ReadableDb, seqs: readonly number[]): Send[] {
  return readRows(
    db
      .prepare<[string], SendRow>(
        `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE s.seq IN (SELECT value FROM json_each(?)) ORDER BY s.seq`,
      )
      .all(JSON.stringify(seqs)),
    toSend,
  )
}

/** A send with its response and its request: the body is the job's, or its delivery's. */
export interface StoredSend extends Omit<SendAnswer, 'request'> {
  readonly deliverySeq: number
  readonly hasOwnBody: boolean
  /** Body fields that were set. */
  readonly set: ReplayEdits['set']
  readonly sent: { readonly method: string; readonly headers: RawHeaders } | null
}

/** The replay with this id, or with a unique prefix or suffix of it. Throws `NOT_FOUND` if several match. */
function wholeJobId(db: ReadableDb, given: string): string {
  if (!isShortId(given)) return given
  const text = given.toLowerCase()
  const matches = db
    .prepare<{ text: string }, string>(
      `SELECT id FROM replay_jobs WHERE substr(id, 1, length(@text)) = @text OR substr(id, -length(@text)) = @text LIMIT 6`,
    )
    .pluck()
    .all({ text })
  if (matches.length < 2) return matches[0] ?? given
  throw new AppError(
    'NOT_FOUND',
    `${given} matches several replays: ${matches.join(', ')}. Type more characters of the ID.`,
    {
      details: { matches },
    },
  )
}

/** Reads `REPLAY.POSITION`, or the id of a replay with a single send. Throws `NOT_FOUND` for an unknown name. */
export function readSend(db: ReadableDb, id: string): StoredSend {
  const [, job = id, place] = /^(.*)\.(\d+)$/.exec(id) ?? []
  const jobId = wholeJobId(db, job)
  const count = db
    .prepare<[string], number>(
      'SELECT count(*) FROM (SELECT 1 FROM sends WHERE job_id = ? LIMIT 2)',
    )
    .pluck()
  if (place === undefined && count.get(jobId) === 2)
    throw new AppError(
      'NOT_FOUND',
      `Replay ${id} has several sends. Add the number of one, for example ${id}.1.`,
      { details: { jobId } },
    )
  const found = db
    .prepare<[string, number], AnswerRow>(
      `SELECT ${SEND_COLUMNS}, s.headers, s.body, s.truncated, s.delivery_seq, s.sent_method, s.sent_headers,
         d.headers AS captured
       FROM ${SEND_SOURCE} WHERE s.job_id = ? AND s.position = ?`,
    )
    .get(jobId, Number(place ?? 1))
  if (found === undefined)
    throw new AppError('NOT_FOUND', `Send ${id} not found. List the sends of its delivery.`)
  return readRow(`Send ${id}`, found, (row) => ({
    ...toSend(row),
    headers: row.headers === null ? [] : jsonOf('sends.headers', row.headers),
    base64: Buffer.from(row.body ?? new Uint8Array()).toString('base64'),
    truncated: row.truncated === 1,
    deliverySeq: row.delivery_seq,
    hasOwnBody: row.has_body === 1,
    set: editsOf(row)?.set,
    sent:
      row.sent_method === null || row.sent_headers === null
        ? null
        : {
            method: row.sent_method,
            headers: unpackSentHeaders(
              row.sent_headers,
              jsonOf('deliveries.headers', row.captured),
            ),
          },
  }))
}
