/** Reads a delivery that a run received, and describes it for people. */
import { timeWords } from '../../shared/flow-diagram/words.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { FlowArrived, FlowFacts, FlowResponse } from '../../shared/model/flow-run.ts'
import type { Fault } from '../../shared/model/notification.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { counted } from '../../shared/text/english.ts'
import type { ReceivedDelivery } from '../base/event-hub.ts'
import type { Store } from '../store/store.ts'
import { fieldAt } from '../sandbox/payload-paths.ts'

export interface Arrival {
  readonly row: ReceivedDelivery
  readonly receivedIndex: number
  readonly businessAt: number
  readonly body: Uint8Array
  /** Parsed body; undefined if it isn't JSON. */
  readonly payload: unknown
  readonly schemaFailures: readonly string[]
  readonly attempt: number
  readonly duplicateOf: string | null
  /** Name that the flow gives to the hook. */
  readonly hook: string
  readonly event: string
  /** Reason for an invalid signature or stale timestamp. */
  readonly cause: string | null
  /** Index of the step that expected it; null if none did. */
  expectedBy: number | null
  /** `null` until it was sent. */
  receiverResponse: FlowResponse | null
  readonly headers: Delivery['headers']
  /** `null` without a handler. */
  handlerResponse: Promise<FlowResponse> | null
}

/** Stored delivery that wasn't read yet, with the fault of the last trigger. */
type UnreadDelivery = Pick<Arrival, 'row' | 'hook' | 'event' | 'receivedIndex' | 'businessAt'> & {
  readonly fault: Fault | null
}

/** Time in milliseconds to wait until a repeated delivery's attempt number is known. */
const ATTEMPT_PATIENCE_MS = 30_000

export async function readArrival(
  store: Pick<Store, 'read' | 'settled'>,
  unread: UnreadDelivery,
  earlier: readonly Arrival[],
): Promise<Arrival> {
  const { fault, ...details } = unread
  const { row, event, hook } = details
  const { bytes } = await store.read('body', { seq: row.seq, offset: 0, length: row.bodySize })
  const parsed = parseBody(bytes)
  const { failures } = checkPayload(event, bytes)
  // A retry or duplicate repeats a body of the same hook.
  const isRepeated = earlier.some(
    (arrival) => arrival.hook === hook && Buffer.compare(arrival.body, bytes) === 0,
  )
  if (isRepeated) await store.settled(ATTEMPT_PATIENCE_MS)
  const { headers, attempt, duplicateOf } = await store.read('get', row.id)
  return {
    ...details,
    body: bytes,
    payload: parsed.ok ? parsed.value : undefined,
    schemaFailures: failures.map(({ message }) => message),
    ...(isRepeated ? { attempt, duplicateOf } : { attempt: 1, duplicateOf: null }),
    cause: causeOf(row, fault, headers),
    expectedBy: null,
    receiverResponse: null,
    headers,
    handlerResponse: null,
  }
}

const forgeryWords: Partial<Record<Fault, string>> = {
  'wrong-secret': 'signed with another secret',
  'altered-body': 'body changed after signing',
  'single-pass': 'hashed once, not twice',
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Formats a duration, in minutes up to two hours. */
function minutesText(ms: number): string {
  return ms < 2 * HOUR_MS ? counted(Math.round(ms / MINUTE_MS), 'minute') : timeWords(ms)
}

function timestampIn(headers: Delivery['headers']): number | null {
  const value = headers.find(([name]) => /^x-.+-timestamp$/i.test(name))?.[1] ?? ''
  return /^\d{1,16}$/.test(value) ? Number(value) : null
}

function causeOf(
  { verdict, freshness, receivedAt }: ReceivedDelivery,
  fault: Fault | null,
  headers: Delivery['headers'],
): string | null {
  if (verdict === 'unsigned') return 'no signature'
  if (verdict === 'unknown-hook') return 'no hook has this path'
  if (verdict === 'invalid')
    return (
      (fault === null ? undefined : forgeryWords[fault]) ??
      "signature doesn't match the hook's secret"
    )
  if (freshness === 'fresh') return null
  const signedAt = timestampIn(headers)
  if (freshness === 'missing' || signedAt === null) return 'no timestamp'
  const age = Date.parse(receivedAt) - signedAt
  return age > 0
    ? `signed ${minutesText(age)} before receipt`
    : `signed ${minutesText(-age)} after receipt`
}

function textAt(payload: unknown, path: string): string | null {
  const value = fieldAt(payload, path)
  return typeof value === 'string' && value !== '' ? value : null
}

function numberAt(payload: unknown, path: string): number | null {
  const value = fieldAt(payload, path)
  return typeof value === 'number' ? value : null
}

/** Reads the facts that a step shows about a payload, or null. */
function factsOf(payload: unknown): FlowFacts | null {
  const cardPrefix = fieldAt(payload, 'card') === undefined ? '' : 'card.'
  const facts: FlowFacts = {
    amount: numberAt(payload, 'amount'),
    cashback: numberAt(payload, 'offer.cashback'),
    fee: numberAt(payload, 'offer.performanceFee'),
    currency: textAt(payload, 'currency'),
    scheme: textAt(payload, `${cardPrefix}scheme`),
    lastNumbers: textAt(payload, `${cardPrefix}lastNumbers`),
    status: textAt(payload, 'status'),
  }
  return Object.values(facts).every((value) => value === null) ? null : facts
}

export function arrivedOf({ row, cause, attempt, duplicateOf, payload }: Arrival): FlowArrived {
  return {
    verdict: row.verdict,
    freshness: row.freshness,
    cause,
    attempt,
    duplicateOf,
    facts: factsOf(payload),
  }
}
