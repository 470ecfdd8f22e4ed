/** Lists sends, also those of a replay that have no row yet. */
import { systemClock } from '../base/system-clock.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { ReplayEdits, Send, SendsShown } from '../../shared/model/send.ts'
import { EXPECTED } from './handler-responses.ts'
import { handlerSeq } from './handlers.ts'
import {
  findReplay,
  isAliveAt,
  listOpenReplays,
  readReplaySeqs,
  unrecordedPositions,
  type StoredReplay,
} from './replays.ts'
import { endpointAt, originalPosition, readRepeats, sideAt } from './replay-sides.ts'
import { jsonOf, jsonSql, readRows } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import { columnsFor } from './tables.ts'

export type SendRow = Omit<Send, 'id' | 'edited' | 'startedAt' | 'phases' | 'validPassed'> & {
  readonly startedAt: number | null
  readonly phases: string | null
  readonly validPassed: number | null
  /** JSON of a replay's settings if it edits requests. */
  readonly settings: string | null
  readonly hasBody: number
}

/** SQL of whether the last valid send before a forged one was acknowledged. */
const VALID_PASSED = `CASE WHEN s.state = 'settled' AND (s.tamper IS NOT NULL OR s.variant IS NOT NULL) THEN
  (SELECT b.passed FROM sends b INDEXED BY sends_settled
   WHERE b.delivery_seq = s.delivery_seq AND (b.started_at, b.seq) < (s.started_at, s.seq) AND b.target = s.target
     AND b.tamper IS NULL AND b.variant IS CASE WHEN s.tamper IS NULL THEN NULL ELSE s.variant END
     AND b.state = 'settled' AND b.passed IS NOT NULL
   ORDER BY b.started_at DESC, b.seq DESC LIMIT 1) END`

const OWN_COLUMNS = columnsFor('s', [
  ...['position', 'registeredUrl', 'tamper', 'kind', 'tries', 'state', 'startedAt'],
  ...['status', 'ms', 'phases', 'errorKind', 'error', 'outcome', 'certificateProblem'],
])
export const SEND_COLUMNS = `${OWN_COLUMNS}, s.job_id AS replayId, d.id AS deliveryId, h.name AS handler, ${VALID_PASSED} AS validPassed, ${EXPECTED} AS expected,
  CASE WHEN s.kind = 'forward' AND s.state = 'waiting' THEN coalesce(
    (SELECT json_extract(${jsonSql('f.settings', '{}')}, '$.url') FROM forward_targets f WHERE f.id = s.job_id), s.target) ELSE s.target END AS target,
  CASE WHEN s.variant IS NULL THEN NULL ELSE j.settings END AS settings, j.body IS NOT NULL AS hasBody`
export const SEND_SOURCE =
  'sends s JOIN deliveries d ON d.seq = s.delivery_seq LEFT JOIN replay_jobs j ON j.id = s.job_id LEFT JOIN handlers h ON h.seq = s.handler'

export function replayEdits({ settings }: Pick<SendRow, 'settings'>): ReplayEdits | null {
  return settings === null ? null : jsonOf('replay_jobs.settings', settings).edits
}

export function toSend({ settings, hasBody, ...row }: SendRow): Send {
  const edits = replayEdits({ settings })
  const edited = edits === null ? [] : editedParts(edits, hasBody === 1)
  const isCompared = row.validPassed !== null && row.expected !== 'acknowledged'
  return {
    ...row,
    id: `${row.replayId}.${row.position}`,
    edited,
    startedAt: row.startedAt === null ? null : new Date(row.startedAt).toISOString(),
    phases: row.phases === null ? null : jsonOf('sends.phases', row.phases),
    validPassed: isCompared ? row.validPassed === 1 : null,
  }
}

/**
 * Reads sends.
 * @param rest - condition and order, in SQL
 */
function readSends(db: ReadableDb, rest: string, ...values: readonly unknown[]): Send[] {
  const rows = rowStatement<SendRow>(
    db,
    `SELECT ${SEND_COLUMNS} FROM ${SEND_SOURCE} WHERE ${rest}`,
  ).all(...values)
  return readRows(rows, toSend)
}

/** Returns sends without a row: pending, in progress or cancelled. */
export function unrecordedSends(
  db: ReadableDb,
  replay: StoredReplay,
  seqs: Float64Array,
  positions: readonly number[],
): Send[] {
  const { tamper, edits } = replay.settings
  const repeats = readRepeats(db, replay, Math.max(0, ...positions))
  const isOver = replay.state === 'cancelled'
  const startedState = isOver && !isAliveAt(replay, systemClock.now()) ? 'uncertain' : 'under-way'
  const pendingState = isOver ? 'cancelled' : 'waiting'
  const handler = columnStatement<string>(
    db,
    `SELECT name FROM handlers WHERE seq = ${handlerSeq('?', '?')}`,
  )
  const delivery = rowStatement<{ id: string; hookId: string | null }>(
    db,
    'SELECT id, hook_id AS hookId FROM deliveries WHERE seq = ?',
  )
  const noResult = {
    registeredUrl: null,
    startedAt: null,
    status: null,
    ms: null,
    phases: null,
    errorKind: null,
    error: null,
    outcome: null,
    validPassed: null,
    expected: 'either' as const,
    certificateProblem: null,
  }
  return positions.flatMap((position): Send[] => {
    const row = delivery.get(seqs[position - 1])
    if (row === undefined) return []
    const side = sideAt(replay, originalPosition(replay, repeats, position))
    const { target, handlerId } = endpointAt(replay, side, row.hookId)
    return [
      {
        ...noResult,
        id: `${replay.id}.${position}`,
        replayId: replay.id,
        position,
        deliveryId: row.id,
        target: target ?? '',
        handler: handler.get(handlerId ?? '', target ?? '') ?? null,
        tamper,
        kind: 'replay',
        tries: 0,
        edited: editedParts(edits, replay.hasBody),
        state: position <= replay.reached ? startedState : pendingState,
      },
    ]
  })
}

const SHOWN_SQL: Readonly<Record<SendsShown, string>> = {
  all: '1',
  failed: "s.outcome IN ('failed', 'still-failing', 'regressed')",
  regressed: "s.outcome = 'regressed'",
  fixed: "s.outcome = 'fixed'",
  'not-sent': "s.state IN ('not-sent', 'cancelled')",
  uncertain: "s.state = 'uncertain'",
}

export interface SendsOfReplay {
  readonly replayId: string
  readonly after: number
  readonly limit: number
  readonly show: SendsShown
}

/** Reads a replay with its deliveries; null once it is done. */
export function readUnfinishedReplay(
  db: ReadableDb,
  id: string,
): (StoredReplay & { readonly seqs: Float64Array }) | null {
  const replay = findReplay(db, id)
  const seqs = replay && readReplaySeqs(db, id)
  return replay && seqs && { ...replay, seqs }
}

/** Lists a replay's sends in order, at one moment. */
export function sendsOfReplay(db: ReadableDb, input: SendsOfReplay): Send[] {
  return db.transaction(() => readSendsOfReplay(db, input))()
}

function readSendsOfReplay(
  db: ReadableDb,
  { replayId, after, limit, show }: SendsOfReplay,
): Send[] {
  const sends = readSends(
    db,
    `s.job_id = ? AND s.position > ? AND ${SHOWN_SQL[show]} ORDER BY s.position LIMIT ?`,
    replayId,
    after,
    limit,
  )
  const replay = show === 'all' || show === 'not-sent' ? readUnfinishedReplay(db, replayId) : null
  if (replay === null || (show === 'not-sent' && replay.state !== 'cancelled')) return sends
  const upTo = sends.length === limit ? sends.at(-1)!.position : replay.sendCount
  // Sends up to `reached` may have been sent.
  const first = show === 'all' ? after : Math.max(after, replay.reached)
  const positions = unrecordedPositions(db, replayId, { after: first, upTo, limit })
  return [...sends, ...unrecordedSends(db, replay, replay.seqs, positions)]
    .toSorted((a, b) => a.position - b.position)
    .slice(0, limit)
}

/** Returns a delivery's pending sends, of the newest replay first. */
function openSends(db: ReadableDb, deliverySeq: number, limit: number): Send[] {
  const recorded = columnStatement<number>(
    db,
    'SELECT position FROM sends WHERE job_id = ? AND delivery_seq = ?',
  )
  const open = listOpenReplays(db).flatMap((replay) => {
    const seqs = readReplaySeqs(db, replay.id)
    if (seqs?.includes(deliverySeq) !== true) return []
    const ended = new Set(recorded.all(replay.id, deliverySeq))
    const positions: number[] = []
    for (let position = seqs.length; position > 0 && positions.length < limit; position--)
      if (seqs[position - 1] === deliverySeq && !ended.has(position)) positions.push(position)
    return unrecordedSends(db, replay, seqs, positions).filter(({ state }) => state !== 'cancelled')
  })
  return open.slice(0, limit)
}

/** Lists a delivery's sends, newest first; pending ones leave half of the list to ended ones. */
export function sendsOfDelivery(
  db: ReadableDb,
  { deliverySeq, limit }: { readonly deliverySeq: number; readonly limit: number },
): Send[] {
  const sends = readSends(db, 's.delivery_seq = ? ORDER BY s.seq DESC LIMIT ?', deliverySeq, limit)
  const room = Math.max(limit - sends.length, Math.ceil(limit / 2))
  const open = openSends(db, deliverySeq, limit)
  const started = open.filter(({ state }) => state !== 'waiting')
  const waiting = open.filter(({ state }) => state === 'waiting')
  return [...waiting.slice(0, room), ...started, ...sends].slice(0, limit)
}

export function sendsOfTarget(
  db: ReadableDb,
  { id, limit }: { readonly id: string; readonly limit: number },
): Send[] {
  return readSends(db, 's.job_id = ? ORDER BY s.position DESC LIMIT ?', id, limit)
}

export function sendsBySeq(db: ReadableDb, seqs: readonly number[]): Send[] {
  return readSends(
    db,
    's.seq IN (SELECT value FROM json_each(?)) ORDER BY s.seq',
    JSON.stringify(seqs),
  )
}
