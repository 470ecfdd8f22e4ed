/**
 * Replays. A place is the 1-based position of a send in its replay. The cursor (`reached`) is the
 * last place that may have been sent, even without a row; later places are pending.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ReplayJob, ReplaySettings } from '../../shared/model/send.ts'
import { isAlive } from '../base/processes.ts'
import { handlerSeq } from './handlers.ts'
import { jsonOf, readRow, readRows, valueOf } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import { columnOf, columnsFor } from './tables.ts'

/** Counters of ended sends. */
const ENDED = ['passed', 'failed', 'recorded', 'uncertain', 'notSent'] as const
const TALLIED = [...ENDED, 'fixed', 'regressed'] as const
export type Tally = Readonly<Record<(typeof TALLIED)[number], number>>

/** Replay; `running` also if the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  readonly plan: {
    /** Targets by hook ID, empty without a hook. */
    readonly targets: Readonly<Record<string, string>>
    /** Name that requests with equal edits share; null for unedited ones. */
    readonly variant: string | null
  }
  readonly hasBody: boolean
  /** `cancelled` as soon as it is requested. */
  readonly state: 'running' | 'done' | 'cancelled'
  /** Process that runs it, and when it last recorded progress; 0 once it has ended. */
  readonly owner: number
  readonly aliveAt: number
  readonly reached: number
  /** Number of deliveries to send; `places` also counts repeated sends. */
  readonly total: number
  readonly places: number
  readonly tally: Tally
}

export type JobCounts = Tally & Pick<ReplayJob, 'total' | 'waiting' | 'underWay' | 'cancelled'>

/**
 * Counts sends.
 * @param begun - the last place that may have been sent
 */
export function countSends(
  { total, places, tally }: Pick<StoredJob, 'total' | 'places' | 'tally'>,
  begun: number,
  isOver: boolean,
): JobCounts {
  const open = begun - ENDED.reduce((sum, name) => sum + tally[name], 0)
  const rest = places - begun
  const uncertain = tally.uncertain + open
  return isOver
    ? { ...tally, total, waiting: 0, underWay: 0, uncertain, cancelled: rest }
    : { ...tally, total, waiting: rest, underWay: open, cancelled: 0 }
}

const ALIVE_FOR_MS = 10_000

/**
 * Whether a process works on a replay.
 * @param now - in milliseconds since the epoch
 */
export function isAliveAt({ owner, aliveAt }: Pick<StoredJob, 'owner' | 'aliveAt'>, now: number) {
  return now - aliveAt < ALIVE_FOR_MS && isAlive(owner)
}

/** Returns a hook's target, or null. */
export function targetIn(
  { settings: { to }, plan: { targets } }: Pick<StoredJob, 'settings' | 'plan'>,
  hookId: string | null,
): string | null {
  return to === null ? (targets[hookId ?? ''] ?? null) : new URL(to).href
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

type NewColumns = 'id' | 'createdAt' | 'owner' | 'settings' | 'plan' | 'reached'

export interface NewJob extends Pick<StoredJob, NewColumns> {
  /** Body that replaces the captured ones, or null. */
  readonly body: Uint8Array | null
  readonly seqs: Float64Array
}

export function insertJob(db: WritableDb, { body, seqs, ...job }: NewJob): StoredJob {
  const { id, createdAt, settings, owner, plan, reached } = job
  const insert = db.prepare(
    `INSERT INTO replay_jobs (id, created_at, settings, body, state, owner, alive_at, plan, reached, total)
     VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)`,
  )
  const list = db.prepare('INSERT INTO replay_plans (job_id, seqs) VALUES (?, ?)')
  const write = db.transaction(() => {
    const [text, planned] = [JSON.stringify(settings), JSON.stringify(plan)]
    insert.run(id, createdAt, text, body, owner, createdAt, planned, reached, seqs.length)
    list.run(id, bytesOf(seqs))
  })
  withRelaxedCommit(db, write.immediate)
  return readJob(db, id)
}

/** Creates the function that moves the cursor and counts ended sends. */
export function prepareProgress(db: WritableDb) {
  const move = rowStatement<Tally & Pick<StoredJob, 'state'>>(
    db,
    `UPDATE replay_jobs SET reached = ?, alive_at = ?, ${TALLIED.map((name) => `${columnOf(name)} = ${columnOf(name)} + ?`).join(', ')}
     WHERE id = ? RETURNING state, ${columnsFor('replay_jobs', TALLIED)}`,
  )
  return (
    { jobId, place, at }: { readonly jobId: string; readonly place: number; readonly at: number },
    added: Readonly<Partial<Tally>>,
  ) => {
    const row = move.get(place, at, ...TALLIED.map((name) => added[name] ?? 0), jobId)
    if (row === undefined) return null
    const { state, ...tally } = row
    return { isCancelled: state === 'cancelled', tally }
  }
}

/** Returns up to `most` places without a row. */
export function unrecordedPlaces(
  db: ReadableDb,
  jobId: string,
  { after, upTo, most }: { readonly after: number; readonly upTo: number; readonly most: number },
): number[] {
  const recorded = columnStatement<number>(
    db,
    'SELECT position FROM sends WHERE job_id = ? AND position > ? ORDER BY position',
  )
  const places: number[] = []
  let place = after + 1
  const addUpTo = (last: number) => {
    while (place <= last && places.length < most) places.push(place++)
  }
  for (const position of recorded.iterate(jobId, after)) {
    addUpTo(Math.min(position - 1, upTo))
    place = position + 1
    if (position >= upTo || places.length === most) break
  }
  addUpTo(upTo)
  return places
}

/** Takes over a replay whose process is gone and repeats uncertain sends; null if it can't. */
export function resumeJob(
  db: WritableDb,
  { id, owner, at }: Pick<StoredJob, 'id' | 'owner'> & { readonly at: number },
): { readonly stored: StoredJob; readonly seqs: Float64Array } | null {
  const hookOf = columnStatement<string | null>(db, 'SELECT hook_id FROM deliveries WHERE seq = ?')
  const insert = db.prepare(
    `INSERT INTO sends (job_id, position, delivery_seq, target, handler, tamper, variant, state)
     SELECT ?, ?, seq, ?, ${handlerSeq('?', '?')}, ?, ?, 'uncertain' FROM deliveries WHERE seq = ?`,
  )
  const take = db.prepare(
    'UPDATE replay_jobs SET owner = ?, alive_at = ?, uncertain = uncertain + ? WHERE id = ?',
  )
  const list = db.prepare('UPDATE replay_plans SET seqs = ? WHERE job_id = ?')
  return db
    .transaction(() => {
      const job = readJob(db, id)
      const before = readSeqs(db, id)
      if (before === null || job.state !== 'running') return null
      if (job.owner !== owner && isAliveAt(job, at)) return null
      const { handlerId, tamper } = job.settings
      const upTo = job.reached
      const places = unrecordedPlaces(db, id, { after: 0, upTo, most: upTo })
      for (const place of places) {
        const seq = before[place - 1]
        const target = targetIn(job, hookOf.get(seq) ?? null) ?? ''
        insert.run(id, place, target, handlerId ?? '', target, tamper, job.plan.variant, seq)
      }
      const seqs = Float64Array.from([...before, ...places.map((place) => before[place - 1] ?? 0)])
      take.run(owner, at, places.length, id)
      list.run(bytesOf(seqs), id)
      return { stored: readJob(db, id), seqs }
    })
    .immediate()
}

/** Cancels a replay, so that no process sends pending ones. */
export function cancelJob(db: WritableDb, id: string): void {
  db.prepare("UPDATE replay_jobs SET state = 'cancelled' WHERE id = ? AND state = 'running'").run(
    id,
  )
}

/** Records that no process runs a replay. */
export function releaseJob(db: WritableDb, { id, state }: Pick<StoredJob, 'id' | 'state'>): void {
  const release = db.prepare(
    "UPDATE replay_jobs SET alive_at = 0, state = iif(? = 'running', state, ?) WHERE id = ?",
  )
  const drop = db.prepare('DELETE FROM replay_plans WHERE job_id = ?')
  const write = db.transaction(() => {
    release.run(state, state, id)
    if (state === 'done') drop.run(id)
  })
  withRelaxedCommit(db, write.immediate)
}

type JobRow = Omit<StoredJob, 'settings' | 'plan' | 'hasBody' | 'tally'> &
  Tally & { readonly settings: string; readonly plan: string; readonly hasBody: number }

const COLUMNS = [
  'id',
  'createdAt',
  'settings',
  'plan',
  'state',
  'owner',
  'aliveAt',
  'reached',
] as const
const JOB = `SELECT ${columnsFor('j', [...COLUMNS, 'total', ...TALLIED])}, j.body IS NOT NULL AS hasBody,
  coalesce((SELECT length(seqs) FROM replay_plans WHERE job_id = j.id) / ${Float64Array.BYTES_PER_ELEMENT}, reached) AS places
  FROM replay_jobs j`

function toJob(row: JobRow): StoredJob {
  const { passed, failed, recorded, uncertain, notSent, fixed, regressed, ...job } = row
  return {
    ...job,
    createdAt: valueOf('replay_jobs.created_at', row.createdAt),
    settings: jsonOf('replay_jobs.settings', row.settings),
    plan: jsonOf('replay_jobs.plan', row.plan),
    hasBody: row.hasBody === 1,
    tally: { passed, failed, recorded, uncertain, notSent, fixed, regressed },
  }
}

export function findJob(db: ReadableDb, id: string): StoredJob | null {
  const row = rowStatement<JobRow>(db, `${JOB} WHERE j.id = ?`).get(id)
  return row === undefined ? null : readRow(`Replay ${id}`, row, toJob)
}

/** Reads a replay. Throws `NOT_FOUND`. */
export function readJob(db: ReadableDb, id: string): StoredJob {
  const job = findJob(db, id)
  if (job !== null) return job
  throw new AppError(
    'NOT_FOUND',
    `Replay ${id} not found. List replays with "countersign replay --jobs".`,
  )
}

export function readSeqs(db: ReadableDb, id: string): Float64Array | null {
  const bytes = columnStatement<Uint8Array>(
    db,
    'SELECT seqs FROM replay_plans WHERE job_id = ?',
  ).get(id)
  // Copied, because a Float64Array needs an aligned start.
  return bytes === undefined ? null : new Float64Array(new Uint8Array(bytes).buffer)
}

/** Returns the body that replaces the captured ones, or null. */
export function readJobBody(db: ReadableDb, id: string): Uint8Array | null {
  return (
    columnStatement<Uint8Array | null>(db, 'SELECT body FROM replay_jobs WHERE id = ?').get(id) ??
    null
  )
}

export function listJobs(db: ReadableDb, limit: number): StoredJob[] {
  return readRows(rowStatement<JobRow>(db, `${JOB} ORDER BY j.id DESC LIMIT ?`).all(limit), toJob)
}

/** Lists replays with pending or unrecorded sends. */
export function listOpenJobs(db: ReadableDb): StoredJob[] {
  const rows = rowStatement<JobRow>(
    db,
    `${JOB} WHERE j.state = 'running' OR j.reached > ${ENDED.map(columnOf).join(' + ')} ORDER BY j.id DESC`,
  ).all()
  return readRows(rows, toJob)
}

const RECENT_JOBS = 200

export interface RecentTarget extends Pick<ReplaySettings, 'to' | 'handlerId'> {
  readonly hooks: readonly string[]
}

export function recentTargets(db: ReadableDb): RecentTarget[] {
  const rows = rowStatement<{ readonly settings: string; readonly plan: string }>(
    db,
    'SELECT settings, plan FROM replay_jobs ORDER BY id DESC LIMIT ?',
  ).all(RECENT_JOBS)
  return readRows(rows, (row) => {
    const { to, handlerId } = jsonOf('replay_jobs.settings', row.settings)
    return { to, handlerId, hooks: Object.keys(jsonOf('replay_jobs.plan', row.plan).targets) }
  })
}
