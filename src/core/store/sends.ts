/**
 * Sends: everything sent from a delivery, each with its response. A send is named by its job and its place in it, `JOB.PLACE`. A row
 * is written when a send has ended.
 */
import { isShortId } from '../../shared/model/delivery-ref.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { systemClock } from '../base/system-clock.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { editedParts, isForged, isRejection } from '../../shared/model/replay-edits.ts'
import type {
  ReplayEdits,
  Send,
  SendAnswer,
  SendOutcome,
  SendsShown,
  SendState,
  Tamper,
} from '../../shared/model/send.ts'
import { onlyMatch } from './deliveries.ts'
import { prepareResponse, rejectionSql } from './handler-responses.ts'
import { handlerSeq } from './handlers.ts'
import { packBodies, unpackBodies } from './ingest.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import {
  findJob,
  isAliveAt,
  listOpenJobs,
  prepareProgress,
  readSeqs,
  targetIn,
  unrecordedPlaces,
  type StoredJob,
  type Tally,
} from './replays.ts'
import { columnsFor, jsonOf, jsonSql, readRow, readRows } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'
import { countResponse } from './timeline.ts'

// Records sends that have ended, many in one transaction.

/** The parts of a send's record that are known before it is sent. */
export interface SendIdentity {
  readonly jobId: string
  readonly position: number
  readonly kind: Send['kind']
  readonly deliverySeq: number
  readonly target: string
  /** The saved handler's id; null if only its URL may be saved. */
  readonly handlerId: string | null
  readonly tamper: Tamper | null
  readonly variant: string | null
  /** Whether the endpoint should reject it. */
  readonly forged: boolean
}

/** A send that has ended; `not-sent` if it couldn't be made. */
export interface EndedSend extends SendIdentity {
  /** `waiting` for a failed try that is followed by another one. */
  readonly state: Extract<SendState, 'settled' | 'not-sent' | 'waiting'>
  /** The number of tries so far, if the delivery is tried again. */
  readonly tries?: number
  /** When it was sent, and the URL it was signed with; null: as recorded at its start, or not at all. */
  readonly startedAt: number | null
  readonly registeredUrl: string | null
  readonly status: number | null
  readonly ms: number | null
  readonly phases: Send['phases']
  readonly errorKind: Send['errorKind']
  readonly error: string | null
  /** Whether the endpoint acknowledged it; null if only our own receiver responded. */
  readonly passed: boolean | null
  readonly certificateProblem: string | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
  /** Null if nothing was sent. */
  readonly request: { readonly method: string; readonly headers: RawHeaders } | null
}

type EndedRow = Omit<EndedSend, 'body'> & { readonly size: number }

export interface SendsBatch {
  /** The sends without their bodies as JSON: many objects with lists of headers take long to transfer. */
  readonly sends: string
  readonly bodies: Uint8Array<ArrayBuffer>
  /** The cursor of a replay: its sends up to this place may have been sent. `at`: now. */
  readonly reached: { readonly jobId: string; readonly place: number; readonly at: number } | null
}

/** Its `bodies` have their own memory and may be transferred. */
export function packSends(
  sends: readonly EndedSend[],
  reached: SendsBatch['reached'] = null,
): SendsBatch {
  const rows = sends.map(({ body, ...send }): EndedRow => ({ ...send, size: body.length }))
  return {
    sends: JSON.stringify(rows),
    bodies: packBodies(sends.map(({ body }) => body)),
    reached,
  }
}

export interface RecordedSends {
  /** The deliveries of the stored sends, by seq. */
  readonly deliveries: readonly number[]
  /** The replay that has come further. */
  readonly progress: ReturnType<ReturnType<typeof prepareProgress>>
}

/** Whether the endpoint did the right thing: rejected a forged send, acknowledged any other; null if only our own receiver responded. */
export function isRight(
  send: Pick<EndedSend, 'forged' | 'passed' | 'status' | 'error'>,
): boolean | null {
  return send.forged && send.passed !== null ? isRejection(send) : send.passed
}

/** Compares a send with the last similar one: whether the endpoint did the right thing then; undefined if there is none. */
function outcomeOf(send: EndedRow, wasRight: number | undefined): SendOutcome | null {
  if (send.state !== 'settled') return null
  const right = isRight(send)
  // Our own receiver isn't compared: it isn't the user's endpoint.
  if (right === null) return 'recorded'
  if (wasRight === undefined) return right ? 'first-pass' : 'first-fail'
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
    const right = isRight(row)
    if (row.state === 'not-sent') add('notSent')
    else add(right === null ? 'recorded' : right ? 'passed' : 'failed')
    const outcome = outcomes[index]
    if (outcome === 'fixed' || outcome === 'regressed') add(outcome)
  }
  return tally
}

const bit = (is: boolean | null) => (is === null ? null : is ? 1 : 0)
const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/**
 * Creates the function that records sends in one transaction, with the handler's response to each delivery. It survives the end of
 * the process; it doesn't wait for the disk, which would halve the pace.
 */
export function prepareSends(db: WritableDb): (batch: SendsBatch) => RecordedSends {
  const progress = prepareProgress(db)
  // The index has all columns requested for a valid send, which the planner doesn't notice.
  const last = valuesOf<number>(
    db,
    `SELECT CASE ? WHEN 1 THEN ${rejectionSql('b')} ELSE b.passed END FROM sends b INDEXED BY sends_settled
       WHERE b.delivery_seq = ? AND b.target = ? AND b.tamper IS ? AND b.variant IS ? AND b.state = 'settled' AND b.passed IS NOT NULL
       ORDER BY b.started_at DESC, b.seq DESC LIMIT 1`,
  )
  // A forwarded delivery has a row since it was queued.
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
  const handlerOf = valuesOf<number | null>(db, `SELECT ${handlerSeq('?', '?')}`)
  const seqOf = valuesOf<number>(db, 'SELECT seq FROM sends WHERE job_id = ? AND position = ?')
  const respond = prepareResponse(db)

  /** The outcome; undefined if the delivery was removed. */
  function record(send: EndedRow, body: Uint8Array): SendOutcome | null | undefined {
    const { jobId, position, deliverySeq, target, tamper, variant, request } = send
    const forged = bit(send.forged)
    const outcome = outcomeOf(send, last.get(forged, deliverySeq, target, tamper, variant))
    // In the order of the columns: bound by name, with the handler found in the same statement, it takes five times as long.
    const { changes } = put.run(
      jobId,
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
    countResponse(db, respond(seqOf.get(jobId, position)!, send))
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

// Reads sends for lists, and one with its request and response.

type SendRow = Omit<Send, 'id' | 'edited' | 'startedAt' | 'phases' | 'validPassed'> & {
  readonly startedAt: number | null
  readonly phases: string | null
  readonly validPassed: number | null
  /** The job's settings if it edits its requests; null if it no longer exists. */
  readonly settings: string | null
  readonly hasBody: number
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

const OWN_COLUMNS = columnsFor('s', [
  ...[
    'jobId',
    'position',
    'registeredUrl',
    'tamper',
    'kind',
    'tries',
    'state',
    'startedAt',
    'status',
  ],
  ...['ms', 'phases', 'errorKind', 'error', 'outcome', 'certificateProblem'],
])
const SEND_COLUMNS = `${OWN_COLUMNS}, d.id AS deliveryId, h.name AS handler, ${VALID_PASSED} AS validPassed,
  CASE WHEN s.kind = 'forward' AND s.state = 'waiting' THEN coalesce(
    (SELECT json_extract(${jsonSql('f.settings', '{}')}, '$.url') FROM forward_targets f WHERE f.id = s.job_id), s.target) ELSE s.target END AS target,
  CASE WHEN s.variant IS NULL THEN NULL ELSE j.settings END AS settings, j.body IS NOT NULL AS hasBody`
const SEND_SOURCE =
  'sends s JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id LEFT JOIN handlers h ON h.seq = s.handler'

function editsOf({ settings }: Pick<SendRow, 'settings'>): ReplayEdits | null {
  return settings === null ? null : jsonOf('replay_jobs.settings', settings).edits
}

function toSend({ settings, hasBody, ...row }: SendRow): Send {
  const edits = editsOf({ settings })
  const edited = edits === null ? [] : editedParts(edits, hasBody === 1)
  const isCompared = row.validPassed !== null && isForged({ tamper: row.tamper, edited })
  return {
    ...row,
    id: `${row.jobId}.${row.position}`,
    edited,
    startedAt: row.startedAt === null ? null : new Date(row.startedAt).toISOString(),
    phases: row.phases === null ? null : jsonOf('sends.phases', row.phases),
    validPassed: isCompared ? row.validPassed === 1 : null,
  }
}

/** What a list of sends selects from the rows. `rest`: the condition, which follows `WHERE`. */
function sendsWhere(db: ReadableDb, rest: string, ...values: readonly unknown[]): Send[] {
  const rows = rowStatement<SendRow>(
    db,
    `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE ${rest}`,
  ).all(...values)
  return readRows(rows, toSend)
}

/**
 * The sends at some places of a job that have no row: pending, in progress or cancelled. Places whose delivery was removed are left
 * out.
 */
function unrecorded(
  db: ReadableDb,
  job: StoredJob,
  seqs: Float64Array,
  places: readonly number[],
): Send[] {
  const { handlerId, tamper, edits } = job.settings
  const isOver = job.state === 'cancelled'
  const begun = isOver && !isAliveAt(job, systemClock.now()) ? 'uncertain' : 'under-way'
  const later = isOver ? 'cancelled' : 'waiting'
  const handler = valuesOf<string>(
    db,
    `SELECT name FROM handlers WHERE seq = ${handlerSeq('?', '?')}`,
  )
  const delivery = rowStatement<{ id: string; hookId: string | null }>(
    db,
    'SELECT id, hook_id AS hookId FROM deliveries WHERE seq = ?',
  )
  const nothing = {
    registeredUrl: null,
    startedAt: null,
    status: null,
    ms: null,
    phases: null,
    errorKind: null,
    error: null,
    outcome: null,
    validPassed: null,
    certificateProblem: null,
  }
  return places.flatMap((position): Send[] => {
    const found = delivery.get(seqs[position - 1])
    if (found === undefined) return []
    const target = targetIn(job, found.hookId) ?? ''
    return [
      {
        ...nothing,
        id: `${job.id}.${position}`,
        jobId: job.id,
        position,
        deliveryId: found.id,
        target,
        handler: handler.get(handlerId ?? '', target) ?? null,
        tamper,
        kind: 'replay',
        tries: 0,
        edited: editedParts(edits, job.hasBody),
        state: position <= job.reached ? begun : later,
      },
    ]
  })
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

/** Returns a replay with its list; null for one that is done, and for any other job. */
function openJob(db: ReadableDb, id: string): (StoredJob & { readonly seqs: Float64Array }) | null {
  const job = findJob(db, id)
  const seqs = job && readSeqs(db, id)
  return job && seqs && { ...job, seqs }
}

/** Sends of a job after a place, in order. Read at one moment: in between, a send gets its record, and a done job loses its plan. */
export function sendsOfJob(db: ReadableDb, input: SendsOfJob): Send[] {
  return db.transaction(() => sendsNow(db, input))()
}

function sendsNow(db: ReadableDb, { jobId, after, limit, show }: SendsOfJob): Send[] {
  const sends = sendsWhere(
    db,
    `s.job_id = ? AND s.position > ? AND ${SHOWN[show]} ORDER BY s.position LIMIT ?`,
    jobId,
    after,
    limit,
  )
  const job = show === 'all' || show === 'not-sent' ? openJob(db, jobId) : null
  if (job === null || (show === 'not-sent' && job.state !== 'cancelled')) return sends
  const upTo = sends.length === limit ? sends.at(-1)!.position : job.places
  // Without a row, those up to the cursor may have been sent.
  const first = show === 'all' ? after : Math.max(after, job.reached)
  const places = unrecordedPlaces(db, jobId, { after: first, upTo, most: limit })
  return [...sends, ...unrecorded(db, job, job.seqs, places)]
    .toSorted((a, b) => a.position - b.position)
    .slice(0, limit)
}

/** The sends of a delivery that are pending or in progress, those of the newest job first. */
function openSends(db: ReadableDb, deliverySeq: number, limit: number): Send[] {
  const recorded = valuesOf<number>(
    db,
    'SELECT position FROM sends WHERE job_id = ? AND delivery_seq = ?',
  )
  const open = listOpenJobs(db).flatMap((job) => {
    const seqs = readSeqs(db, job.id)
    if (seqs?.includes(deliverySeq) !== true) return []
    const ended = new Set(recorded.all(job.id, deliverySeq))
    const places: number[] = []
    for (let place = seqs.length; place > 0 && places.length < limit; place--)
      if (seqs[place - 1] === deliverySeq && !ended.has(place)) places.push(place)
    return unrecorded(db, job, seqs, places).filter(({ state }) => state !== 'cancelled')
  })
  return open.slice(0, limit)
}

/**
 * Sends of a delivery, newest first. Pending ones leave at least half of the limit to those that
 * ended.
 */
export function sendsOfDelivery(
  db: ReadableDb,
  { deliverySeq, limit }: { readonly deliverySeq: number; readonly limit: number },
): Send[] {
  const sends = sendsWhere(db, 's.delivery_seq = ? ORDER BY s.seq DESC LIMIT ?', deliverySeq, limit)
  const room = Math.max(limit - sends.length, Math.ceil(limit / 2))
  const open = openSends(db, deliverySeq, limit)
  const begun = open.filter(({ state }) => state !== 'waiting')
  const waiting = open.filter(({ state }) => state === 'waiting')
  return [...waiting.slice(0, room), ...begun, ...sends].slice(0, limit)
}

/** The last sends to a target, newest first. */
export function sendsOfTarget(
  db: ReadableDb,
  { id, limit }: { readonly id: string; readonly limit: number },
): Send[] {
  return sendsWhere(db, 's.job_id = ? ORDER BY s.position DESC LIMIT ?', id, limit)
}

/** Sends by their seq, in that order. */
export function sendsBySeq(db: ReadableDb, seqs: readonly number[]): Send[] {
  return sendsWhere(
    db,
    's.seq IN (SELECT value FROM json_each(?)) ORDER BY s.seq',
    JSON.stringify(seqs),
  )
}

type AnswerRow = SendRow & {
  readonly headers: string | null
  readonly body: Uint8Array | null
  readonly truncated: number
  readonly deliverySeq: number
  readonly sentMethod: string | null
  readonly sentHeaders: string | null
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
  const matches = valuesOf<string>(
    db,
    `SELECT id FROM replay_jobs WHERE substr(id, 1, length(@text)) = @text OR substr(id, -length(@text)) = @text LIMIT 6`,
  ).all({ text })
  return onlyMatch(matches, given, 'replays') ?? given
}

/** A send of a job that has no row; undefined after the job's last place. */
function openSend(db: ReadableDb, jobId: string, place: number): StoredSend | undefined {
  const job = openJob(db, jobId)
  const [send] = job === null ? [] : unrecorded(db, job, job.seqs, [place])
  return job === null || send === undefined
    ? undefined
    : {
        ...send,
        headers: [],
        base64: '',
        truncated: false,
        deliverySeq: job.seqs[place - 1] ?? 0,
        hasOwnBody: false,
        set: undefined,
        sent: null,
      }
}

/** Reads `REPLAY.POSITION`, or the id of a replay with a single send. Throws `NOT_FOUND` for an unknown name. */
export function readSend(db: ReadableDb, id: string): StoredSend {
  const [, job = id, place] = /^(.*)\.(\d+)$/.exec(id) ?? []
  const jobId = wholeJobId(db, job)
  if (
    place === undefined &&
    sendsOfJob(db, { jobId, after: 0, limit: 2, show: 'all' }).length === 2
  )
    throw new AppError(
      'NOT_FOUND',
      `Replay ${id} has several sends. Add the number of one, for example ${id}.1.`,
      { details: { jobId } },
    )
  const position = Number(place ?? 1)
  const found = rowStatement<AnswerRow>(
    db,
    `SELECT ${SEND_COLUMNS}, ${columnsFor('s', ['headers', 'body', 'truncated', 'deliverySeq', 'sentMethod', 'sentHeaders'])}
     FROM ${SEND_SOURCE} WHERE s.job_id = ? AND s.position = ?`,
  ).get(jobId, position)
  if (found === undefined) {
    const open = openSend(db, jobId, position)
    if (open !== undefined) return open
    throw new AppError('NOT_FOUND', `Send ${id} not found. List the sends of its delivery.`)
  }
  return readRow(
    `Send ${id}`,
    found,
    ({ headers, body, truncated, deliverySeq, sentMethod, sentHeaders, ...row }) => ({
      ...toSend(row),
      headers: headers === null ? [] : jsonOf('sends.headers', headers),
      base64: Buffer.from(body ?? new Uint8Array()).toString('base64'),
      truncated: truncated === 1,
      deliverySeq,
      hasOwnBody: row.hasBody === 1,
      set: editsOf(row)?.set,
      sent:
        sentMethod === null || sentHeaders === null
          ? null
          : { method: sentMethod, headers: jsonOf('sends.sent_headers', sentHeaders) },
    }),
  )
}
