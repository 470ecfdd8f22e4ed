/**
 * Replays as jobs: what was asked for, which process works on it, and how far it is. Their sends are rows before the first of them
 * goes (`sends-repo.ts`).
 */
import { AppError } from '../../shared/contract/errors.ts'
import { replaySettingsSchema, type ReplayJob, type ReplaySettings } from '../../shared/model/send.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

/** `preparing`: its sends are being written down, and it is none yet. */
export type JobState = 'preparing' | 'running' | 'done' | 'cancelled'

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
}

/** Some of a job's sends. */
export interface NewSends extends Pick<NewJob, 'variant'> {
  readonly jobId: string
  /** The present moment, in milliseconds since the epoch: the job's process is alive. */
  readonly at: number
  readonly tamper: ReplaySettings['tamper']
  readonly runs: readonly RunOfSends[]
}

/** Sends to one target that follow one another. */
export interface RunOfSends {
  readonly target: string
  /** Place of the first in the order in which they are to go, from 1. */
  readonly from: number
  /** Their deliveries, by seq. */
  readonly seqs: readonly number[]
}

export type JobCounts = Omit<
  ReplayJob,
  'state' | 'problem' | 'id' | 'createdAt' | 'edited' | keyof Omit<ReplaySettings, 'targetCa' | 'edits'>
>

/** A job as it is stored, once it is prepared: `running` also where the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** It sends a body of its own. */
  readonly hasBody: boolean
  readonly state: Exclude<JobState, 'preparing'>
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

/** Writes a job that has no sends yet. They are added piece by piece: there may be a million, and deliveries come meanwhile. */
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

/** For what sees to it by itself that each row it refers to is there: to have that looked up again takes a third of the time. */
function withoutForeignKeys<Result>(db: WritableDb, work: () => Result): Result {
  db.exec('PRAGMA foreign_keys = OFF')
  try {
    return work()
  } finally {
    db.exec('PRAGMA foreign_keys = ON')
  }
}

/** Adds sends to a job that is being prepared, as waiting. Deliveries that are gone have none; gives how many were added. */
export function addSends(db: WritableDb, { jobId, at, tamper, variant, runs }: NewSends): number {
  const insert = db.prepare(
    `INSERT INTO sends (job_id, position, delivery_seq, target, tamper, variant, state)
     SELECT ?, ? + key, value, ?, ?, ?, 'waiting' FROM json_each(?) WHERE value IN (SELECT seq FROM deliveries)`,
  )
  const write = db.transaction(() => {
    db.prepare('UPDATE replay_jobs SET alive_at = ? WHERE id = ?').run(at, jobId)
    return runs.reduce(
      (added, { target, from, seqs }) => added + insert.run(jobId, from, target, tamper, variant, JSON.stringify(seqs)).changes,
      0,
    )
  })
  return withRelaxedCommit(db, () => withoutForeignKeys(db, write))
}

/** A job whose sends are all written can go; gives it as it then stands. `total`: how many sends it has. */
export function readyJob(
  db: WritableDb,
  { id, at, total }: { readonly id: string; readonly at: number; readonly total: number },
): StoredJob {
  withRelaxedCommit(db, () => db.prepare("UPDATE replay_jobs SET state = 'running', alive_at = ? WHERE id = ?").run(at, id))
  return toJob(jobRow(db, id), { ...NO_COUNTS, total, waiting: total })
}

/** Takes out some sends of a job that was not prepared to its end, and the job with the last of them; gives whether some are left. */
export function dropJob(db: WritableDb, { id, most }: { readonly id: string; readonly most: number }): boolean {
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

/** Jobs whose sends are being written down, or whose process has ended in the middle of that. */
export function preparingJobs(db: ReadableDb): Pick<StoredJob, 'id' | 'owner' | 'aliveAt'>[] {
  return db
    .prepare<[], Pick<JobRow, 'id' | 'owner' | 'alive_at'>>(
      "SELECT id, owner, alive_at FROM replay_jobs WHERE state = 'preparing'",
    )
    .all()
    .map(({ id, owner, alive_at: aliveAt }) => ({ id, owner, aliveAt }))
}

/** Of a job's sends those that may have gone; its parameter is how far the job may have come. */
const UNDER_WAY = "(state = 'under-way' OR (state = 'waiting' AND position <= ?))"

function reachedBy(db: ReadableDb, jobId: string): number {
  return db.prepare<[string], number>('SELECT reached FROM replay_jobs WHERE id = ?').pluck().get(jobId) ?? 0
}

/** Sends of a job that may have gone and have not ended, by seq. All of its sends are looked at, which the writer has no time for. */
export function underWay(db: ReadableDb, jobId: string): number[] {
  return db
    .prepare<[string, number], number>(`SELECT seq FROM sends WHERE job_id = ? AND ${UNDER_WAY}`)
    .pluck()
    .all(jobId, reachedBy(db, jobId))
}

export interface Revival {
  readonly id: string
  /** The process that goes on with it. */
  readonly owner: number
  readonly at: number
  /** What was under way (`underWay`). */
  readonly underWay: readonly number[]
}

/**
 * Readies a job to go on after the program ended in the middle of it: what was under way is uncertain, and goes once more, at the
 * end.
 */
export function reviveJob(db: WritableDb, { id: jobId, owner, at, underWay: seqs }: Revival): void {
  // Another process may have gone on with it just before.
  const going = "seq IN (SELECT value FROM json_each(?)) AND state IN ('waiting', 'under-way')"
  db.transaction(() => {
    const last = db.prepare<[string], number>('SELECT max(position) FROM sends WHERE job_id = ?').pluck().get(jobId) ?? 0
    // It may have been written down further ahead than there are sends: those that are added now have not gone.
    const reached = Math.min(reachedBy(db, jobId), last)
    db.prepare('UPDATE replay_jobs SET owner = ?, alive_at = ?, reached = ? WHERE id = ?').run(owner, at, reached, jobId)
    db.prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, tamper, variant, state)
       SELECT job_id, ? + row_number() OVER (ORDER BY position), delivery_seq, target, tamper, variant, 'waiting'
       FROM sends WHERE ${going}`,
    ).run(last, JSON.stringify(seqs))
    db.prepare(`UPDATE sends SET state = 'uncertain' WHERE ${going}`).run(JSON.stringify(seqs))
  })()
}

/** Notes that a job's process is alive; `at` in milliseconds since the epoch. */
export function touchJob(db: WritableDb, { id, at }: { readonly id: string; readonly at: number }): void {
  withRelaxedCommit(db, () => db.prepare('UPDATE replay_jobs SET alive_at = ? WHERE id = ?').run(at, id))
}

/**
 * Of a job that is cancelled, the next sends after a place that wait will not go. Gives the place of the last of them, after which
 * to go on; null where none waits any more.
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

/** Ends a job; the sends of a cancelled one are cancelled before (`cancelSends`). */
export function endJob(db: WritableDb, { id, state }: { readonly id: string; readonly state: 'done' | 'cancelled' }): void {
  withRelaxedCommit(db, () => db.prepare("UPDATE replay_jobs SET state = ? WHERE id = ? AND state = 'running'").run(state, id))
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
}

const IS_PREPARED = "state <> 'preparing'"
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

function toJob(row: JobRow, counts: JobCounts): StoredJob {
  return {
    id: row.id,
    createdAt: row.created_at,
    settings: replaySettingsSchema.parse(JSON.parse(row.settings)),
    hasBody: row.has_body === 1,
    state: row.state,
    owner: row.owner,
    aliveAt: row.alive_at,
    reached: row.reached,
    counts,
  }
}

/** Throws `NOT_FOUND` where there is no such job. */
function jobRow(db: ReadableDb, id: string): JobRow {
  const found = db.prepare<[string], JobRow>(`SELECT ${COLUMNS} FROM replay_jobs WHERE id = ? AND ${IS_PREPARED}`).get(id)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    `There is no replay ${id}. It is named when it starts, and listed with "countersign replay --jobs".`,
  )
}

/** Throws `NOT_FOUND` where there is no such job. */
export function readJob(db: ReadableDb, id: string): StoredJob {
  const row = jobRow(db, id)
  return toJob(row, countsOf(db, row))
}

/** What a job sends in place of the captured bodies; null where it sends those. */
export function readJobBody(db: ReadableDb, id: string): Uint8Array | null {
  return db.prepare<[string], Uint8Array | null>('SELECT body FROM replay_jobs WHERE id = ?').pluck().get(id) ?? null
}

/** Newest first. */
export function listJobs(db: ReadableDb, limit: number): StoredJob[] {
  return db
    .prepare<[number], JobRow>(`SELECT ${COLUMNS} FROM replay_jobs WHERE ${IS_PREPARED} ORDER BY id DESC LIMIT ?`)
    .all(limit)
    .map((row) => toJob(row, countsOf(db, row)))
}

/** The targets that were given, each once, those of the newest jobs first. */
export function recentTargets(db: ReadableDb, limit: number): string[] {
  const given = db
    .prepare<[number], string | null>(
      "SELECT json_extract(settings, '$.to') FROM (SELECT settings FROM replay_jobs WHERE state <> 'preparing' ORDER BY id DESC LIMIT ?)",
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
