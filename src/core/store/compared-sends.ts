/** Reads recorded responses for a comparison. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Send } from '../../shared/model/send.ts'
import {
  originalPosition,
  readRepeats,
  endpointAt,
  sideAt,
  sidesOf,
  type ReplaySide,
} from './replay-sides.ts'
import { readReplay } from './replays.ts'
import { handlerSeq } from './handlers.ts'
import { jsonOf } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import { columnsFor } from './tables.ts'

export interface RecordedSend extends Pick<
  Send,
  'replayId' | 'position' | 'status' | 'ms' | 'errorKind' | 'error'
> {
  readonly deliveryId: string
  readonly event: string | null
  readonly state: 'settled' | 'not-sent'
  readonly passed: boolean | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
  /** Headers of the request, whose values its response may repeat. */
  readonly sentHeaders: RawHeaders
}

/** Send of a comparison. */
export interface ComparedSend extends RecordedSend {
  /** Number of the delivery in the replay, from 0. */
  readonly index: number
  readonly side: ReplaySide
}

type SendRow = Omit<RecordedSend, 'passed' | 'headers' | 'body' | 'truncated' | 'sentHeaders'> & {
  readonly deliverySeq: number
  readonly passed: number | null
  readonly headers: string | null
  readonly body: Uint8Array | null
  readonly truncated: number
  readonly sentHeaders: string | null
}

const COLUMNS = `${columnsFor('s', [
  ...['position', 'deliverySeq', 'state', 'status', 'ms', 'errorKind', 'error'],
  ...['passed', 'headers', 'body', 'truncated', 'sentHeaders'],
])}, s.job_id AS replayId, d.id AS deliveryId, d.event`
const SOURCE = 'sends s JOIN deliveries d ON d.seq = s.delivery_seq'

function toRecorded({ deliverySeq: _, ...row }: SendRow): RecordedSend {
  return {
    ...row,
    passed: row.passed === null ? null : row.passed === 1,
    headers: row.headers === null ? [] : jsonOf('sends.headers', row.headers),
    body: row.body ?? new Uint8Array(),
    truncated: row.truncated === 1,
    sentHeaders: row.sentHeaders === null ? [] : jsonOf('sends.sent_headers', row.sentHeaders),
  }
}

export interface ComparedSendsPage {
  readonly replayId: string
  /** Position after which to continue. */
  readonly after: number
  readonly limit: number
}

/** Reads the ended sends of a comparison, in order of position. */
export function readComparedSends(
  db: ReadableDb,
  { replayId, after, limit }: ComparedSendsPage,
): ComparedSend[] {
  return db.transaction(() => {
    const replay = readReplay(db, replayId)
    const rows = rowStatement<SendRow>(
      db,
      `SELECT ${COLUMNS} FROM ${SOURCE}
       WHERE s.job_id = ? AND s.position > ? AND s.state IN ('settled', 'not-sent') ORDER BY s.position LIMIT ?`,
    ).all(replayId, after, limit)
    const repeats = readRepeats(db, replay, rows.at(-1)?.position ?? 0)
    return rows.map((row): ComparedSend => {
      const origin = originalPosition(replay, repeats, row.position)
      const index = Math.floor((origin - 1) / sidesOf(replay))
      return { ...toRecorded(row), index, side: sideAt(replay, origin) }
    })
  })()
}

/**
 * Finds the last response to each delivery before a replay, from the same saved handler or target,
 * with the same changes. Deliveries without one are left out.
 */
export function readPreviousSends(
  db: ReadableDb,
  { replayId, ids }: { readonly replayId: string; readonly ids: readonly string[] },
): RecordedSend[] {
  const replay = readReplay(db, replayId)
  const { target, handlerId } = endpointAt(replay, 'own', null)
  const find = rowStatement<SendRow>(
    db,
    `SELECT ${COLUMNS} FROM ${SOURCE} WHERE ${PREVIOUS} AND s.job_id <> @replayId ORDER BY s.started_at DESC, s.seq DESC LIMIT 1`,
  )
  const seqOf = columnStatement<number>(db, 'SELECT seq FROM deliveries WHERE id = ?')
  const handler = handlerOf(db, handlerId, target)
  return ids.flatMap((id) => {
    const row = find.get({
      ...{ replayId, target, handler, seq: seqOf.get(id), variant: replay.plan.variant },
      before: replay.createdAt,
    })
    return row === undefined ? [] : [toRecorded(row)]
  })
}

const PREVIOUS = `s.delivery_seq = @seq AND s.state = 'settled' AND s.passed IS NOT NULL AND s.tamper IS NULL
  AND s.variant IS @variant AND s.started_at < @before AND (s.target = @target OR s.handler = @handler)`

function handlerOf(db: ReadableDb, handlerId: string | null, target: string | null) {
  return columnStatement<number | null>(db, `SELECT ${handlerSeq('?', '?')}`).get(
    handlerId ?? '',
    target ?? '',
  )
}

export interface EarlierResponses {
  readonly seqs: readonly number[]
  readonly target: string
  readonly handlerId: string | null
  readonly variant: string | null
  /** In milliseconds since the epoch. */
  readonly before: number
}

/** Whether any of the deliveries has a response for `readPreviousSends`. */
export function hasPreviousSend(db: ReadableDb, input: EarlierResponses): boolean {
  const { seqs, target, handlerId, variant, before } = input
  const handler = handlerOf(db, handlerId, target)
  const find = columnStatement<number>(db, `SELECT 1 FROM sends s WHERE ${PREVIOUS} LIMIT 1`)
  return seqs.some((seq) => find.get({ seq, target, handler, variant, before }) !== undefined)
}

export function readDeliveryIds(db: ReadableDb, seqs: readonly number[]): string[] {
  return columnStatement<string>(
    db,
    'SELECT id FROM deliveries WHERE seq IN (SELECT value FROM json_each(?))',
  ).all(JSON.stringify(seqs))
}
