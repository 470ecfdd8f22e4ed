/**
 * Replays as jobs: the request, the process that runs it, and its progress. They are stored with a row per send before the first
 * send starts (`new-jobs-repo.ts`).
 */
import { AppError } from '../../shared/contract/errors.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { ReplayJob, ReplaySettings } from '../../shared/model/send.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { handlerSeq } from './handlers-repo.ts'
import { jsonOf, jsonSql, readRow, readRows, valueOf } from './rows.ts'

/** `preparing`: its sends are being stored, and it isn't a job yet. */
type JobState = 'preparing' | 'running' | 'done' | 'cancelled'

export type JobCounts = Omit<
  ReplayJob,
  | 'state'
  | 'problem'
  | 'id'
  | 'createdAt'
  | 'edited'
  | keyof Omit<ReplaySettings, 'targetCa' | 'edits'>
>

/** A stored, prepared job: `running` also if the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** It sends its own body. */
  readonly hasBody: boolean
  /** `cancelled` as soon as this is requested: sends in progress may still have to end (`isSettled`). */
  readonly state: Exclude<JobState, 'preparing'>
  /** Its counts are final and stored. */
  readonly isSettled: boolean
  readonly owner: number
  readonly aliveAt: number
  /** Pending sends up to this place may have been sent: they count as in progress. */
  readonly reached: number
  readonly counts: JobCounts
}

/** Selects a job's sends that may have been sent; the parameter is how far the job may have progressed. */
const UNDER_WAY = "(state = 'under-way' OR (state = 'waiting' AND position <= ?))"

function reachedBy(db: ReadableDb, jobId: string): number {
  return (
    db
      .prepare<[string], number>('SELECT reached FROM replay_jobs WHERE id = ?')
      .pluck()
      .get(jobId) ?? 0
  )
}

/**
 * Sends of a job that may have been sent and haven't ended, by seq. This reads all of its sends, which the writer has no time for.
 */
export function underWay(db: ReadableDb, jobId: string): number[] {
  return db
    .prepare<[string, number], number>(`SELECT seq FROM sends WHERE job_id = ? AND ${UNDER_WAY}`)
    .pluck()
    .all(jobId, reachedBy(db, jobId))
}

/** Marks sends that were in progress as uncertain, by seq: whether they were sent is unknown. */
const DOUBT = `UPDATE sends SET state = 'uncertain'
  WHERE seq IN (SELECT value FROM json_each(?)) AND state IN ('waiting', 'under-way')`

/** Marks the sends in progress (`underWay`) of a job cancelled after its process ended, so that they aren't sent again. */
export function doubtSends(db: WritableDb, seqs: readonly number[]): void {
  withRelaxedCommit(db, () => db.prepare(DOUBT).run(JSON.stringify(seqs)))
}

export interface Revival {
  readonly id: string
  /** The process that continues it. */
  readonly owner: number
  readonly at: number
  /** The sends that were in progress (`underWay`). */
  readonly underWay: readonly number[]
}

/** Prepares a job to continue after the program ended midway: sends in progress become uncertain and are repeated at the end. */
export function reviveJob(db: WritableDb, { id: jobId, owner, at, underWay: seqs }: Revival): void {
  // Another process may have continued it just before.
  const going = "seq IN (SELECT value FROM json_each(?)) AND state IN ('waiting', 'under-way')"
  const state = db.prepare<[string], string>('SELECT state FROM replay_jobs WHERE id = ?').pluck()
  db.transaction(() => {
    // Sends cancelled in the meantime stay cancelled.
    if (state.get(jobId) !== 'running') return
    const last =
      db
        .prepare<[string], number>('SELECT max(position) FROM sends WHERE job_id = ?')
        .pluck()
        .get(jobId) ?? 0
    // It may be recorded further ahead than there are sends: those added now haven't been sent.
    const reached = Math.min(reachedBy(db, jobId), last)
    db.prepare('UPDATE replay_jobs SET owner = ?, alive_at = ?, reached = ? WHERE id = ?').run(
      owner,
      at,
      reached,
      jobId,
    )
    db.prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, handler, tamper, variant, state)
       SELECT job_id, ? + row_number() OVER (ORDER BY position), delivery_seq, target, handler, tamper, variant, 'waiting'
       FROM sends WHERE ${going}`,
    ).run(last, JSON.stringify(seqs))
    db.prepare(DOUBT).run(JSON.stringify(seqs))
  })()
}

/**
 * Records that a job's process is alive; `at` in milliseconds since the epoch. Returns whether any process has cancelled the job.
 */
export function touchJob(
  db: WritableDb,
  { id, at }: { readonly id: string; readonly at: number },
): boolean {
  const touch = db
    .prepare<[number, string], string>(
      'UPDATE replay_jobs SET alive_at = ? WHERE id = ? RETURNING state',
    )
    .pluck()
  return withRelaxedCommit(db, () => touch.get(at, id)) === 'cancelled'
}

/** Records that a running job is cancelled, before its sends in progress have ended: no process sends the pending ones. */
export function cancelJob(db: WritableDb, id: string): void {
  db.prepare("UPDATE replay_jobs SET state = 'cancelled' WHERE id = ? AND state = 'running'").run(
    id,
  )
}

/** Cancelled jobs without final counts, by id. */
export function unsettledJobs(db: ReadableDb): string[] {
  return db
    .prepare<[], string>("SELECT id FROM replay_jobs WHERE state = 'cancelled' AND counts IS NULL")
    .pluck()
    .all()
}

/**
 * Cancels the next pending sends of a cancelled job after a place. Returns the place of the last one, to continue after; null if
 * none is left.
 */
export function cancelSends(
  db: WritableDb,
  { jobId, after, most }: { readonly jobId: string; readonly after: number; readonly most: number },
): number | null {
  const last = db
    .prepare<[string, number, number], number | null>(
      `SELECT max(position) FROM (SELECT position FROM sends WHERE job_id = ? AND position > ? AND state = 'waiting'
         ORDER BY position LIMIT ?)`,
    )
    .pluck()
  const cancel = db.prepare(
    "UPDATE sends SET state = 'cancelled' WHERE job_id = ? AND state = 'waiting' AND position > ? AND position <= ?",
  )
  const write = db.transaction(() => {
    const to = last.get(jobId, after, most) ?? null
    if (to !== null) cancel.run(jobId, after, to)
    return to
  })
  return withRelaxedCommit(db, write)
}

interface JobEnd {
  readonly id: string
  readonly state: 'done' | 'cancelled'
  readonly counts: JobCounts
}

/** Ends a job and stores its results; the sends of a cancelled job are cancelled before (`cancelSends`). */
export function endJob(db: WritableDb, { id, state, counts }: JobEnd): void {
  const end =
    "UPDATE replay_jobs SET state = ?, counts = ? WHERE id = ? AND state IN ('running', 'cancelled') AND counts IS NULL"
  withRelaxedCommit(db, () => db.prepare(end).run(state, JSON.stringify(counts), id))
}

interface JobRow {
  readonly id: string
  readonly created_at: number
  readonly settings: string
  readonly has_body: number
  readonly state: StoredJob['state']
  readonly owner: number
  readonly alive_at: number
  readonly reached: number
  readonly counts: string | null
}

const IS_PREPARED = "state <> 'preparing'"
const COLUMNS =
  'id, created_at, settings, body IS NOT NULL AS has_body, state, owner, alive_at, reached, counts'

/** The counts stored at its end; until then its sends, counted. */
function countsOf(
  db: ReadableDb,
  { id, reached, counts }: Pick<JobRow, 'id' | 'reached' | 'counts'>,
): JobCounts {
  // Jobs that ended before counts were stored don't have any.
  const kept = counts === null ? null : jsonOf('replay_jobs.counts', counts)
  if (kept !== null) return { ...NO_COUNTS, ...kept }
  const found = db
    .prepare<[number, number, string], { [K in keyof JobCounts]: number | null }>(
      `SELECT sum(state <> 'uncertain') AS total, sum(state = 'waiting' AND position > ?) AS waiting, sum(${UNDER_WAY}) AS underWay,
         sum(outcome IN ('first-pass', 'still-passing', 'fixed')) AS passed, sum(outcome IN ('first-fail', 'still-failing', 'regressed')) AS failed,
         sum(outcome = 'recorded') AS recorded,
         sum(outcome = 'fixed') AS fixed, sum(outcome = 'regressed') AS regressed, sum(state = 'uncertain') AS uncertain,
         sum(state = 'not-sent') AS notSent, sum(state = 'cancelled') AS cancelled
       FROM sends WHERE job_id = ?`,
    )
    .get(reached, reached, id)
  const count = (name: keyof JobCounts) => found?.[name] ?? 0
  return {
    total: count('total'),
    waiting: count('waiting'),
    underWay: count('underWay'),
    passed: count('passed'),
    failed: count('failed'),
    recorded: count('recorded'),
    fixed: count('fixed'),
    regressed: count('regressed'),
    uncertain: count('uncertain'),
    notSent: count('notSent'),
    cancelled: count('cancelled'),
  }
}

/** A job's stored settings. A job that was stored before a setting existed has its default. */
export function readSettings(text: string): ReplaySettings {
  const stored = jsonOf('replay_jobs.settings', text)
  return {
    query: null,
    repeat: 1,
    handlerId: null,
    ...stored,
    edits: { ...NO_EDITS, ...stored.edits },
  }
}

function toJob(row: JobRow, counts: JobCounts): StoredJob {
  return {
    id: row.id,
    createdAt: valueOf('replay_jobs.created_at', row.created_at),
    settings: readSettings(row.settings),
    hasBody: row.has_body === 1,
    state: row.state,
    isSettled: row.counts !== null,
    owner: row.owner,
    aliveAt: row.alive_at,
    reached: row.reached,
    counts,
  }
}

/** Throws `NOT_FOUND` for an unknown job. */
function jobRow(db: ReadableDb, id: string): JobRow {
  const found = db
    .prepare<[string], JobRow>(`SELECT ${COLUMNS} FROM replay_jobs WHERE id = ? AND ${IS_PREPARED}`)
    .get(id)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    `Replay ${id} not found. List replays with "countersign replay --jobs".`,
  )
}

/** A job whose counts are known. Throws `NOT_FOUND` for an unknown job. */
function readJobWith(db: ReadableDb, id: string, counts: JobCounts): StoredJob {
  return toJob(jobRow(db, id), counts)
}

/** Throws `NOT_FOUND` for an unknown job. */
export function readJob(db: ReadableDb, id: string): StoredJob {
  const row = jobRow(db, id)
  return readRow(`Replay ${id}`, row, (found) => toJob(found, countsOf(db, found)))
}

/** A job without its counts, which take long for many sends. Throws `NOT_FOUND` for an unknown job. */
export function readJobState(
  db: ReadableDb,
  id: string,
): Pick<StoredJob, 'state' | 'isSettled' | 'owner' | 'aliveAt'> {
  const { state, counts, owner, alive_at: aliveAt } = jobRow(db, id)
  return { state, isSettled: counts !== null, owner, aliveAt }
}

/** The body a job sends instead of the captured ones; null if it sends those. */
export function readJobBody(db: ReadableDb, id: string): Uint8Array | null {
  return (
    db
      .prepare<[string], Uint8Array | null>('SELECT body FROM replay_jobs WHERE id = ?')
      .pluck()
      .get(id) ?? null
  )
}

/** Newest first. */
export function listJobs(db: ReadableDb, limit: number): StoredJob[] {
  const rows = db
    .prepare<[number], JobRow>(
      `SELECT ${COLUMNS} FROM replay_jobs WHERE ${IS_PREPARED} ORDER BY id DESC LIMIT ?`,
    )
    .all(limit)
  return readRows(rows, (row) => toJob(row, countsOf(db, row)))
}

/** Targets typed by the user, each once, those of the newest jobs first. */
export function recentTargets(db: ReadableDb, limit: number): string[] {
  const given = db
    .prepare<[number], string | null>(
      `SELECT json_extract(${jsonSql('settings', '{}')}, '$.to') FROM (SELECT settings FROM replay_jobs WHERE state <> 'preparing' ORDER BY id DESC LIMIT ?)`,
    )
    .pluck()
    .all(limit)
  return [...new Set(given)].filter((target) => target !== null)
}

/** The hooks of a job's deliveries, by id. */
export function hooksOfJob(db: ReadableDb, jobId: string): (string | null)[] {
  return db
    .prepare<[string], string | null>(
      'SELECT DISTINCT d.hook_id FROM sends s JOIN deliveries d ON d.seq = s.delivery_seq WHERE s.job_id = ?',
    )
    .pluck()
    .all(jobId)
}

// Stores replays before they start: the job, then a row per send, in pieces, because there may be a million and deliveries
// arrive in between. Until everything is stored it isn't a job, and can be removed again.

export interface NewJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** The body to send instead of the captured ones; null: the captured ones. */
  readonly body: Uint8Array | null
  /** The same for equally changed requests; null for captured ones. */
  readonly variant: string | null
  /** The process that runs it. */
  readonly owner: number
}

/** Some of a job's sends. */
export interface NewSends extends Pick<NewJob, 'variant'> {
  readonly jobId: string
  /** Current time, in milliseconds since the epoch: the job's process is alive. */
  readonly at: number
  readonly tamper: ReplaySettings['tamper']
  readonly runs: readonly RunOfSends[]
}

/** Consecutive sends to one target. */
export interface RunOfSends {
  readonly target: string
  /** The first one's place in the sending order, from 1. */
  readonly from: number
  /** Their deliveries, by seq. */
  readonly seqs: readonly number[]
}

const NO_COUNTS: JobCounts = {
  total: 0,
  waiting: 0,
  underWay: 0,
  passed: 0,
  failed: 0,
  recorded: 0,
  fixed: 0,
  regressed: 0,
  uncertain: 0,
  notSent: 0,
  cancelled: 0,
}

/** Stores a job without sends. */
export function insertJob(db: WritableDb, job: NewJob): void {
  const { id, createdAt, settings, body, owner } = job
  withRelaxedCommit(db, () =>
    db
      .prepare(
        "INSERT INTO replay_jobs (id, created_at, settings, body, state, owner, alive_at) VALUES (?, ?, ?, ?, 'preparing', ?, ?)",
      )
      .run(id, createdAt, JSON.stringify(settings), body, owner, createdAt),
  )
}

/** For a caller that ensures itself that each referenced row exists: checking again takes a third of the time. */
function withoutForeignKeys<Result>(db: WritableDb, work: () => Result): Result {
  db.exec('PRAGMA foreign_keys = OFF')
  try {
    return work()
  } finally {
    db.exec('PRAGMA foreign_keys = ON')
  }
}

/** Adds pending sends to a job in preparation. Deleted deliveries are skipped; returns how many were added. */
export function addSends(db: WritableDb, { jobId, at, tamper, variant, runs }: NewSends): number {
  const insert = db.prepare(
    `INSERT INTO sends (job_id, position, delivery_seq, target, handler, tamper, variant, state)
     SELECT ?, ? + key, value, ?, ?, ?, ?, 'waiting' FROM json_each(?) WHERE value IN (SELECT seq FROM deliveries)`,
  )
  const handler = db
    .prepare<[string, string], number | null>(`SELECT ${handlerSeq('?', '?')}`)
    .pluck()
  // The settings name it for the whole job.
  const handlerId = db
    .prepare<[string], string>(
      `SELECT coalesce(${jsonSql('settings', '{}')} ->> '$.handlerId', '') FROM replay_jobs WHERE id = ?`,
    )
    .pluck()
  const write = db.transaction(() => {
    db.prepare('UPDATE replay_jobs SET alive_at = ? WHERE id = ?').run(at, jobId)
    const named = handlerId.get(jobId) ?? ''
    return runs.reduce((added, { target, from, seqs }) => {
      const sentTo = handler.get(named, target) ?? null
      return (
        added +
        insert.run(jobId, from, target, sentTo, tamper, variant, JSON.stringify(seqs)).changes
      )
    }, 0)
  })
  return withRelaxedCommit(db, () => withoutForeignKeys(db, write))
}

/** Starts a job whose sends are all stored, and returns it. `total`: how many sends it has. */
export function readyJob(
  db: WritableDb,
  { id, at, total }: { readonly id: string; readonly at: number; readonly total: number },
): StoredJob {
  withRelaxedCommit(db, () =>
    db.prepare("UPDATE replay_jobs SET state = 'running', alive_at = ? WHERE id = ?").run(at, id),
  )
  return readJobWith(db, id, { ...NO_COUNTS, total, waiting: total })
}

/** Removes some sends of an incompletely prepared job, and the job with the last of them; returns whether some are left. */
export function dropJob(
  db: WritableDb,
  { id, most }: { readonly id: string; readonly most: number },
): boolean {
  const write = db.transaction(() => {
    const { changes } = db
      .prepare(
        `DELETE FROM sends WHERE seq IN (SELECT s.seq FROM sends s JOIN replay_jobs j ON j.id = s.job_id
           WHERE s.job_id = ? AND j.state = 'preparing' LIMIT ?)`,
      )
      .run(id, most)
    if (changes === most) return true
    db.prepare("DELETE FROM replay_jobs WHERE id = ? AND state = 'preparing'").run(id)
    return false
  })
  return withRelaxedCommit(db, write)
}

/** Jobs whose sends are being stored, or whose process ended during that. */
export function preparingJobs(db: ReadableDb): Pick<StoredJob, 'id' | 'owner' | 'aliveAt'>[] {
  return db
    .prepare<[], Pick<StoredJob, 'id' | 'owner' | 'aliveAt'>>(
      "SELECT id, owner, alive_at AS aliveAt FROM replay_jobs WHERE state = 'preparing'",
    )
    .all()
}
