/**
 * Sends and the jobs that they belong to. A send is named by its job and its place in it, `JOB.PLACE`; the rows of a job are there
 * before the first of them goes, and each is written as under way before its first byte.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery, RawHeaders } from '../../shared/model/delivery.ts'
import type { ReplayJob, ReplaySettings, Send, SendAnswer, SendOutcome, SendState } from '../../shared/model/send.ts'
import { deliveriesBySeq, readBody } from './deliveries-repo.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

export type JobState = 'running' | 'done' | 'cancelled'

export interface NewJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** The process that works on it. */
  readonly owner: number
  /** In the order in which they are to go. */
  readonly sends: readonly { readonly deliverySeq: number; readonly target: string }[]
}

/** Writes a job and all its sends as waiting, in one transaction. */
export function insertJob(db: WritableDb, job: NewJob): void {
  const insert = db.prepare(
    "INSERT INTO sends (job_id, position, delivery_seq, target, tamper, state) VALUES (?, ?, ?, ?, ?, 'waiting')",
  )
  db.transaction(() => {
    db.prepare(
      "INSERT INTO replay_jobs (id, created_at, settings, state, owner, alive_at) VALUES (?, ?, ?, 'running', ?, ?)",
    ).run(job.id, job.createdAt, JSON.stringify(job.settings), job.owner, job.createdAt)
    for (const [index, { deliverySeq, target }] of job.sends.entries())
      insert.run(job.id, index + 1, deliverySeq, target, job.settings.tamper)
  })()
}

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
     WHERE s.seq = ? AND b.seq <> s.seq AND b.state = 'settled' ORDER BY b.started_at DESC, b.seq DESC LIMIT 1`,
  )
  const end = db.prepare(
    `UPDATE sends SET state = ?, status = ?, ms = ?, phases = ?, error_kind = ?, error = ?, passed = ?, outcome = ?,
       certificate_problem = ?, headers = ?, body = ?, truncated = ? WHERE seq = ?`,
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
        send.seq,
      )
      return outcome
    })
  })
  return (batch) => withRelaxedCommit(db, () => write(batch))
}

/**
 * Readies a job to go on after the program ended in the middle of it: what was under way is uncertain, and goes once more, at the
 * end.
 */
export function reviveJob(
  db: WritableDb,
  { id: jobId, owner, at }: { readonly id: string; readonly owner: number; readonly at: number },
): void {
  db.transaction(() => {
    db.prepare('UPDATE replay_jobs SET owner = ?, alive_at = ? WHERE id = ?').run(owner, at, jobId)
    const last = db.prepare<[string], number>('SELECT max(position) FROM sends WHERE job_id = ?').pluck().get(jobId) ?? 0
    db.prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, tamper, state)
       SELECT job_id, ? + row_number() OVER (ORDER BY position), delivery_seq, target, tamper, 'waiting'
       FROM sends WHERE job_id = ? AND state = 'under-way'`,
    ).run(last, jobId)
    db.prepare("UPDATE sends SET state = 'uncertain' WHERE job_id = ? AND state = 'under-way'").run(jobId)
  })()
}

/** Notes that a job's process is alive; `at` in milliseconds since the epoch. */
export function touchJob(db: WritableDb, { id, at }: { readonly id: string; readonly at: number }): void {
  withRelaxedCommit(db, () => db.prepare('UPDATE replay_jobs SET alive_at = ? WHERE id = ?').run(at, id))
}

/** Ends a job; of a cancelled one, what waits will not go. */
export function endJob(
  db: WritableDb,
  { id, state }: { readonly id: string; readonly state: Exclude<JobState, 'running'> },
): void {
  db.transaction(() => {
    db.prepare("UPDATE replay_jobs SET state = ? WHERE id = ? AND state = 'running'").run(state, id)
    db.prepare("UPDATE sends SET state = 'cancelled' WHERE job_id = ? AND state = 'waiting'").run(id)
  })()
}

export type JobCounts = Omit<ReplayJob, 'state' | 'problem' | 'id' | 'createdAt' | keyof Omit<ReplaySettings, 'targetCa'>>

/** A job as it is stored: `running` also where the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  readonly state: JobState
  readonly owner: number
  readonly aliveAt: number
  readonly counts: JobCounts
}

interface JobRow {
  readonly id: string
  readonly created_at: number
  readonly settings: string
  readonly state: JobState
  readonly owner: number
  readonly alive_at: number
}

function countsOf(db: ReadableDb, jobId: string): JobCounts {
  const found = db
    .prepare<[string], { [K in keyof JobCounts]: number | null }>(
      `SELECT sum(state <> 'uncertain') AS total, sum(state = 'waiting') AS waiting, sum(state = 'under-way') AS underWay,
         sum(state = 'settled' AND passed = 1) AS passed, sum(state = 'settled' AND passed = 0) AS failed,
         sum(outcome = 'fixed') AS fixed, sum(outcome = 'regressed') AS regressed, sum(state = 'uncertain') AS uncertain,
         sum(state = 'not-sent') AS notSent, sum(state = 'cancelled') AS cancelled
       FROM sends WHERE job_id = ?`,
    )
    .get(jobId)
  const count = (name: keyof JobCounts) => found?.[name] ?? 0
  return {
    total: count('total'),
    waiting: count('waiting'),
    underWay: count('underWay'),
    passed: count('passed'),
    failed: count('failed'),
    fixed: count('fixed'),
    regressed: count('regressed'),
    uncertain: count('uncertain'),
    notSent: count('notSent'),
    cancelled: count('cancelled'),
  }
}

function toJob(db: ReadableDb, row: JobRow): StoredJob {
  return {
    id: row.id,
    createdAt: row.created_at,
    settings: JSON.parse(row.settings) as ReplaySettings,
    state: row.state,
    owner: row.owner,
    aliveAt: row.alive_at,
    counts: countsOf(db, row.id),
  }
}

/** Throws `NOT_FOUND` where there is no such job. */
export function readJob(db: ReadableDb, id: string): StoredJob {
  const found = db.prepare<[string], JobRow>('SELECT * FROM replay_jobs WHERE id = ?').get(id)
  if (found !== undefined) return toJob(db, found)
  throw new AppError(
    'NOT_FOUND',
    `There is no replay ${id}. It is named when it starts, and listed with "countersign replay --jobs".`,
  )
}

/** Newest first. */
export function listJobs(db: ReadableDb, limit: number): StoredJob[] {
  return db
    .prepare<[number], JobRow>('SELECT * FROM replay_jobs ORDER BY id DESC LIMIT ?')
    .all(limit)
    .map((row) => toJob(db, row))
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

/** The environments that a job's deliveries are of, those of a mode. */
export function environmentsOfJob(
  db: ReadableDb,
  { jobId, mode }: { readonly jobId: string; readonly mode: 'test' | 'live' },
): (string | null)[] {
  return db
    .prepare<[string, string], string | null>(
      `SELECT DISTINCT d.environment FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq WHERE s.job_id = ? AND d.mode = ?`,
    )
    .pluck()
    .all(jobId, mode)
}

interface SendRow {
  readonly job_id: string
  readonly position: number
  readonly delivery_id: string
  readonly target: string
  readonly tamper: Send['tamper']
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
}

interface AnswerRow extends SendRow {
  readonly headers: string | null
  readonly body: Uint8Array | null
  readonly truncated: number
}

const COLUMNS = `s.job_id, s.position, d.id AS delivery_id, s.target, s.tamper, s.state, s.started_at, s.registered_url, s.status,
  s.ms, s.phases, s.error_kind, s.error, s.outcome, s.certificate_problem`
const SOURCE = 'sends s JOIN deliveries d ON d.seq = s.delivery_seq'

function toSend(row: SendRow): Send {
  return {
    id: `${row.job_id}.${row.position}`,
    jobId: row.job_id,
    position: row.position,
    deliveryId: row.delivery_id,
    target: row.target,
    registeredUrl: row.registered_url,
    tamper: row.tamper,
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

/** Sends of a job after a place, in order. */
export function sendsOfJob(
  db: ReadableDb,
  { jobId, after, limit }: { readonly jobId: string; readonly after: number; readonly limit: number },
): Send[] {
  return db
    .prepare<[string, number, number], SendRow>(
      `SELECT ${COLUMNS} FROM ${SOURCE} WHERE s.job_id = ? AND s.position > ? ORDER BY s.position LIMIT ?`,
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
    .prepare<[number, number], SendRow>(`SELECT ${COLUMNS} FROM ${SOURCE} WHERE s.delivery_seq = ? ORDER BY s.seq DESC LIMIT ?`)
    .all(deliverySeq, limit)
    .map(toSend)
}

/** One send with its answer. Throws `NOT_FOUND` where there is none of that name. */
export function readSend(db: ReadableDb, id: string): SendAnswer {
  const dot = id.lastIndexOf('.')
  const row = db
    .prepare<[string, number], AnswerRow>(
      `SELECT ${COLUMNS}, s.headers, s.body, s.truncated FROM ${SOURCE} WHERE s.job_id = ? AND s.position = ?`,
    )
    .get(id.slice(0, Math.max(0, dot)), Number(id.slice(dot + 1)))
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no send ${id}. List those of its delivery.`)
  return {
    ...toSend(row),
    headers: row.headers === null ? [] : (JSON.parse(row.headers) as RawHeaders),
    base64: Buffer.from(row.body ?? new Uint8Array()).toString('base64'),
    truncated: row.truncated === 1,
  }
}
