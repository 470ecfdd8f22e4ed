/**
 * Stores replays before they start: the job, then a row per send, in pieces, because there may be a million and deliveries arrive
 * in between. Until everything is stored it isn't a job, and can be removed again.
 */
import type { ReplaySettings } from '../../shared/model/send.ts'
import { handlerSeq } from './handlers-repo.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { readJobWith, type JobCounts, type StoredJob } from './replay-jobs-repo.ts'

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
      "SELECT coalesce(settings ->> '$.handlerId', '') FROM replay_jobs WHERE id = ?",
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
