/** Columns of a delivery. A model field without a column doesn't compile. */
import type {
  Delivery,
  DeliveryRow,
  HandlerResponse,
  LastReplay,
  OwnResponse,
} from '../../shared/model/delivery.ts'
import { IS_FORGED, LAST_REPLAY } from './handler-responses.ts'
import { jsonOf, jsonSql, readRows, valueOf } from './rows.ts'
import { columnOf, columnsFor } from './tables.ts'

/** Fields, with those in `Forms` stored in another form. */
type Stored<Fields, Forms> = Omit<Fields, keyof Forms> & Forms

export type StoredRow = Stored<
  Omit<DeliveryRow, 'answer' | 'handler' | 'flowRun'>,
  {
    /** Milliseconds since the epoch. */
    readonly receivedAt: number
    readonly malformed: string | null
    readonly truncated: number
    /** JSON array. */
    readonly eventCandidates: string
    /** Origin, null for deliveries that were received here. */
    readonly origin: Exclude<DeliveryRow['origin'], 'received'> | null
    readonly verifiedHere: number
    readonly pinned: number | null
    readonly answerStatus: number | null
    readonly answerMs: number | null
    readonly handlerOutcome: HandlerResponse['outcome'] | null
    readonly handlerName: string | null
    readonly handlerTarget: string | null
    readonly handlerSend: string | null
    readonly handlerAt: number | null
    readonly handlerStatus: number | null
    readonly handlerMs: number | null
    readonly handlerError: string | null
    readonly handlerForged: number | null
    readonly flowName: string | null
    readonly flowRunId: string | null
    readonly flowStep: string | null
    /** JSON, with the time in milliseconds. */
    readonly lastReplay: string | null
  }
>

export type StoredDelivery = StoredRow &
  Stored<
    Omit<Delivery, keyof DeliveryRow | 'bodyAltered' | 'hookDeleted'>,
    {
      /** JSON array of pairs. */
      readonly headers: string
      /** JSON array of pairs; null without trailers. */
      readonly trailers: string | null
      readonly bodyLost: number
      readonly last4: string | null
      /** Milliseconds since the epoch. */
      readonly judgedAt: number | null
      /** JSON. */
      readonly response: string | null
    }
  >

/** Bytes of a body above which it isn't searched for the card's last digits. */
const MAX_READ_BYTES = 65_536
/** Characters above which a value isn't a card's last digits. */
const MAX_LAST4_LENGTH = 200

/** Bytes of a malformed request that a row shows. */
const FIRST_BYTES = 16

/** Captured fields that a list shows. */
const LISTED = [
  ...(['seq', 'id', 'receivedAt', 'method', 'path', 'malformed', 'bodySize', 'truncated'] as const),
  ...(['event', 'eventSource', 'hookId', 'environment', 'mode', 'verdict', 'freshness'] as const),
] satisfies readonly (keyof StoredRow)[]
const UNLISTED = ['httpVersion', 'headers', 'trailers', 'bodySha256', 'replayOf', 'remote'] as const
const CAPTURED = [...LISTED, ...UNLISTED]

/** Fields, of which nullable ones may be missing. */
type NullAsMissing<Fields> = {
  [K in keyof Fields as null extends Fields[K] ? never : K]: Fields[K]
} & { [K in keyof Fields as null extends Fields[K] ? K : never]?: Fields[K] }

/** Captured delivery without its body. */
export type CapturedDelivery = Omit<Pick<StoredRow, (typeof LISTED)[number]>, 'truncated'> &
  NullAsMissing<Pick<StoredDelivery, (typeof UNLISTED)[number]>> & {
    readonly truncated: boolean
    /** Short hash that identifies the notification, or null. */
    readonly notificationKey: number | null
  }

/** SQL of fields from tables that `ROW_SOURCE` joins. */
const joinedFields = {
  pinned: 'm.pinned',
  note: 'm.note',
  handlerOutcome: 'r.outcome',
  handlerName: 'h.name',
  handlerTarget: 's.target',
  handlerSend: "s.job_id || '.' || s.position",
  handlerAt: 's.started_at',
  handlerStatus: 's.status',
  handlerMs: 's.ms',
  handlerError: 's.error_kind',
  handlerForged: IS_FORGED,
  flowName: 'f.flow',
  flowRunId: 'f.run_id',
  flowStep: 'f.step',
  amount: 't.amount',
  currency: 't.currency',
  merchant: 't.merchant',
  name: 'q.name',
  schemaErrors: 't.schema_errors',
  cause: 'c.cause',
  signatureAgeMs: `CASE WHEN d.freshness IN ('stale', 'future') THEN (
    SELECT d.received_at - CAST(value ->> 1 AS INTEGER) AS age FROM json_each(${jsonSql('d.headers', '[]')})
    WHERE lower(value ->> 0) GLOB 'x-*-timestamp' AND ltrim(value ->> 1, '-') NOT GLOB '*[^0-9]*'
      AND (age > 0) = (d.freshness = 'stale') LIMIT 1) END`,
  firstBytes: `CASE WHEN d.malformed IS NOT NULL AND d.method IS NULL THEN
    (SELECT lower(hex(substr(bytes, 1, ${FIRST_BYTES}))) FROM bodies WHERE seq = d.seq AND length(bytes) > 0) END`,
  lastReplay: LAST_REPLAY,
} as const satisfies Partial<Record<keyof StoredRow, string>>

/** Fields of `deliveries` that are filled after the capture. */
const FILLED_LATER = [
  ...(['eventCandidates', 'attempt', 'attemptOf', 'duplicateOf', 'schema'] as const),
  ...(['answerStatus', 'answerMs', 'origin', 'verifiedHere'] as const),
] satisfies readonly (keyof StoredRow)[]

export const SEARCHED_COLUMNS = [...CAPTURED, ...FILLED_LATER].map(columnOf)

/** SQL of fields that only a whole delivery has. */
const wholeFields = {
  // The receiver keeps the start of what it truncates.
  bodyLost:
    'CASE WHEN d.truncated = 1 AND d.body_size > 0 THEN (SELECT length(bytes) = 0 FROM bodies WHERE seq = d.seq) ELSE 0 END',
  // Payloads of sections 2.3 and 2.6.
  last4: `(SELECT coalesce(${['$.card.lastNumbers', '$.lastNumbers']
    .map((path) => `CASE WHEN json_type(t, '${path}') = 'text' THEN t ->> '${path}' END`)
    .join(
      ', ',
    )}) FROM (SELECT CAST(bytes AS TEXT) AS t FROM bodies WHERE seq = d.seq AND length(bytes) < ${MAX_READ_BYTES})
    WHERE json_valid(t))`,
  judgedAt: 'd.judged_at',
  response: '(SELECT content FROM responses WHERE key = d.response)',
} as const satisfies Record<
  Exclude<keyof StoredDelivery, keyof StoredRow | (typeof CAPTURED)[number]>,
  string
>

export const ROW_SOURCE = `deliveries d LEFT JOIN marks m ON m.seq = d.seq
  LEFT JOIN handler_responses r ON r.seq = d.seq LEFT JOIN sends s ON s.seq = r.send_seq
  LEFT JOIN handlers h ON h.seq = s.handler
  LEFT JOIN flow_deliveries f ON f.seq = d.seq LEFT JOIN composed q ON q.seq = d.seq
  LEFT JOIN details t ON t.seq = d.seq LEFT JOIN causes c ON c.seq = d.seq`
const selected = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns).map(([field, column]) => `${column} AS ${field}`)
/** Columns of `ROW_SOURCE` for a `StoredRow`. */
export const ROW_COLUMNS = [
  columnsFor('d', [...LISTED, ...FILLED_LATER]),
  ...selected(joinedFields),
].join(', ')
/** Columns of `ROW_SOURCE` for a `StoredDelivery`. */
export const ALL_COLUMNS = [ROW_COLUMNS, columnsFor('d', UNLISTED), ...selected(wholeFields)].join(
  ', ',
)

const INSERTED = [
  ...CAPTURED,
  'notificationKey',
] as const satisfies readonly (keyof CapturedDelivery)[]
/** SQL for the values of `capturedValues`. */
export const INSERT_CAPTURED = `INSERT INTO deliveries (${INSERTED.map(columnOf).join(', ')}) VALUES (${INSERTED.map(() => '?').join(', ')})`

export function capturedValues(delivery: CapturedDelivery): (string | number | null)[] {
  return INSERTED.map((field) => {
    const value = delivery[field] ?? null
    return typeof value === 'boolean' ? Number(value) : value
  })
}

function toHandler(stored: StoredRow): HandlerResponse | null {
  const { handlerOutcome: outcome, handlerTarget: target, handlerSend: sendId } = stored
  // A repair may have lost the send.
  if (outcome === null || target === null || sendId === null) return null
  return {
    name: stored.handlerName,
    target,
    sendId,
    at: stored.handlerAt === null ? null : new Date(stored.handlerAt).toISOString(),
    status: stored.handlerStatus,
    ms: stored.handlerMs,
    timedOut: stored.handlerError === 'timeout',
    signed: stored.handlerForged !== 1,
    outcome,
  }
}

function toLastReplay(text: string): LastReplay {
  const { at, fixed, ...replay } = JSON.parse(text) as Omit<LastReplay, 'at' | 'fixed'> & {
    readonly at: number
    readonly fixed: number
  }
  return { ...replay, at: new Date(at).toISOString(), fixed: fixed === 1 }
}

export function toRow(stored: StoredRow): DeliveryRow {
  const { flowName: flow, flowRunId: run } = stored
  return {
    seq: stored.seq,
    id: stored.id,
    receivedAt: new Date(valueOf('deliveries.received_at', stored.receivedAt)).toISOString(),
    method: stored.method,
    path: stored.path,
    malformed: stored.malformed === null ? null : { reason: stored.malformed },
    bodySize: valueOf('deliveries.body_size', stored.bodySize),
    truncated: stored.truncated === 1,
    event: stored.event,
    eventSource: stored.eventSource,
    eventCandidates:
      stored.eventCandidates === '[]'
        ? []
        : jsonOf('deliveries.event_candidates', stored.eventCandidates),
    hookId: stored.hookId,
    environment: stored.environment,
    mode: valueOf('deliveries.mode', stored.mode),
    verdict: valueOf('deliveries.verdict', stored.verdict),
    freshness: valueOf('deliveries.freshness', stored.freshness),
    attempt: stored.attempt,
    attemptOf: stored.attemptOf,
    duplicateOf: stored.duplicateOf,
    schema: valueOf('deliveries.schema', stored.schema),
    answer: { status: stored.answerStatus, ms: stored.answerMs },
    origin: stored.origin ?? 'received',
    verifiedHere: stored.verifiedHere === 1,
    handler: toHandler(stored),
    flowRun: flow === null || run === null ? null : { flow, run, step: stored.flowStep },
    amount: stored.amount,
    currency: stored.currency,
    merchant: stored.merchant,
    name: stored.name,
    schemaErrors: stored.schemaErrors,
    cause: stored.cause,
    signatureAgeMs: stored.signatureAgeMs,
    firstBytes: stored.firstBytes,
    lastReplay: stored.lastReplay === null ? null : toLastReplay(stored.lastReplay),
    pinned: stored.pinned === 1,
    note: stored.note,
  }
}

/** Parses the receiver's response; null if it is damaged, so that the delivery stays readable. */
function responseOf(text: string): OwnResponse | null {
  return readRows([text], (content) => jsonOf('responses.content', content))[0] ?? null
}

export function toDelivery(stored: StoredDelivery): Delivery {
  return {
    ...toRow(stored),
    httpVersion: stored.httpVersion,
    headers: jsonOf('deliveries.headers', stored.headers),
    trailers: jsonOf('deliveries.trailers', stored.trailers ?? '[]'),
    bodySha256: stored.bodySha256,
    bodyLost: stored.bodyLost === 1,
    bodyAltered: false,
    replayOf: stored.replayOf,
    last4: (stored.last4?.length ?? 0) > MAX_LAST4_LENGTH ? null : stored.last4,
    remote: stored.remote,
    judgedAt: stored.judgedAt === null ? null : new Date(stored.judgedAt).toISOString(),
    response: stored.response === null ? null : responseOf(stored.response),
  }
}
