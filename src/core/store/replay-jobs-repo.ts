/**
 * Replays as jobs: what was asked for, which process works on it, and how far it is. Their sends are rows from the moment the job
 * is written (`sends-repo.ts`).
 */
import { AppError } from '../../shared/contract/errors.ts'
import { replaySettingsSchema, type ReplayJob, type ReplaySettings } from '../../shared/model/send.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

export type JobState = 'running' | 'done' | 'cancelled'

export interface NewJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** What goes in place of the captured bodies; null: those. */
  readonly body: Uint8Array | null
  /** The same for requests that were changed alike; null for those as captured. */
  readonly variant: string | null
  /** The process that works on it. */
  readonly owner: number
  /** By target, the seq of each delivery by its place in the order in which they are to go, from 1: as JSON, `{ place: seq, … }`. */
  readonly sends: readonly { readonly target: string; readonly deliveries: string }[]
  /** How many places there are. */
  readonly places: number
}

export type JobCounts = Omit<
  ReplayJob,
  'state' | 'problem' | 'id' | 'createdAt' | 'edited' | keyof Omit<ReplaySettings, 'targetCa' | 'edits'>
>

/** A job as it is stored: `running` also where the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** It sends a body of its own. */
  readonly hasBody: boolean
  readonly state: JobState
  readonly owner: number
  readonly aliveAt: number
  /** Its sends up to this place that still wait may have gone: they count as under way. */
  readonly reached: number
  readonly counts: JobCounts
}

const NO_COUNTS: JobCounts = {
  total: 0,
  waiting: 0,
  underWay: 0,
  passed: 0,
  failed: 0,
  fixed: 0,
  regressed: 0,
  uncertain: 0,
  notSent: 0,
  cancelled: 0,
}

/** Writes a job and all its sends as waiting, in one transaction; gives it as it then stands. */
export function insertJob(db: WritableDb, job: NewJob): StoredJob {
  const { tamper, repeat } = job.settings
  // All of a target with one statement: there may be a million.
  const insert = db.prepare(
    `INSERT INTO sends (job_id, position, delivery_seq, target, tamper, variant, state)
     SELECT ?, ? + key, value, ?, ?, ?, 'waiting' FROM json_each(?)`,
  )
  const total = job.places * repeat
  const write = db.transaction(() => {
    db.prepare(
      "INSERT INTO replay_jobs (id, created_at, settings, body, state, owner, alive_at) VALUES (?, ?, ?, ?, 'running', ?, ?)",
    ).run(job.id, job.createdAt, JSON.stringify(job.settings), job.body, job.owner, job.createdAt)
    for (let before = 0; before < total; before += job.places)
      for (const { target, deliveries } of job.sends) insert.run(job.id, before, target, tamper, job.variant, deliveries)
  })
  withRelaxedCommit(db, write)
  const { id, createdAt, settings, owner } = job
  const hasBody = job.body !== null
  return {
    id,
    createdAt,
    settings,
    hasBody,
    state: 'running',
    owner,
    aliveAt: createdAt,
    reached: 0,
    counts: { ...NO_COUNTS, total, waiting: total },
  }
}

/** Of a job's sends those that may have gone; its parameter is how far the job may have come. */
const UNDER_WAY = "(state = 'under-way' OR (state = 'waiting' AND position <= ?))"

function reachedBy(db: ReadableDb, jobId: string): number {
  return db.prepare<[string], number>('SELECT reached FROM replay_jobs WHERE id = ?').pluck().get(jobId) ?? 0
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
    const last = db.prepare<[string], number>('SELECT max(position) FROM sends WHERE job_id = ?').pluck().get(jobId) ?? 0
    // It may have been written down further ahead than there are sends: those that are added now have not gone.
    const reached = Math.min(reachedBy(db, jobId), last)
    db.prepare('UPDATE replay_jobs SET owner = ?, alive_at = ?, reached = ? WHERE id = ?').run(owner, at, reached, jobId)
    db.prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, tamper, variant, state)
       SELECT job_id, ? + row_number() OVER (ORDER BY position), delivery_seq, target, tamper, variant, 'waiting'
       FROM sends WHERE job_id = ? AND ${UNDER_WAY}`,
    ).run(last, jobId, reached)
    db.prepare(`UPDATE sends SET state = 'uncertain' WHERE job_id = ? AND ${UNDER_WAY}`).run(jobId, reached)
  })()
}

/** Notes that a job's process is alive; `at` in milliseconds since the epoch. */
export function touchJob(db: WritableDb, { id, at }: { readonly id: string; readonly at: number }): void {
  withRelaxedCommit(db, () => db.prepare('UPDATE replay_jobs SET alive_at = ? WHERE id = ?').run(at, id))
}

/**
 * Ends a job; of a cancelled one, what waits beyond a place will not go: 0 where the job was going until now, and how far it may have
 * come where the program has ended in the middle of it.
 */
export function endJob(
  db: WritableDb,
  { id, state, beyond }: { readonly id: string; readonly state: Exclude<JobState, 'running'>; readonly beyond: number },
): void {
  const write = db.transaction(() => {
    db.prepare("UPDATE replay_jobs SET state = ? WHERE id = ? AND state = 'running'").run(state, id)
    if (state === 'cancelled')
      db.prepare("UPDATE sends SET state = 'cancelled' WHERE job_id = ? AND state = 'waiting' AND position > ?").run(id, beyond)
  })
  withRelaxedCommit(db, write)
}

interface JobRow {
  readonly id: string
  readonly created_at: number
  readonly settings: string
  readonly has_body: number
  readonly state: JobState
  readonly owner: number
  readonly alive_at: number
  readonly reached: number
}

const COLUMNS = 'id, created_at, settings, body IS NOT NULL AS has_body, state, owner, alive_at, reached'

function countsOf(db: ReadableDb, { id, reached }: Pick<JobRow, 'id' | 'reached'>): JobCounts {
  const found = db
    .prepare<[number, number, string], { [K in keyof JobCounts]: number | null }>(
      `SELECT sum(state <> 'uncertain') AS total, sum(state = 'waiting' AND position > ?) AS waiting, sum(${UNDER_WAY}) AS underWay,
         sum(state = 'settled' AND passed = 1) AS passed, sum(state = 'settled' AND passed = 0) AS failed,
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
    settings: replaySettingsSchema.parse(JSON.parse(row.settings)),
    hasBody: row.has_body === 1,
    state: row.state,
    owner: row.owner,
    aliveAt: row.alive_at,
    reached: row.reached,
    counts: countsOf(db, row),
  }
}

/** Throws `NOT_FOUND` where there is no such job. */
export function readJob(db: ReadableDb, id: string): StoredJob {
  const found = db.prepare<[string], JobRow>(`SELECT ${COLUMNS} FROM replay_jobs WHERE id = ?`).get(id)
  if (found !== undefined) return toJob(db, found)
  throw new AppError(
    'NOT_FOUND',
    `There is no replay ${id}. It is named when it starts, and listed with "countersign replay --jobs".`,
  )
}

/** What a job sends in place of the captured bodies; null where it sends those. */
export function readJobBody(db: ReadableDb, id: string): Uint8Array | null {
  return db.prepare<[string], Uint8Array | null>('SELECT body FROM replay_jobs WHERE id = ?').pluck().get(id) ?? null
}

/** Newest first. */
export function listJobs(db: ReadableDb, limit: number): StoredJob[] {
  return db
    .prepare<[number], JobRow>(`SELECT ${COLUMNS} FROM replay_jobs ORDER BY id DESC LIMIT ?`)
    .all(limit)
    .map((row) => toJob(db, row))
}

/** The targets that were given, each once, those of the newest jobs first. */
export function recentTargets(db: ReadableDb, limit: number): string[] {
  const given = db
    .prepare<[number], string | null>(
      "SELECT json_extract(settings, '$.to') FROM (SELECT settings FROM replay_jobs ORDER BY id DESC LIMIT ?)",
    )
    .pluck()
    .all(limit)
  return [...new Set(given)].filter((target) => target !== null)
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
