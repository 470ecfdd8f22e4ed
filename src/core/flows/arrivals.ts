/**
 * Deliveries that arrived in a run, in order, each with its verification result and the step that claimed it. Unclaimed deliveries
 * are strays.
 */
import type { Delivery, DeliveryRow } from '../../shared/model/delivery.ts'
import type { FlowArrived, FlowFacts, FlowResponse } from '../../shared/model/flow-run.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import { labelOf } from '../../shared/model/outcomes.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, NO_RESPONSE_IN_TIME } from '../../shared/service/limits.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { counted } from '../../shared/text/counted.ts'
import { timeWords } from '../../shared/flow-diagram/words.ts'
import type { Store } from '../store/store.ts'
import { fieldAt } from './references.ts'

export interface Arrival {
  readonly row: DeliveryRow
  /** Position among all arrivals, from 0. */
  readonly place: number
  readonly businessAt: number
  readonly body: Uint8Array
  /** Parsed body; undefined if it isn't JSON. */
  readonly payload: unknown
  /** Schema errors of the body. */
  readonly schemaFailures: readonly string[]
  /** The attempt number, or the acknowledged delivery that this one duplicates. */
  readonly attempt: number
  readonly duplicateOf: string | null
  /** The run's hook that received it, by its name in the flow, and that hook's event. */
  readonly hook: string
  readonly event: string
  /** Why its signature is invalid or its timestamp stale; null if neither. */
  readonly cause: string | null
  /** The index of the step that claimed it. */
  claimedBy: number | null
  /** The receiver's response; null until it was sent. */
  response: FlowResponse | null
}

/** A delivery just stored by the receiver. */
export interface SeenRow {
  readonly row: DeliveryRow
  readonly hook: string
  readonly event: string
  readonly place: number
  readonly businessAt: number
  /** The fault of the last trigger. */
  readonly fault: Fault | null
}

export type ArrivalReader = ReturnType<typeof createArrivalReader>

/** How long to wait until a delivery's place among its attempts is known. On a busy machine this takes more than a moment. */
const PLACE_PATIENCE_MS = 30_000

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}

export function createArrivalReader(store: Pick<Store, 'read' | 'settled'>) {
  /**
   * The attempt number or the duplicated delivery, from the list's row. Only a body already seen on the same hook can be either.
   */
  async function placeAmong(
    row: DeliveryRow,
    hook: string,
    body: Uint8Array,
    earlier: readonly Arrival[],
  ) {
    const isFirst = !earlier.some(
      (arrival) => arrival.hook === hook && Buffer.compare(arrival.body, body) === 0,
    )
    if (isFirst) return { attempt: 1, duplicateOf: null }
    await store.settled(PLACE_PATIENCE_MS)
    const { attempt, duplicateOf } = await store.read('get', row.id)
    return { attempt, duplicateOf }
  }

  return {
    /** Loads a stored delivery. */
    async read(
      { row, hook, event, place, businessAt, fault }: SeenRow,
      earlier: readonly Arrival[],
    ): Promise<Arrival> {
      const { bytes } = await store.read('body', { seq: row.seq, offset: 0, length: row.bodySize })
      const { failures } = checkPayload(event, bytes)
      const isDated =
        row.verdict === 'valid' && (row.freshness === 'stale' || row.freshness === 'future')
      const headers = isDated ? (await store.read('get', row.id)).headers : []
      return {
        row,
        place,
        businessAt,
        body: bytes,
        payload: parse(bytes),
        schemaFailures: failures.map(({ message }) => message),
        ...(await placeAmong(row, hook, bytes, earlier)),
        hook,
        event,
        cause: causeOf(row, fault, headers),
        claimedBy: null,
        response: null,
      }
    },
  }
}

// What is known about a delivery, for people.

const forgeryWords: Partial<Record<Fault, string>> = {
  'wrong-secret': 'signed with another secret',
  'altered-body': 'body changed after signing',
  'single-pass': 'hashed once, not twice',
}

/** A duration in whole minutes, up to two hours. */
function minutesText(ms: number): string {
  return ms < 7_200_000 ? counted(Math.round(ms / 60_000), 'minute') : timeWords(ms)
}

function timestampIn(headers: Delivery['headers']): number | null {
  const value = headers.find(([name]) => /^x-.+-timestamp$/i.test(name))?.[1] ?? ''
  return /^\d{1,16}$/.test(value) ? Number(value) : null
}

function causeOf(
  { verdict, freshness, receivedAt }: DeliveryRow,
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

function text(payload: unknown, path: string): string | null {
  const value = fieldAt(payload, path)
  return typeof value === 'string' && value !== '' ? value : null
}

function number(payload: unknown, path: string): number | null {
  const value = fieldAt(payload, path)
  return typeof value === 'number' ? value : null
}

/** Null if it is a payload without any. */
function factsOf(payload: unknown): FlowFacts | null {
  const holder = fieldAt(payload, 'card') === undefined ? '' : 'card.'
  const facts: FlowFacts = {
    amount: number(payload, 'amount'),
    cashback: number(payload, 'offer.cashback'),
    fee: number(payload, 'offer.performanceFee'),
    currency: text(payload, 'currency'),
    scheme: text(payload, `${holder}scheme`),
    lastNumbers: text(payload, `${holder}lastNumbers`),
    status: text(payload, 'status'),
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

/** What the receiver did with a request; `status` is null if it sent no response. */
export interface ReceiverAnswer {
  readonly status: number | null
  readonly ms: number
}

/** `isHeld`: the flow leaves it without a response. `isAcknowledged`: whether the service counts that status as received. */
export function receiverResponse(
  { status, ms }: ReceiverAnswer,
  isHeld: boolean,
  isAcknowledged: (status: number) => boolean,
): FlowResponse {
  const by = 'receiver' as const
  if (status !== null)
    return {
      by,
      kind: 'status',
      status,
      ms,
      error: null,
      acknowledged: isAcknowledged(status),
      sendId: null,
    }
  const none = { by, status: null, acknowledged: false, sendId: null }
  // As fast as possible, these 20 seconds are sandbox time.
  if (isHeld || ms >= ACKNOWLEDGE_TIMEOUT_MS)
    return {
      ...none,
      kind: 'timeout',
      ms: Math.max(ms, ACKNOWLEDGE_TIMEOUT_MS),
      error: `${labelOf({ word: NO_RESPONSE_IN_TIME })}.`,
    }
  return { ...none, kind: 'dropped', ms, error: 'The connection was closed without a response.' }
}
