/**
 * Replays: a row with the request and the cursor, and the list of what is sent. A send gets its row when it has ended, in the
 * transaction that moves the cursor (`reached`). So places up to the cursor without a row may have been sent, and later places
 * are pending.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ReplayJob, ReplaySettings } from '../../shared/model/send.ts'
import { isAlive } from '../base/processes.ts'
import { handlerSeq } from './handlers.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { ReplayList } from './replay-list.ts'
import { columnOf, columnsFor, jsonOf, readRow, readRows, valueOf } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** What the sends of a replay that have ended are counted by. Each is one of `ENDED`. */
const ENDED = ['passed', 'failed', 'recorded', 'uncertain', 'notSent'] as const
const TALLIED = [...ENDED, 'fixed', 'regressed'] as const
export type Tally = Readonly<Record<(typeof TALLIED)[number], number>>

/** Where deliveries go, as decided at the start of a replay. */
export interface ReplayPlan {
  /** By ID of the deliveries' hook; empty for deliveries without one. */
  readonly targets: Readonly<Record<string, string>>
  /** The same for equally changed requests; null for captured ones. */
  readonly variant: string | null
  /** Number of deliveries selected. */
  readonly selected: number
}

/** A stored replay: `running` also if the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  readonly plan: ReplayPlan
  /** Whether it sends its own body. */
  readonly hasBody: boolean
  /** `cancelled` as soon as this is requested: sends in progress may still have to end. */
  readonly state: 'running' | 'done' | 'cancelled'
  /** The process that runs it, and when it last said so; 0 once it no longer does. */
  readonly owner: number
  readonly aliveAt: number
  /** The cursor: sends up to this place may have been sent. Without a row they are in progress. */
  readonly reached: number
  /** Number of sends, with those that are repeated because they are uncertain. */
  readonly places: number
  readonly tally: Tally
}

export type JobCounts = Tally &
  Pick<ReplayJob, 'total' | 'waiting' | 'underWay' | 'cancelled' | 'uncertain'>

const endedIn = (tally: Tally) => ENDED.reduce((sum, name) => sum + tally[name], 0)

/**
 * Counts the sends of a replay.
 * @param begun the last place that may have been sent
 * @param isOver whether no process will send the rest
 */
export function countsOf(
  { places, plan, settings, tally }: Pick<StoredJob, 'places' | 'plan' | 'settings' | 'tally'>,
  begun: number,
  isOver: boolean,
): JobCounts {
  const inProgress = begun - endedIn(tally)
  const rest = places - begun
  return {
    ...tally,
    // Without those that are sent again because they are uncertain.
    total: plan.selected * settings.repeat,
    waiting: isOver ? 0 : rest,
    underWay: isOver ? 0 : inProgress,
    uncertain: tally.uncertain + (isOver ? inProgress : 0),
    cancelled: isOver ? rest : 0,
  }
}

/** Without a word for this long, in milliseconds, a process is gone, and another one may have its ID by then. */
const ALIVE_FOR_MS = 10_000

/** Whether another process works on a replay, which then isn't interrupted. `now` in milliseconds since the epoch. */
export function isRunElsewhere(
  { owner, aliveAt }: Pick<StoredJob, 'owner' | 'aliveAt'>,
  now: number,
): boolean {
  return owner !== process.pid && now - aliveAt < ALIVE_FOR_MS && isAlive(owner)
}

/** Returns the target of a delivery of a hook; null for a hook that the plan lacks. */
export function targetIn(
  { settings: { to }, plan: { targets } }: Pick<StoredJob, 'settings' | 'plan'>,
  hookId: string | null,
): string | null {
  return to === null ? (targets[hookId ?? ''] ?? null) : new URL(to).href
}

export interface NewJob extends Pick<
  StoredJob,
  'id' | 'createdAt' | 'owner' | 'settings' | 'plan' | 'reached'
> {
  /** The body to send instead of the captured ones; null: the captured ones. */
  readonly body: Uint8Array | null
  /** The selected deliveries, by seq. */
  readonly seqs: Float64Array
}

/** Stores a replay that starts now, and returns it. */
export function insertJob(db: WritableDb, job: NewJob): StoredJob {
  const { id, createdAt, settings, body, owner, plan, reached, seqs } = job
  const insert = db.prepare(
    `INSERT INTO replay_jobs (id, created_at, settings, body, state, owner, alive_at, plan, reached)
     VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
  )
  const list = db.prepare('INSERT INTO replay_plans (job_id, seqs) VALUES (?, ?)')
  const write = db.transaction(() => {
    const texts = [JSON.stringify(settings), JSON.stringify(plan)]
    insert.run(id, createdAt, texts[0], body, owner, createdAt, texts[1], reached)
    list.run(id, Buffer.from(seqs.buffer, seqs.byteOffset, seqs.byteLength))
  })
  withRelaxedCommit(db, write)
  return readJob(db, id)
}

/** Creates the function that moves a replay's cursor and adds sends that have ended; it returns the new progress. */
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

/** Returns the places of a replay that may have been sent and haven't ended. Reads all of its sends, which the writer has no time for. */
export function placesInProgress(db: ReadableDb, jobId: string): number[] {
  const { reached, tally } = readJob(db, jobId)
  if (reached === endedIn(tally)) return []
  return unrecordedPlaces(db, jobId, { after: 0, upTo: reached, most: reached })
}

export interface Resumption {
  readonly id: string
  /** The process that continues it. */
  readonly owner: number
  readonly at: number
  /** The sends that were in progress (`placesInProgress`). */
  readonly places: readonly number[]
}

/**
 * Takes over a replay whose process is gone, unless another one has. Sends that were in progress are uncertain: a running replay
 * repeats them at its end, a cancelled one doesn't continue.
 */
export function resumeJob(db: WritableDb, { id, owner, at, places }: Resumption): void {
  const hookOf = valuesOf<string | null>(db, 'SELECT hook_id FROM deliveries WHERE seq = ?')
  const insert = db.prepare(
    `INSERT OR IGNORE INTO sends (job_id, position, delivery_seq, target, handler, tamper, variant, state)
     SELECT ?, ?, seq, ?, ${handlerSeq('?', '?')}, ?, ?, 'uncertain' FROM deliveries WHERE seq = ?`,
  )
  const take = db.prepare(
    'UPDATE replay_jobs SET owner = ?, alive_at = ?, uncertain = uncertain + ? WHERE id = ?',
  )
  const repeat = db.prepare(
    'UPDATE replay_plans SET seqs = CAST(seqs || ? AS BLOB) WHERE job_id = ?',
  )
  db.transaction(() => {
    const job = readJob(db, id)
    const list = readList(db, job)
    if (list === null || isRunElsewhere(job, at)) return
    const { handlerId, tamper } = job.settings
    const repeated = places.flatMap((place) => {
      const seq = list.seqAt(place)
      const target = targetIn(job, hookOf.get(seq) ?? null) ?? ''
      const values = [target, handlerId ?? '', target, tamper, job.plan.variant, seq]
      return insert.run(id, place, ...values).changes === 0 ? [] : [seq]
    })
    const isRunning = job.state === 'running'
    take.run(owner, isRunning ? at : 0, job.reached - endedIn(job.tally), id)
    if (isRunning) repeat.run(Buffer.from(Float64Array.from(repeated).buffer), id)
  })()
}

/** Records that a running replay is cancelled, before its sends in progress have ended: no process sends the pending ones. */
export function cancelJob(db: WritableDb, id: string): void {
  db.prepare("UPDATE replay_jobs SET state = 'cancelled' WHERE id = ? AND state = 'running'").run(
    id,
  )
}

/** Records that the process that ran a replay no longer does. A cancelled one keeps its list, which says what wasn't sent. */
export function releaseJob(db: WritableDb, { id, state }: Pick<StoredJob, 'id' | 'state'>): void {
  const release = db.prepare(
    "UPDATE replay_jobs SET alive_at = 0, state = iif(? = 'running', state, ?) WHERE id = ?",
  )
  const drop = db.prepare('DELETE FROM replay_plans WHERE job_id = ?')
  const write = db.transaction(() => {
    release.run(state, state, id)
    if (state === 'done') drop.run(id)
  })
  withRelaxedCommit(db, write)
}

type JobRow = Omit<StoredJob, 'settings' | 'plan' | 'hasBody' | 'places' | 'tally'> &
  Tally & {
    readonly settings: string
    readonly plan: string
    readonly hasBody: number
    /** Number of deliveries in its list; null once it is done. */
    readonly listed: number | null
  }

const JOB = `SELECT ${columnsFor('j', ['id', 'createdAt', 'settings', 'plan', 'state', 'owner', 'aliveAt', 'reached', ...TALLIED])},
  j.body IS NOT NULL AS hasBody, (SELECT length(seqs) FROM replay_plans WHERE job_id = j.id) / ${Float64Array.BYTES_PER_ELEMENT} AS listed
  FROM replay_jobs j`

/** Sends of a cancelled replay that were in progress when its process ended. */
const IS_UNSETTLED = `j.reached > ${ENDED.map((name) => `j.${columnOf(name)}`).join(' + ')}`

function toJob({ listed, ...row }: JobRow): StoredJob {
  const { passed, failed, recorded, uncertain, notSent, fixed, regressed, ...job } = row
  const tally = { passed, failed, recorded, uncertain, notSent, fixed, regressed }
  const settings = jsonOf('replay_jobs.settings', row.settings)
  const plan = jsonOf('replay_jobs.plan', row.plan)
  const planned = plan.selected * (settings.repeat - 1)
  return {
    ...job,
    ...{ settings, plan, tally },
    createdAt: valueOf('replay_jobs.created_at', row.createdAt),
    hasBody: row.hasBody === 1,
    places: listed === null ? endedIn(tally) : planned + listed,
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

/** Returns what a replay sends; null once it is done. */
export function readList(
  db: ReadableDb,
  { id, plan, settings }: Pick<StoredJob, 'id' | 'plan' | 'settings'>,
): ReplayList | null {
  const seqs = readSeqs(db, id)
  return seqs === null ? null : new ReplayList(seqs, plan.selected, settings.repeat)
}

/** Returns the deliveries in a replay's list, by seq; null once it is done. */
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

/** Returns the replays with pending sends or sends in progress, the newest first. */
export function listOpenJobs(db: ReadableDb): StoredJob[] {
  const rows = rowStatement<JobRow>(
    db,
    `${JOB} WHERE j.state = 'running' OR ${IS_UNSETTLED} ORDER BY j.id DESC`,
  ).all()
  return readRows(rows, toJob)
}

/** Returns the IDs of cancelled replays whose process ended before their sends did. */
export function unsettledJobs(db: ReadableDb): string[] {
  return valuesOf<string>(
    db,
    `SELECT id FROM replay_jobs j WHERE state = 'cancelled' AND ${IS_UNSETTLED}`,
  ).all()
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
