/**
 * Replays: a row with the request and the cursor, and the list of deliveries to send. A send gets
 * its row when it has ended, in the transaction that moves the cursor (`reached`). So places up to
 * the cursor without a row may have been sent, and later places are pending.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ReplayJob, ReplaySettings } from '../../shared/model/send.ts'
import { isAlive } from '../base/processes.ts'
import { handlerSeq } from './handlers.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { columnOf, columnsFor, jsonOf, readRow, readRows, valueOf } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** Counters of ended sends: each ended send is in exactly one. */
const ENDED = ['passed', 'failed', 'recorded', 'uncertain', 'notSent'] as const
const TALLIED = [...ENDED, 'fixed', 'regressed'] as const
export type Tally = Readonly<Record<(typeof TALLIED)[number], number>>

/** A stored replay: `running` also if the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  readonly plan: {
    /** Where deliveries go, by ID of their hook; empty for those without one. */
    readonly targets: Readonly<Record<string, string>>
    /** A name for the changes, equal for equally changed requests; null for captured ones. */
    readonly variant: string | null
  }
  /** Whether it sends its own body. */
  readonly hasBody: boolean
  /** `cancelled` as soon as this is requested: sends in progress may still have to end. */
  readonly state: 'running' | 'done' | 'cancelled'
  /** The process that runs it, and when it last said so; 0 once it no longer does. */
  readonly owner: number
  readonly aliveAt: number
  /** The cursor: sends up to this place may have been sent. Without a row they are in progress. */
  readonly reached: number
  /** Number of sends, and of places: an uncertain send is repeated in another place. */
  readonly total: number
  readonly places: number
  readonly tally: Tally
}

export type JobCounts = Tally & Pick<ReplayJob, 'total' | 'waiting' | 'underWay' | 'cancelled'>

/**
 * Counts the sends of a replay.
 * @param begun the last place that may have been sent
 * @param isOver whether no process will send the rest
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

/** Milliseconds without a record after which a process is gone; another may have its ID by then. */
const ALIVE_FOR_MS = 10_000

/**
 * Whether a process works on a replay, which then isn't interrupted. `now` in milliseconds since
 * the epoch.
 */
export function isAliveAt({ owner, aliveAt }: Pick<StoredJob, 'owner' | 'aliveAt'>, now: number) {
  return now - aliveAt < ALIVE_FOR_MS && isAlive(owner)
}

/** Returns the target of a delivery of a hook; null for a hook that the plan lacks. */
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
  /** The body to send instead of the captured ones; null: the captured ones. */
  readonly body: Uint8Array | null
  /** The deliveries to send, by seq. */
  readonly seqs: Float64Array
}

/** Stores a replay that starts now, and returns it. */
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

/**
 * Creates the function that moves a replay's cursor and adds sends that have ended; it returns the
 * new progress.
 */
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
    const found = move.get(place, at, ...TALLIED.map((name) => added[name] ?? 0), jobId)
    if (found === undefined) return null
    const { state, ...tally } = found
    return { isCancelled: state === 'cancelled', tally }
  }
}

/** Returns the first places of a replay, after one and up to another, that have no row. */
export function unrecordedPlaces(
  db: ReadableDb,
  jobId: string,
  { after, upTo, most }: { readonly after: number; readonly upTo: number; readonly most: number },
): number[] {
  const recorded = valuesOf<number>(
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

/**
 * Takes over a replay whose process is gone, and returns it with its list; null if it isn't
 * interrupted. Its sends in progress are uncertain, and repeated at its end.
 */
export function resumeJob(
  db: WritableDb,
  { id, owner, at }: Pick<StoredJob, 'id' | 'owner'> & { readonly at: number },
): { readonly stored: StoredJob; readonly seqs: Float64Array } | null {
  const hookOf = valuesOf<string | null>(db, 'SELECT hook_id FROM deliveries WHERE seq = ?')
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

/**
 * Records that a running replay is cancelled, before its sends in progress have ended: no process
 * sends the pending ones.
 */
export function cancelJob(db: WritableDb, id: string): void {
  db.prepare("UPDATE replay_jobs SET state = 'cancelled' WHERE id = ? AND state = 'running'").run(
    id,
  )
}

/**
 * Records that the process that ran a replay no longer does. A cancelled one keeps its list, which
 * says what wasn't sent.
 */
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

/** Throws `NOT_FOUND` for an unknown replay. */
export function readJob(db: ReadableDb, id: string): StoredJob {
  const job = findJob(db, id)
  if (job !== null) return job
  throw new AppError(
    'NOT_FOUND',
    `Replay ${id} not found. List replays with "countersign replay --jobs".`,
  )
}

/** Returns what a replay sends in each place, deliveries by seq; null once it is done. */
export function readSeqs(db: ReadableDb, id: string): Float64Array | null {
  const bytes = valuesOf<Uint8Array>(db, 'SELECT seqs FROM replay_plans WHERE job_id = ?').get(id)
  // A copy, because the bytes may begin anywhere.
  return bytes === undefined ? null : new Float64Array(new Uint8Array(bytes).buffer)
}

/** Returns the body a replay sends instead of the captured ones; null if it sends those. */
export function readJobBody(db: ReadableDb, id: string): Uint8Array | null {
  return (
    valuesOf<Uint8Array | null>(db, 'SELECT body FROM replay_jobs WHERE id = ?').get(id) ?? null
  )
}

/** Returns the newest replays first. */
export function listJobs(db: ReadableDb, limit: number): StoredJob[] {
  return readRows(rowStatement<JobRow>(db, `${JOB} ORDER BY j.id DESC LIMIT ?`).all(limit), toJob)
}

/** Returns the replays with sends that are pending, in progress or unrecorded, the newest first. */
export function listOpenJobs(db: ReadableDb): StoredJob[] {
  const rows = rowStatement<JobRow>(
    db,
    `${JOB} WHERE j.state = 'running' OR j.reached > ${ENDED.map(columnOf).join(' + ')} ORDER BY j.id DESC`,
  ).all()
  return readRows(rows, toJob)
}

/** Replays that suggest targets. */
const RECENT_JOBS = 200

export interface RecentTarget extends Pick<ReplaySettings, 'to' | 'handlerId'> {
  /** Hooks of its deliveries; empty for those without one. */
  readonly hooks: readonly string[]
}

/** Returns the targets of the newest replays, the newest first. */
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
