/**
 * Sends: everything sent from a delivery, each with its response, and the replays that they belong to. A send is named by its job
 * and its place in it, `JOB.PLACE`. A replay stores which deliveries it sends as one list; a row is written when a send has ended,
 * in the transaction that moves the replay's `reached`. So places up to `reached` without a row may have been sent, and later
 * places are pending.
 */
import { isShortId } from '../../shared/model/delivery-ref.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery, RawHeaders } from '../../shared/model/delivery.ts'
import { editedParts, isForged, isRejection } from '../../shared/model/replay-edits.ts'
import type {
  ReplayEdits,
  ReplayJob,
  ReplaySettings,
  Send,
  SendAnswer,
  SendOutcome,
  SendsShown,
  SendState,
  Tamper,
} from '../../shared/model/send.ts'
import { prepareResponse, rejectionSql } from './handler-responses.ts'
import { handlerSeq } from './handlers.ts'
import { packBodies, unpackBodies } from './ingest.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { headersOf, jsonOf, jsonSql, readRow, readRows, valueOf } from './rows.ts'
import { countResponse } from './timeline.ts'

// Replays as jobs: the request, the process that runs it, and its progress.

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

/** The number of places in a plan. */
export function placesIn({ selected, rounds, seqs }: ReplayPlan): number {
  return selected * rounds + seqs.length - selected
}

/** The delivery at a place, from 1. Zero, which no delivery has, after the last place. */
function seqAt({ selected, rounds, seqs }: ReplayPlan, place: number): number {
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

interface PlanRow {
  readonly id: string
  readonly plan: string
  readonly seqs: Uint8Array
}

const toPlan = ({ plan, seqs }: PlanRow): ReplayPlan => ({
  ...jsonOf('replay_jobs.plan', plan),
  // A copy, because the bytes may begin anywhere.
  seqs: new Float64Array(new Uint8Array(seqs).buffer),
})

/** What a job sends; null once it is done. */
export function readPlan(db: ReadableDb, id: string): ReplayPlan | null {
  const row = db
    .prepare<[string], PlanRow>(
      'SELECT id, plan, seqs FROM replay_jobs JOIN replay_plans ON job_id = id WHERE id = ?',
    )
    .get(id)
  return row === undefined ? null : readRow(`Replay ${id}`, row, toPlan)
}

/** The hooks of a job's deliveries, by id. */
export function hooksOfJob(db: ReadableDb, id: string): string[] {
  return db
    .prepare<[string], string>(
      `SELECT hook.key FROM replay_jobs j, json_each(${jsonSql('j.plan', '{}')}, '$.targets') hook WHERE j.id = ? AND hook.key <> ''`,
    )
    .pluck()
    .all(id)
}

/** The first places of a job, after one and up to another, that have no row. */
function unrecordedPlaces(
  db: ReadableDb,
  jobId: string,
  { after, upTo, most }: { readonly after: number; readonly upTo: number; readonly most: number },
): number[] {
  const recorded = db
    .prepare<[string, number], number>(
      'SELECT position FROM sends WHERE job_id = ? AND position > ? ORDER BY position',
    )
    .pluck()
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
  const hookOf = db
    .prepare<[number], string | null>('SELECT hook_id FROM deliveries WHERE seq = ?')
    .pluck()
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
  readonly places: number
}

const PLAN = jsonSql('plan', '{}')
const JOB_COLUMNS = `id, created_at, settings, body IS NOT NULL AS has_body, state, owner, alive_at, reached, counts,
  coalesce(${PLAN} ->> '$.selected' * (${PLAN} ->> '$.rounds' - 1) + (SELECT length(seqs) FROM replay_plans WHERE job_id = id) / ${Float64Array.BYTES_PER_ELEMENT}, 0) AS places`

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
  const { ended, ...found } = db
    .prepare<
      [string],
      Omit<JobCounts, 'total' | 'waiting' | 'underWay'> & { readonly ended: number }
    >(`SELECT ${ROW_COUNTS} FROM sends WHERE job_id = ?`)
    .get(id)!
  const begun = Math.min(reached, places)
  return {
    ...found,
    // Uncertain sends are counted separately, because they are sent again.
    total: Math.max(places, ended) - found.uncertain,
    waiting: places - begun,
    underWay: Math.max(0, begun - ended),
  }
}

function toJob(row: JobRow, counts: JobCounts): StoredJob {
  return {
    id: row.id,
    createdAt: valueOf('replay_jobs.created_at', row.created_at),
    settings: jsonOf('replay_jobs.settings', row.settings),
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
    .prepare<[string], JobRow>(`SELECT ${JOB_COLUMNS} FROM replay_jobs WHERE id = ?`)
    .get(id)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    `Replay ${id} not found. List replays with "countersign replay --jobs".`,
  )
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
    .prepare<[number], JobRow>(`SELECT ${JOB_COLUMNS} FROM replay_jobs ORDER BY id DESC LIMIT ?`)
    .all(limit)
  return readRows(rows, (row) => toJob(row, countsOf(db, row)))
}

/** Targets typed by the user, each once, those of the newest jobs first. */
export function recentTargets(db: ReadableDb, limit: number): string[] {
  const given = db
    .prepare<[number], string | null>(
      `SELECT json_extract(${jsonSql('settings', '{}')}, '$.to') FROM (SELECT settings FROM replay_jobs ORDER BY id DESC LIMIT ?)`,
    )
    .pluck()
    .all(limit)
  return [...new Set(given)].filter((target) => target !== null)
}

// The deliveries that a job sends next, read with one statement and transferred with all bodies in one buffer: many small ones
// cost more to transfer than to read.

/** The parts of a delivery needed to send it. */
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
  return db
    .prepare<[string], HookToSend>(
      `SELECT id, hook_id AS hookId FROM deliveries
       WHERE seq IN (SELECT value FROM json_each(?)) AND seq NOT IN (SELECT seq FROM deleted) GROUP BY hook_id`,
    )
    .all(JSON.stringify(seqs))
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
  const found = db
    .prepare<[string], ToSendRow>(
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
  readonly state: Extract<SendState, 'settled' | 'not-sent'>
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
  /** How far a job may have progressed: its sends up to this place may have been sent. */
  readonly reached: { readonly jobId: string; readonly place: number } | null
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
  /** For each send; null if it wasn't made, or if its delivery was removed in the meantime. */
  readonly outcomes: readonly (SendOutcome | null)[]
  /** The deliveries of the stored sends, by seq. */
  readonly deliveries: readonly number[]
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

const bit = (is: boolean | null) => (is === null ? null : is ? 1 : 0)
const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/**
 * Creates the function that records sends in one transaction, with the handler's response to each delivery. It survives the end of
 * the process; it doesn't wait for the disk, which would halve the pace.
 */
export function prepareSends(db: WritableDb): (batch: SendsBatch) => RecordedSends {
  const reach = db.prepare('UPDATE replay_jobs SET reached = ? WHERE id = ?')
  // The index has all columns requested for a valid send, which the planner doesn't notice.
  const last = db
    .prepare<unknown[], number>(
      `SELECT CASE ? WHEN 1 THEN ${rejectionSql('b')} ELSE b.passed END FROM sends b INDEXED BY sends_settled
       WHERE b.delivery_seq = ? AND b.target = ? AND b.tamper IS ? AND b.variant IS ? AND b.state = 'settled' AND b.passed IS NOT NULL
       ORDER BY b.started_at DESC, b.seq DESC LIMIT 1`,
    )
    .pluck()
  // A forwarded delivery has a row since it was queued.
  const put = db.prepare(
    `INSERT INTO sends (job_id, position, kind, delivery_seq, target, handler, tamper, variant, state, started_at, registered_url, status,
       ms, phases, error_kind, error, passed, outcome, certificate_problem, headers, body, truncated, sent_method, sent_headers)
     SELECT ${Array(24).fill('?').join(', ')} WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = ?)
     ON CONFLICT (job_id, position) DO UPDATE SET state = excluded.state, started_at = coalesce(excluded.started_at, started_at),
       registered_url = coalesce(excluded.registered_url, registered_url), status = excluded.status, ms = excluded.ms,
       phases = excluded.phases, error_kind = excluded.error_kind, error = excluded.error, passed = excluded.passed,
       outcome = excluded.outcome, certificate_problem = excluded.certificate_problem, headers = excluded.headers, body = excluded.body,
       truncated = excluded.truncated, sent_method = excluded.sent_method, sent_headers = excluded.sent_headers`,
  )
  const handlerOf = db
    .prepare<[string, string], number | null>(`SELECT ${handlerSeq('?', '?')}`)
    .pluck()
  const seqOf = db
    .prepare<[string, number], number>('SELECT seq FROM sends WHERE job_id = ? AND position = ?')
    .pluck()
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
      deliverySeq,
    )
    if (changes === 0) return undefined
    countResponse(db, respond(seqOf.get(jobId, position)!, send))
    return outcome
  }

  const write = db.transaction(({ sends, bodies, reached }: SendsBatch): RecordedSends => {
    if (reached !== null) reach.run(reached.place, reached.jobId)
    const bodyOf = unpackBodies(bodies)
    const rows = JSON.parse(sends) as EndedRow[]
    const recorded = rows.map((row) => record(row, bodyOf(row.size)))
    return {
      outcomes: recorded.map((outcome) => outcome ?? null),
      deliveries: rows.flatMap(({ deliverySeq }, index) =>
        recorded[index] === undefined ? [] : deliverySeq,
      ),
    }
  })
  return (batch) => withRelaxedCommit(db, () => write(batch))
}

// Reads sends for lists, and one with its request and response.

interface SendRow {
  readonly job_id: string
  readonly position: number
  readonly delivery_id: string
  readonly target: string
  readonly handler: string | null
  readonly tamper: Send['tamper']
  /** The job's settings; null if it no longer exists. */
  readonly settings: string | null
  readonly has_body: number
  readonly variant: string | null
  readonly state: SendState
  readonly started_at: number | null
  readonly registered_url: string | null
  readonly status: number | null
  readonly ms: number | null
  readonly phases: string | null
  readonly error_kind: Send['errorKind']
  readonly error: string | null
  readonly outcome: SendOutcome | null
  readonly valid_passed: number | null
  readonly certificate_problem: string | null
  readonly kind: Send['kind']
  readonly tries: number
}

interface AnswerRow extends SendRow {
  readonly headers: string | null
  readonly body: Uint8Array | null
  readonly truncated: number
  readonly delivery_seq: number
  readonly sent_method: string | null
  readonly sent_headers: string | null
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

const SEND_COLUMNS = `s.job_id, s.position, d.id AS delivery_id, s.tamper, s.started_at, s.registered_url, s.status,
  s.ms, s.phases, s.error_kind, s.error, s.outcome, ${VALID_PASSED} AS valid_passed, s.certificate_problem, s.kind, s.tries, s.variant,
  h.name AS handler,
  CASE WHEN s.kind = 'forward' AND s.state = 'waiting' THEN coalesce(
    (SELECT json_extract(${jsonSql('f.settings', '{}')}, '$.url') FROM forward_targets f WHERE f.id = s.job_id), s.target) ELSE s.target END AS target,
  s.state, CASE WHEN s.variant IS NULL THEN NULL ELSE j.settings END AS settings, j.body IS NOT NULL AS has_body`
const SEND_SOURCE =
  'sends s JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id LEFT JOIN handlers h ON h.seq = s.handler'

function editsOf({ settings }: Pick<SendRow, 'settings'>): ReplayEdits | null {
  return settings === null ? null : jsonOf('replay_jobs.settings', settings).edits
}

function toSend(row: SendRow): Send {
  const edits = editsOf(row)
  const edited = edits === null ? [] : editedParts(edits, row.has_body === 1)
  const isCompared = row.valid_passed !== null && isForged({ tamper: row.tamper, edited })
  return {
    id: `${row.job_id}.${row.position}`,
    jobId: row.job_id,
    position: row.position,
    deliveryId: row.delivery_id,
    target: row.target,
    handler: row.handler,
    registeredUrl: row.registered_url,
    tamper: row.tamper,
    kind: row.kind,
    tries: row.tries,
    edited,
    state: row.state,
    startedAt: row.started_at === null ? null : new Date(row.started_at).toISOString(),
    status: row.status,
    ms: row.ms,
    phases: row.phases === null ? null : jsonOf('sends.phases', row.phases),
    errorKind: row.error_kind,
    error: row.error,
    outcome: row.outcome,
    validPassed: isCompared ? row.valid_passed === 1 : null,
    certificateProblem: row.certificate_problem,
  }
}

/** What a list of sends selects from the rows. `rest`: the condition, which follows `WHERE`. */
function sendsWhere(db: ReadableDb, rest: string, ...values: readonly unknown[]): Send[] {
  const rows = db
    .prepare<unknown[], SendRow>(`SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE ${rest}`)
    .all(...values)
  return readRows(rows, toSend)
}

/**
 * The sends at some places of a job that have no row: pending, in progress or cancelled. Places whose delivery was removed are left
 * out.
 */
function unrecorded(
  db: ReadableDb,
  row: JobRow,
  plan: ReplayPlan,
  places: readonly number[],
): Send[] {
  const { handlerId, tamper, edits } = jsonOf('replay_jobs.settings', row.settings)
  const handler = db
    .prepare<[string, string], string>(
      `SELECT name FROM handlers WHERE seq = ${handlerSeq('?', '?')}`,
    )
    .pluck()
  const delivery = db.prepare<[number], { id: string; hookId: string | null }>(
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
    const found = delivery.get(seqAt(plan, position))
    if (found === undefined) return []
    const target = targetIn(plan, found.hookId) ?? ''
    const isBegun = position <= row.reached && row.counts === null
    return [
      {
        ...nothing,
        id: `${row.id}.${position}`,
        jobId: row.id,
        position,
        deliveryId: found.id,
        target,
        handler: handler.get(handlerId ?? '', target) ?? null,
        tamper,
        kind: 'replay',
        tries: 0,
        edited: plan.variant === null ? [] : editedParts(edits, row.has_body === 1),
        state: isBegun ? 'under-way' : row.state === 'cancelled' ? 'cancelled' : 'waiting',
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
  const plan = show === 'all' || show === 'not-sent' ? readPlan(db, jobId) : null
  if (plan === null) return sends
  const job = jobRow(db, jobId)
  if (show === 'not-sent' && job.state !== 'cancelled') return sends
  const last = sends.length === limit ? sends.at(-1)!.position : placesIn(plan)
  const places = unrecordedPlaces(db, jobId, { after, upTo: last, most: limit })
  return [...sends, ...unrecorded(db, job, plan, places)]
    .filter(({ state }) => show === 'all' || state === 'not-sent' || state === 'cancelled')
    .toSorted((a, b) => a.position - b.position)
    .slice(0, limit)
}

/** The sends of a delivery that are pending or in progress, those of the newest job first. */
function openSends(db: ReadableDb, deliverySeq: number, limit: number): Send[] {
  const jobs = db
    .prepare<[], JobRow & PlanRow>(
      `SELECT ${JOB_COLUMNS}, plan, seqs FROM replay_jobs JOIN replay_plans ON job_id = id WHERE counts IS NULL ORDER BY id DESC`,
    )
    .all()
  const recorded = db
    .prepare<[string, number], number>(
      'SELECT position FROM sends WHERE job_id = ? AND delivery_seq = ?',
    )
    .pluck()
  return readRows(jobs, (job) => {
    const plan = toPlan(job)
    if (!plan.seqs.includes(deliverySeq)) return []
    const ended = new Set(recorded.all(job.id, deliverySeq))
    const places: number[] = []
    for (let place = placesIn(plan); place > 0 && places.length < limit; place--)
      if (seqAt(plan, place) === deliverySeq && !ended.has(place)) places.push(place)
    return unrecorded(db, job, plan, places).filter(({ state }) => state !== 'cancelled')
  })
    .flat()
    .slice(0, limit)
}

/** Sends of a delivery, newest first. */
export function sendsOfDelivery(
  db: ReadableDb,
  { deliverySeq, limit }: { readonly deliverySeq: number; readonly limit: number },
): Send[] {
  const sends = sendsWhere(db, 's.delivery_seq = ? ORDER BY s.seq DESC LIMIT ?', deliverySeq, limit)
  return [...openSends(db, deliverySeq, limit), ...sends].slice(0, limit)
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
  const matches = db
    .prepare<{ text: string }, string>(
      `SELECT id FROM replay_jobs WHERE substr(id, 1, length(@text)) = @text OR substr(id, -length(@text)) = @text LIMIT 6`,
    )
    .pluck()
    .all({ text })
  if (matches.length < 2) return matches[0] ?? given
  throw new AppError(
    'NOT_FOUND',
    `${given} matches several replays: ${matches.join(', ')}. Type more characters of the ID.`,
    {
      details: { matches },
    },
  )
}

/** A send of a job that has no row; undefined after the job's last place. */
function openSend(db: ReadableDb, jobId: string, place: number): StoredSend | undefined {
  const plan = readPlan(db, jobId)
  const [send] =
    plan === null || place > placesIn(plan) ? [] : unrecorded(db, jobRow(db, jobId), plan, [place])
  return plan === null || send === undefined
    ? undefined
    : {
        ...send,
        headers: [],
        base64: '',
        truncated: false,
        deliverySeq: seqAt(plan, place),
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
  const found = db
    .prepare<[string, number], AnswerRow>(
      `SELECT ${SEND_COLUMNS}, s.headers, s.body, s.truncated, s.delivery_seq, s.sent_method, s.sent_headers
       FROM ${SEND_SOURCE} WHERE s.job_id = ? AND s.position = ?`,
    )
    .get(jobId, position)
  if (found === undefined) {
    const open = openSend(db, jobId, position)
    if (open !== undefined) return open
    throw new AppError('NOT_FOUND', `Send ${id} not found. List the sends of its delivery.`)
  }
  return readRow(`Send ${id}`, found, (row) => ({
    ...toSend(row),
    headers: row.headers === null ? [] : jsonOf('sends.headers', row.headers),
    base64: Buffer.from(row.body ?? new Uint8Array()).toString('base64'),
    truncated: row.truncated === 1,
    deliverySeq: row.delivery_seq,
    hasOwnBody: row.has_body === 1,
    set: editsOf(row)?.set,
    sent:
      row.sent_method === null || row.sent_headers === null
        ? null
        : { method: row.sent_method, headers: jsonOf('sends.sent_headers', row.sent_headers) },
  }))
}
