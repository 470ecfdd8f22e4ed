/**
 * Replays as jobs: the request, the process that runs it, its progress, and what it sends. A replay stores which deliveries it sends as
 * one list; a send gets its row when it has ended, in the transaction that moves the replay's `reached`. So places up to `reached`
 * without a row may have been sent, and later places are pending.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { ReplayJob, ReplaySettings } from '../../shared/model/send.ts'
import { handlerSeq } from './handlers.ts'
import { packBodies, unpackBodies } from './ingest.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { columnsFor, headersOf, jsonOf, jsonSql, readRow, readRows, valueOf } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

export type JobCounts = Omit<
  ReplayJob,
  | 'state'
  | 'problem'
  | 'id'
  | 'createdAt'
  | 'edited'
  | keyof Omit<ReplaySettings, 'targetCa' | 'edits'>
>

/** A stored job: `running` also if the program ended before it did. */
export interface StoredJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** It sends its own body. */
  readonly hasBody: boolean
  /** `cancelled` as soon as this is requested: sends in progress may still have to end (`isSettled`). */
  readonly state: 'running' | 'done' | 'cancelled'
  /** Its counts are final and stored. */
  readonly isSettled: boolean
  readonly owner: number
  readonly aliveAt: number
  /** Sends up to this place may have been sent: without a row they count as in progress. */
  readonly reached: number
  readonly counts: JobCounts
}

/** What a job sends, where to, and in which order. */
export interface ReplayPlan {
  /** By ID of the deliveries' hook; empty for deliveries without one, and for hooks that aren't listed. */
  readonly targets: Readonly<Record<string, string>>
  /** The same for equally changed requests; null for captured ones. */
  readonly variant: string | null
  /** How many deliveries were selected, and how often the selection is sent. */
  readonly selected: number
  readonly rounds: number
  /** The selected deliveries, by seq, then those that are sent again because the program ended during their send. */
  readonly seqs: Float64Array
}

export function placesIn({ selected, rounds, seqs }: ReplayPlan): number {
  return selected * rounds + seqs.length - selected
}

/** The delivery at a place, from 1. Zero, which no delivery has, after the last place. */
export function seqAt({ selected, rounds, seqs }: ReplayPlan, place: number): number {
  const planned = selected * rounds
  return seqs[place <= planned ? (place - 1) % selected : place - 1 - planned + selected] ?? 0
}

/** The deliveries, by seq, at the places after one, up to another. */
export function seqsBetween(plan: ReplayPlan, after: number, upTo: number): number[] {
  const last = Math.min(upTo, placesIn(plan))
  return Array.from({ length: Math.max(0, last - after) }, (_, index) =>
    seqAt(plan, after + 1 + index),
  )
}

/** The target of a delivery of a hook; null for a hook that the plan lacks. */
export function targetIn({ targets }: Pick<ReplayPlan, 'targets'>, hookId: string | null) {
  return targets[hookId ?? ''] ?? targets[''] ?? null
}

export interface NewJob {
  readonly id: string
  readonly createdAt: number
  readonly settings: ReplaySettings
  /** The body to send instead of the captured ones; null: the captured ones. */
  readonly body: Uint8Array | null
  /** The process that runs it. */
  readonly owner: number
  readonly plan: ReplayPlan
}

/** Stores a job that starts now, and returns it. */
export function insertJob(
  db: WritableDb,
  { id, createdAt, settings, body, owner, plan: { seqs, ...plan } }: NewJob,
): StoredJob {
  const insert = db.prepare(
    `INSERT INTO replay_jobs (id, created_at, settings, body, state, owner, alive_at, plan) VALUES (?, ?, ?, ?, 'running', ?, ?, ?)`,
  )
  const list = db.prepare('INSERT INTO replay_plans (job_id, seqs) VALUES (?, ?)')
  const write = db.transaction(() => {
    const text = JSON.stringify(settings)
    insert.run(id, createdAt, text, body, owner, createdAt, JSON.stringify(plan))
    list.run(id, Buffer.from(seqs.buffer, seqs.byteOffset, seqs.byteLength))
  })
  withRelaxedCommit(db, write)
  return readJob(db, id)
}

export interface PlanRow {
  readonly id: string
  readonly plan: string
  readonly seqs: Uint8Array
}

export const toPlan = ({ plan, seqs }: PlanRow): ReplayPlan => ({
  ...jsonOf('replay_jobs.plan', plan),
  // A copy, because the bytes may begin anywhere.
  seqs: new Float64Array(new Uint8Array(seqs).buffer),
})

/** What a job sends; null once it is done. */
export function readPlan(db: ReadableDb, id: string): ReplayPlan | null {
  const row = rowStatement<PlanRow>(
    db,
    'SELECT id, plan, seqs FROM replay_jobs JOIN replay_plans ON job_id = id WHERE id = ?',
  ).get(id)
  return row === undefined ? null : readRow(`Replay ${id}`, row, toPlan)
}

export function hooksOfJob(db: ReadableDb, id: string): string[] {
  return valuesOf<string>(
    db,
    `SELECT hook.key FROM replay_jobs j, json_each(${jsonSql('j.plan', '{}')}, '$.targets') hook WHERE j.id = ? AND hook.key <> ''`,
  ).all(id)
}

/** The first places of a job, after one and up to another, that have no row. */
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

/** Places of a job that may have been sent and haven't ended. Reads all of its sends, which the writer has no time for. */
export function underWay(db: ReadableDb, jobId: string): number[] {
  const { reached, places } = jobRow(db, jobId)
  const upTo = Math.min(reached, places)
  return unrecordedPlaces(db, jobId, { after: 0, upTo, most: upTo })
}

/**
 * Marks sends that were in progress (`underWay`) when the program ended as uncertain: whether they were sent is unknown. Returns the
 * plan and their deliveries.
 */
function doubtSends(db: WritableDb, jobId: string, places: readonly number[]) {
  const plan = readPlan(db, jobId)
  if (plan === null) return null
  const { handlerId, tamper } = readJob(db, jobId).settings
  const hookOf = valuesOf<string | null>(db, 'SELECT hook_id FROM deliveries WHERE seq = ?')
  const insert = db.prepare(
    `INSERT OR IGNORE INTO sends (job_id, position, delivery_seq, target, handler, tamper, variant, state)
     SELECT ?, ?, seq, ?, ${handlerSeq('?', '?')}, ?, ?, 'uncertain' FROM deliveries WHERE seq = ?`,
  )
  const doubted = places.flatMap((place) => {
    const seq = seqAt(plan, place)
    const target = targetIn(plan, hookOf.get(seq) ?? null) ?? ''
    const values = [target, handlerId ?? '', target, tamper, plan.variant, seq]
    // Another process may have marked it just before.
    return insert.run(jobId, place, ...values).changes === 0 ? [] : [seq]
  })
  return { plan, doubted }
}

export interface Revival {
  readonly id: string
  /** The process that continues it. */
  readonly owner: number
  readonly at: number
  /** The sends that were in progress (`underWay`). */
  readonly places: readonly number[]
}

/**
 * Marks the sends that were in progress when the program ended as uncertain. A running job then repeats them at its end; a cancelled
 * one doesn't continue.
 */
export function reviveJob(db: WritableDb, { id, owner, at, places }: Revival): void {
  const revive = db.prepare(
    'UPDATE replay_jobs SET owner = ?, alive_at = ?, reached = ? WHERE id = ?',
  )
  const list = db.prepare('UPDATE replay_plans SET seqs = ? WHERE job_id = ?')
  db.transaction(() => {
    const { state, reached } = jobRow(db, id)
    const found = doubtSends(db, id, places)
    if (found === null || state !== 'running') return
    const { plan, doubted } = found
    const seqs = Float64Array.from([...plan.seqs, ...doubted])
    // It may be recorded further ahead than there are sends: those added now haven't been sent.
    const begun = Math.min(reached, placesIn(plan))
    revive.run(owner, at, begun, id)
    list.run(Buffer.from(seqs.buffer), id)
  })()
}

/**
 * Records that a job's process is alive; `at` in milliseconds since the epoch. Returns whether any process has cancelled the job.
 */
export function touchJob(
  db: WritableDb,
  { id, at }: { readonly id: string; readonly at: number },
): boolean {
  const touch = valuesOf<string>(
    db,
    'UPDATE replay_jobs SET alive_at = ? WHERE id = ? RETURNING state',
  )
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
  return valuesOf<string>(
    db,
    "SELECT id FROM replay_jobs WHERE state = 'cancelled' AND counts IS NULL",
  ).all()
}

/** Ends a job and stores its results. A cancelled one keeps its plan, which says what wasn't sent. */
export function endJob(
  db: WritableDb,
  {
    id,
    state,
    counts,
  }: Pick<StoredJob, 'id' | 'counts'> & { readonly state: 'done' | 'cancelled' },
): void {
  const end = db.prepare(
    "UPDATE replay_jobs SET state = ?, counts = ? WHERE id = ? AND state IN ('running', 'cancelled') AND counts IS NULL",
  )
  const drop = db.prepare('DELETE FROM replay_plans WHERE job_id = ?')
  const write = db.transaction(() => {
    end.run(state, JSON.stringify(counts), id)
    if (state === 'done') drop.run(id)
  })
  withRelaxedCommit(db, write)
}

export type JobRow = Omit<StoredJob, 'settings' | 'hasBody' | 'isSettled' | 'counts'> & {
  readonly settings: string
  readonly hasBody: number
  /** JSON; null until its counts are final. */
  readonly counts: string | null
  readonly places: number
}

const PLAN = jsonSql('j.plan', '{}')
export const JOB_COLUMNS = `${columnsFor('j', ['id', 'createdAt', 'settings', 'state', 'owner', 'aliveAt', 'reached', 'counts'])}, j.body IS NOT NULL AS hasBody,
  coalesce(${PLAN} ->> '$.selected' * (${PLAN} ->> '$.rounds' - 1) + (SELECT length(seqs) FROM replay_plans WHERE job_id = j.id) / ${Float64Array.BYTES_PER_ELEMENT}, 0) AS places`

/** What a job's rows count, as columns. */
const ROW_COUNTS = `count(*) AS ended, count(*) FILTER (WHERE outcome IN ('first-pass', 'still-passing', 'fixed')) AS passed,
  count(*) FILTER (WHERE outcome IN ('first-fail', 'still-failing', 'regressed')) AS failed,
  count(*) FILTER (WHERE outcome = 'recorded') AS recorded, count(*) FILTER (WHERE outcome = 'fixed') AS fixed,
  count(*) FILTER (WHERE outcome = 'regressed') AS regressed, count(*) FILTER (WHERE state = 'uncertain') AS uncertain,
  count(*) FILTER (WHERE state = 'not-sent') AS notSent, count(*) FILTER (WHERE state = 'cancelled') AS cancelled`

/** The counts stored at its end; until then its sends, counted. */
function countsOf(db: ReadableDb, { id, reached, counts, places }: JobRow): JobCounts {
  const kept = counts === null ? null : jsonOf('replay_jobs.counts', counts)
  if (kept !== null) return kept as JobCounts
  const { ended, ...found } = rowStatement<
    Omit<JobCounts, 'total' | 'waiting' | 'underWay'> & { readonly ended: number }
  >(db, `SELECT ${ROW_COUNTS} FROM sends WHERE job_id = ?`).get(id)!
  const begun = Math.min(reached, places)
  return {
    ...found,
    // Uncertain sends are counted separately, because they are sent again.
    total: Math.max(places, ended) - found.uncertain,
    waiting: places - begun,
    underWay: Math.max(0, begun - ended),
  }
}

function toJob(db: ReadableDb, { places, ...row }: JobRow): StoredJob {
  return {
    ...row,
    createdAt: valueOf('replay_jobs.created_at', row.createdAt),
    settings: jsonOf('replay_jobs.settings', row.settings),
    hasBody: row.hasBody === 1,
    isSettled: row.counts !== null,
    counts: countsOf(db, { ...row, places }),
  }
}

/** Throws `NOT_FOUND` for an unknown job. */
export function jobRow(db: ReadableDb, id: string): JobRow {
  const found = rowStatement<JobRow>(
    db,
    `SELECT ${JOB_COLUMNS} FROM replay_jobs j WHERE j.id = ?`,
  ).get(id)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    `Replay ${id} not found. List replays with "countersign replay --jobs".`,
  )
}

/** Throws `NOT_FOUND` for an unknown job. */
export function readJob(db: ReadableDb, id: string): StoredJob {
  const row = jobRow(db, id)
  return readRow(`Replay ${id}`, row, (found) => toJob(db, found))
}

/** A job without its counts, which take long for many sends. Throws `NOT_FOUND` for an unknown job. */
export function readJobState(
  db: ReadableDb,
  id: string,
): Pick<StoredJob, 'state' | 'isSettled' | 'owner' | 'aliveAt'> {
  const { state, counts, owner, aliveAt } = jobRow(db, id)
  return { state, isSettled: counts !== null, owner, aliveAt }
}

/** The body a job sends instead of the captured ones; null if it sends those. */
export function readJobBody(db: ReadableDb, id: string): Uint8Array | null {
  return (
    valuesOf<Uint8Array | null>(db, 'SELECT body FROM replay_jobs WHERE id = ?').get(id) ?? null
  )
}

/** Newest first. */
export function listJobs(db: ReadableDb, limit: number): StoredJob[] {
  const rows = rowStatement<JobRow>(
    db,
    `SELECT ${JOB_COLUMNS} FROM replay_jobs j ORDER BY j.id DESC LIMIT ?`,
  ).all(limit)
  return readRows(rows, (row) => toJob(db, row))
}

/** Targets typed by the user, each once, those of the newest jobs first. */
export function recentTargets(db: ReadableDb, limit: number): string[] {
  const given = valuesOf<string | null>(
    db,
    `SELECT json_extract(${jsonSql('settings', '{}')}, '$.to') FROM (SELECT settings FROM replay_jobs ORDER BY id DESC LIMIT ?)`,
  ).all(limit)
  return [...new Set(given)].filter((target) => target !== null)
}

// The deliveries that a job sends next, read with one statement and transferred with all bodies in one buffer: many small ones
// cost more to transfer than to read.

export type SendableDelivery = Pick<
  Delivery,
  'id' | 'method' | 'malformed' | 'truncated' | 'hookId' | 'headers'
>

/** A delivery and its body; null if it was deleted. */
export interface DeliveryToSend {
  readonly delivery: SendableDelivery | null
  readonly body: Uint8Array
}

/** A delivery of each hook, for messages. */
export interface HookToSend {
  readonly id: string
  readonly hookId: string | null
}

/** The hooks of some deliveries, by seq; null for those without one. */
export function hooksToSend(db: ReadableDb, seqs: readonly number[]): HookToSend[] {
  return rowStatement<HookToSend>(
    db,
    `SELECT id, hook_id AS hookId FROM deliveries
       WHERE seq IN (SELECT value FROM json_each(?)) AND seq NOT IN (SELECT seq FROM deleted) GROUP BY hook_id`,
  ).all(JSON.stringify(seqs))
}

/** A page has at most about this many bytes of bodies, but at least one delivery. */
const PAGE_BYTES = 4 * 1_048_576

type ToSendRow = readonly [
  bytes: Buffer | null,
  id: string | null,
  method: string | null,
  malformed: string | null,
  truncated: number | null,
  hookId: string | null,
  headers: string | null,
]

interface PackedPage {
  /** Each with the size of its body. */
  readonly rows: readonly (readonly [size: number, delivery: SendableDelivery | null])[]
  readonly bodies: Uint8Array
}

/** The first deliveries of a list of seqs, in its order: as many as fit into a page. */
export function deliveriesToSend(db: ReadableDb, seqs: readonly number[]): PackedPage {
  // A left join keeps the order of the list.
  const found = rowStatement<ToSendRow>(
    db,
    `SELECT b.bytes, d.id, d.method, d.malformed, d.truncated, d.hook_id, d.headers FROM json_each(?) wanted
       LEFT JOIN deliveries d ON d.seq = wanted.value AND d.seq NOT IN (SELECT seq FROM deleted)
       LEFT JOIN bodies b ON b.seq = d.seq`,
  )
    .raw()
    .iterate(JSON.stringify(seqs))
  const rows: PackedPage['rows'][number][] = []
  const bodies: Buffer[] = []
  let total = 0
  for (const [bytes, id, method, malformed, truncated, hookId, headersText] of found) {
    // Without its headers it would be another request.
    const headers = headersText === null ? null : headersOf(headersText)
    const size = bytes?.length ?? 0
    if (rows.length > 0 && total + size > PAGE_BYTES) break
    total += size
    if (bytes !== null) bodies.push(bytes)
    rows.push([
      size,
      id === null || headers === null
        ? null
        : {
            id,
            method,
            malformed: malformed === null ? null : { reason: malformed },
            truncated: truncated === 1,
            hookId,
            headers,
          },
    ])
  }
  return { rows, bodies: packBodies(bodies) }
}

export function unpackDeliveries({ rows, bodies }: PackedPage): DeliveryToSend[] {
  // Buffers, because the HTTP client would wrap anything else again.
  const bodyOf = unpackBodies(bodies)
  return rows.map(([size, delivery]) => ({ delivery, body: bodyOf(size) }))
}
