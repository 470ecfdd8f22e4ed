/**
 * Stored replays. A send's `position` in its replay starts at 1. Sends up to the position `reached`
 * may have been sent, even without a row; later ones are pending.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Replay, ReplaySettings } from '../../shared/model/send.ts'
import { isAlive } from '../base/processes.ts'
import { handlerSeq } from './handlers.ts'
import { endpointAt, originalPosition, readRepeats, sideAt } from './replay-sides.ts'
import { jsonOf, readRow, readRows, valueOf } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import { columnOf, columnsFor } from './tables.ts'

const ENDED = ['passed', 'failed', 'recorded', 'uncertain', 'notSent'] as const
const TALLIED = [...ENDED, 'fixed', 'regressed'] as const
export type Tally = Readonly<Record<(typeof TALLIED)[number], number>>

export interface StoredReplay {
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
  /** State: `cancelled` from the request on, `running` also after a crash. */
  readonly state: 'running' | 'done' | 'cancelled'
  /** Id of the process that runs it. */
  readonly owner: number
  /** Time of the last progress in milliseconds since the epoch; 0 once it has ended. */
  readonly aliveAt: number
  readonly reached: number
  /** Number of sends at the start; `sendCount` also counts repeats of uncertain ones. */
  readonly total: number
  readonly sendCount: number
  readonly tally: Tally
}

export type ReplayCounts = Tally & Pick<Replay, 'total' | 'waiting' | 'underWay' | 'cancelled'>

/** Counts sends; those up to the position `started` may have been sent. */
export function countSends(
  { total, sendCount, tally }: Pick<StoredReplay, 'total' | 'sendCount' | 'tally'>,
  { started, isOver }: { readonly started: number; readonly isOver: boolean },
): ReplayCounts {
  const open = started - ENDED.reduce((sum, name) => sum + tally[name], 0)
  const pending = sendCount - started
  const uncertain = tally.uncertain + open
  return isOver
    ? { ...tally, total, waiting: 0, underWay: 0, uncertain, cancelled: pending }
    : { ...tally, total, waiting: pending, underWay: open, cancelled: 0 }
}

/** Time without progress after which a replay's process counts as gone. */
const ALIVE_FOR_MS = 10_000

/**
 * Whether a process works on a replay.
 * @param now - in milliseconds since the epoch
 */
export function isAliveAt(
  { owner, aliveAt }: Pick<StoredReplay, 'owner' | 'aliveAt'>,
  now: number,
) {
  return now - aliveAt < ALIVE_FOR_MS && isAlive(owner)
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

export interface NewReplay extends Pick<
  StoredReplay,
  'id' | 'createdAt' | 'owner' | 'settings' | 'plan' | 'reached'
> {
  /** Body that replaces the captured ones, or null. */
  readonly body: Uint8Array | null
  /** JSON of the baseline that the responses are compared with, or null. */
  readonly baseline?: string | null
  readonly seqs: Float64Array
}

export function insertReplay(
  db: WritableDb,
  { body, baseline = null, seqs, ...replay }: NewReplay,
): StoredReplay {
  const { id, createdAt, settings, owner, plan, reached } = replay
  const insert = db.prepare(
    `INSERT INTO replay_jobs (id, created_at, settings, body, baseline, state, owner, alive_at, plan, reached, total)
     VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)`,
  )
  const list = db.prepare('INSERT INTO replay_plans (job_id, seqs) VALUES (?, ?)')
  const write = db.transaction(() => {
    const [settingsText, planText] = [JSON.stringify(settings), JSON.stringify(plan)]
    insert.run(
      ...[id, createdAt, settingsText, body, baseline],
      ...[owner, createdAt, planText, reached, seqs.length],
    )
    list.run(id, bytesOf(seqs))
  })
  withRelaxedCommit(db, write.immediate)
  return readReplay(db, id)
}

/** Position up to which sends may have been sent, with the time in milliseconds. */
export interface Reached {
  readonly replayId: string
  readonly position: number
  readonly at: number
}

/** Creates the function that sets `reached` and counts ended sends. */
export function prepareProgress(db: WritableDb) {
  const move = rowStatement<Tally & Pick<StoredReplay, 'state'>>(
    db,
    `UPDATE replay_jobs SET reached = ?, alive_at = ?, ${TALLIED.map((name) => `${columnOf(name)} = ${columnOf(name)} + ?`).join(', ')}
     WHERE id = ? RETURNING state, ${columnsFor('replay_jobs', TALLIED)}`,
  )
  return ({ replayId, position, at }: Reached, added: Readonly<Partial<Tally>>) => {
    const row = move.get(position, at, ...TALLIED.map((name) => added[name] ?? 0), replayId)
    if (row === undefined) return null
    const { state, ...tally } = row
    return { isCancelled: state === 'cancelled', tally }
  }
}

/** Returns up to `limit` positions without a row. */
export function unrecordedPositions(
  db: ReadableDb,
  replayId: string,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): number[] {
  const recorded = columnStatement<number>(
    db,
    'SELECT position FROM sends WHERE job_id = ? AND position > ? ORDER BY position',
  )
  const unrecorded: number[] = []
  let next = after + 1
  const addUpTo = (last: number) => {
    while (next <= last && unrecorded.length < limit) unrecorded.push(next++)
  }
  for (const position of recorded.iterate(replayId, after)) {
    addUpTo(Math.min(position - 1, upTo))
    next = position + 1
    if (position >= upTo || unrecorded.length === limit) break
  }
  addUpTo(upTo)
  return unrecorded
}

/** Takes over a replay whose process is gone, and repeats uncertain sends; null if it can't. */
export function resumeReplay(
  db: WritableDb,
  { id, owner, at }: Pick<StoredReplay, 'id' | 'owner'> & { readonly at: number },
): {
  readonly stored: StoredReplay
  readonly seqs: Float64Array
  readonly repeats: readonly number[]
} | null {
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
      const replay = readReplay(db, id)
      const before = readReplaySeqs(db, id)
      if (before === null || replay.state !== 'running') return null
      if (replay.owner !== owner && isAliveAt(replay, at)) return null
      const { tamper } = replay.settings
      const upTo = replay.reached
      const earlier = readRepeats(db, replay, before.length)
      const uncertain = unrecordedPositions(db, id, { after: 0, upTo, limit: upTo })
      for (const position of uncertain) {
        const seq = before[position - 1]
        const side = sideAt(replay, originalPosition(replay, earlier, position))
        const endpoint = endpointAt(replay, side, hookOf.get(seq) ?? null)
        const [target, handler] = [endpoint.target ?? '', endpoint.handlerId ?? '']
        insert.run(id, position, target, handler, target, tamper, replay.plan.variant, seq)
      }
      const repeated = uncertain.map((position) => before[position - 1] ?? 0)
      const seqs = Float64Array.from([...before, ...repeated])
      take.run(owner, at, uncertain.length, id)
      list.run(bytesOf(seqs), id)
      const stored = readReplay(db, id)
      return { stored, seqs, repeats: readRepeats(db, stored, seqs.length) }
    })
    .immediate()
}

export function cancelReplay(db: WritableDb, id: string): void {
  db.prepare("UPDATE replay_jobs SET state = 'cancelled' WHERE id = ? AND state = 'running'").run(
    id,
  )
}

/** Records that no process runs a replay. */
export function releaseReplay(
  db: WritableDb,
  { id, state }: Pick<StoredReplay, 'id' | 'state'>,
): void {
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

type ReplayRow = Omit<StoredReplay, 'settings' | 'plan' | 'hasBody' | 'tally'> &
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
const REPLAY = `SELECT ${columnsFor('j', [...COLUMNS, 'total', ...TALLIED])}, j.body IS NOT NULL AS hasBody,
  coalesce((SELECT length(seqs) FROM replay_plans WHERE job_id = j.id) / ${Float64Array.BYTES_PER_ELEMENT}, reached) AS sendCount
  FROM replay_jobs j`

/** For replays of an earlier version. */
const NOT_COMPARED: Pick<ReplaySettings, 'comparison'> = { comparison: null }

function toReplay(row: ReplayRow): StoredReplay {
  const { passed, failed, recorded, uncertain, notSent, fixed, regressed, ...replay } = row
  return {
    ...replay,
    createdAt: valueOf('replay_jobs.created_at', row.createdAt),
    settings: { ...NOT_COMPARED, ...jsonOf('replay_jobs.settings', row.settings) },
    plan: jsonOf('replay_jobs.plan', row.plan),
    hasBody: row.hasBody === 1,
    tally: { passed, failed, recorded, uncertain, notSent, fixed, regressed },
  }
}

export function findReplay(db: ReadableDb, id: string): StoredReplay | null {
  const row = rowStatement<ReplayRow>(db, `${REPLAY} WHERE j.id = ?`).get(id)
  return row === undefined ? null : readRow(`Replay ${id}`, row, toReplay)
}

/** Reads a replay. Throws `NOT_FOUND`. */
export function readReplay(db: ReadableDb, id: string): StoredReplay {
  const replay = findReplay(db, id)
  if (replay !== null) return replay
  throw new AppError(
    'NOT_FOUND',
    `Replay ${id} not found. List replays with "countersign replay --list".`,
  )
}

export function readReplaySeqs(db: ReadableDb, id: string): Float64Array | null {
  const bytes = columnStatement<Uint8Array>(
    db,
    'SELECT seqs FROM replay_plans WHERE job_id = ?',
  ).get(id)
  // Copied, because a Float64Array needs an aligned start.
  return bytes === undefined ? null : new Float64Array(new Uint8Array(bytes).buffer)
}

export function readReplayBody(db: ReadableDb, id: string): Uint8Array | null {
  return (
    columnStatement<Uint8Array | null>(db, 'SELECT body FROM replay_jobs WHERE id = ?').get(id) ??
    null
  )
}

/** Returns the JSON of the baseline that a replay is compared with, or null. */
export function readReplayBaseline(db: ReadableDb, id: string): string | null {
  return (
    columnStatement<string | null>(db, 'SELECT baseline FROM replay_jobs WHERE id = ?').get(id) ??
    null
  )
}

export function listReplays(db: ReadableDb, limit: number): StoredReplay[] {
  return readRows(
    rowStatement<ReplayRow>(db, `${REPLAY} ORDER BY j.id DESC LIMIT ?`).all(limit),
    toReplay,
  )
}

/** Lists replays with pending or unrecorded sends. */
export function listOpenReplays(db: ReadableDb): StoredReplay[] {
  const rows = rowStatement<ReplayRow>(
    db,
    `${REPLAY} WHERE j.state = 'running' OR j.reached > ${ENDED.map(columnOf).join(' + ')} ORDER BY j.id DESC`,
  ).all()
  return readRows(rows, toReplay)
}

const RECENT_REPLAYS = 200

export interface RecentTarget extends Pick<ReplaySettings, 'to' | 'handlerId'> {
  readonly hooks: readonly string[]
}

export function readRecentTargets(db: ReadableDb): RecentTarget[] {
  const rows = rowStatement<{ readonly settings: string; readonly plan: string }>(
    db,
    'SELECT settings, plan FROM replay_jobs ORDER BY id DESC LIMIT ?',
  ).all(RECENT_REPLAYS)
  return readRows(rows, (row) => {
    const { to, handlerId } = jsonOf('replay_jobs.settings', row.settings)
    return { to, handlerId, hooks: Object.keys(jsonOf('replay_jobs.plan', row.plan).targets) }
  })
}
