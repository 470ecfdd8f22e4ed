/** Reads one send with its request and response. */
import { isShortId } from '../../shared/model/delivery-ref.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { ReplayEdits, SendAnswer } from '../../shared/model/send.ts'
import { jsonOf, readRow } from './rows.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import { columnsFor } from './tables.ts'
import {
  type SendRow,
  readUnfinishedReplay,
  unrecordedSends,
  sendsOfReplay,
  SEND_COLUMNS,
  SEND_SOURCE,
  toSend,
  replayEdits,
} from './sends.ts'
import { onlyMatch } from './find-delivery.ts'

type SendWithAnswerRow = SendRow & {
  readonly headers: string | null
  readonly body: Uint8Array | null
  readonly truncated: number
  readonly deliverySeq: number
  readonly sentMethod: string | null
  readonly sentHeaders: string | null
}

export interface StoredSend extends Omit<SendAnswer, 'request'> {
  readonly deliverySeq: number
  readonly hasOwnBody: boolean
  readonly set: ReplayEdits['set']
  readonly sent: { readonly method: string; readonly headers: RawHeaders } | null
}

/** Returns the full id of a replay. Throws `NOT_FOUND`. */
function wholeReplayId(db: ReadableDb, ref: string): string {
  if (!isShortId(ref)) return ref
  const text = ref.toLowerCase()
  const matches = columnStatement<string>(
    db,
    `SELECT id FROM replay_jobs WHERE substr(id, 1, length(@text)) = @text OR substr(id, -length(@text)) = @text LIMIT 6`,
  ).all({ text })
  return onlyMatch(matches, ref, 'replays') ?? ref
}

/** Returns a send without a row, or undefined. */
function openSend(db: ReadableDb, replayId: string, position: number): StoredSend | undefined {
  const replay = readUnfinishedReplay(db, replayId)
  const [send] = replay === null ? [] : unrecordedSends(db, replay, replay.seqs, [position])
  return replay === null || send === undefined
    ? undefined
    : {
        ...send,
        headers: [],
        base64: '',
        truncated: false,
        deliverySeq: replay.seqs[position - 1] ?? 0,
        hasOwnBody: false,
        set: undefined,
        sent: null,
      }
}

/** Reads `REPLAY.POSITION`, or a replay's single send. Throws `NOT_FOUND`. */
export function readSend(db: ReadableDb, id: string): StoredSend {
  const [, replay = id, number] = /^(.*)\.(\d+)$/.exec(id) ?? []
  const replayId = wholeReplayId(db, replay)
  if (
    number === undefined &&
    sendsOfReplay(db, { replayId, after: 0, limit: 2, show: 'all' }).length === 2
  )
    throw new AppError(
      'NOT_FOUND',
      `Replay ${id} has several sends. Add the number of one, for example ${id}.1.`,
      { details: { replayId } },
    )
  const position = Number(number ?? 1)
  const row = rowStatement<SendWithAnswerRow>(
    db,
    `SELECT ${SEND_COLUMNS}, ${columnsFor('s', ['headers', 'body', 'truncated', 'deliverySeq', 'sentMethod', 'sentHeaders'])}
     FROM ${SEND_SOURCE} WHERE s.job_id = ? AND s.position = ?`,
  ).get(replayId, position)
  if (row === undefined) {
    const open = openSend(db, replayId, position)
    if (open !== undefined) return open
    throw new AppError('NOT_FOUND', `Send ${id} not found. List the sends of its delivery.`)
  }
  return readRow(
    `Send ${id}`,
    row,
    ({ headers, body, truncated, deliverySeq, sentMethod, sentHeaders, ...send }) => ({
      ...toSend(send),
      headers: headers === null ? [] : jsonOf('sends.headers', headers),
      base64: Buffer.from(body ?? new Uint8Array()).toString('base64'),
      truncated: truncated === 1,
      deliverySeq,
      hasOwnBody: send.hasBody === 1,
      set: replayEdits(send)?.set,
      sent:
        sentMethod === null || sentHeaders === null
          ? null
          : { method: sentMethod, headers: jsonOf('sends.sent_headers', sentHeaders) },
    }),
  )
}
