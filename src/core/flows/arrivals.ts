/**
 * The deliveries of a run: reads each one, forwards it to the developer's endpoint if there is one, and holds it if the flow says
 * so.
 */
import { withScheme } from '../../shared/http.ts'
import { timeWords } from '../../shared/flow-diagram/words.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { FlowArrived, FlowFacts, FlowResponse } from '../../shared/model/flow.ts'
import { labelOf } from '../../shared/model/outcomes.ts'
import { isForged, NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import type { Tamper } from '../../shared/model/send.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  acknowledges,
  NO_RESPONSE_IN_TIME,
} from '../../shared/service/limits.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { counted } from '../../shared/text/counted.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import { createMutex } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { ReceivedDelivery } from '../base/event-hub.ts'
import { signerOf, type EventSigner } from '../hooks/event-signers.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import type { Admitted } from '../outgoing/admit.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { isSendAcknowledged, NOT_CONNECTED, settledSend } from '../outgoing/send.ts'
import { secretKey } from '../signature/sign.ts'
import { packSends, type EndedSend } from '../store/sends.ts'
import type { Store } from '../store/store.ts'
import { fieldAt } from '../sandbox/event-context.ts'

// Deliveries that arrived in a run, in order, each with its verification result and the step that claimed it. Unclaimed
// deliveries are strays.

export interface Arrival {
  readonly row: ReceivedDelivery
  /** Position among all arrivals, from 0. */
  readonly place: number
  readonly businessAt: number
  readonly body: Uint8Array
  /** Parsed body; undefined if it isn't JSON. */
  readonly payload: unknown
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
  readonly headers: Delivery['headers']
  /** Your handler's response; null without one. */
  answer: Promise<FlowResponse> | null
}

/** A delivery just stored by the receiver, and the fault of the last trigger. */
type SeenRow = Pick<Arrival, 'row' | 'hook' | 'event' | 'place' | 'businessAt'> & {
  readonly fault: Fault | null
}

/** How long to wait until a delivery's place among its attempts is known. On a busy machine this takes more than a moment. */
const PLACE_PATIENCE_MS = 30_000

export async function readArrival(
  store: Pick<Store, 'read' | 'settled'>,
  seen: SeenRow,
  earlier: readonly Arrival[],
): Promise<Arrival> {
  const { fault, ...known } = seen
  const { row, event, hook } = known
  const { bytes } = await store.read('body', { seq: row.seq, offset: 0, length: row.bodySize })
  const parsed = parseBody(bytes)
  const { failures } = checkPayload(event, bytes)
  // Only a body already seen on the same hook can be a retry or a duplicate.
  const isAgain = earlier.some(
    (arrival) => arrival.hook === hook && Buffer.compare(arrival.body, bytes) === 0,
  )
  if (isAgain) await store.settled(PLACE_PATIENCE_MS)
  const { headers, attempt, duplicateOf } = await store.read('get', row.id)
  return {
    ...known,
    body: bytes,
    payload: parsed.ok ? parsed.value : undefined,
    schemaFailures: failures.map(({ message }) => message),
    ...(isAgain ? { attempt, duplicateOf } : { attempt: 1, duplicateOf: null }),
    cause: causeOf(row, fault, headers),
    claimedBy: null,
    response: null,
    headers,
    answer: null,
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

function text(payload: unknown, path: string): string | null {
  const value = fieldAt(payload, path)
  return typeof value === 'string' && value !== '' ? value : null
}

function numberAt(payload: unknown, path: string): number | null {
  const value = fieldAt(payload, path)
  return typeof value === 'number' ? value : null
}

/** Null if it is a payload without any. */
function factsOf(payload: unknown): FlowFacts | null {
  const holder = fieldAt(payload, 'card') === undefined ? '' : 'card.'
  const facts: FlowFacts = {
    amount: numberAt(payload, 'amount'),
    cashback: numberAt(payload, 'offer.cashback'),
    fee: numberAt(payload, 'offer.performanceFee'),
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

/** `isHeld`: the flow leaves it without a response. `ack`: which statuses acknowledge a delivery. */
export function receiverResponse(
  { status, ms }: ReceiverAnswer,
  isHeld: boolean,
  ack: '200' | '2xx',
): FlowResponse {
  const by = 'receiver' as const
  if (status !== null)
    return {
      by,
      kind: 'status',
      status,
      ms,
      error: null,
      acknowledged: acknowledges(status, ack),
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

// The developer's endpoint. Each arriving delivery is forwarded to it, re-signed with the endpoint's secret over its registered URL.
// Forged deliveries are forged the same way for it.

export interface HandlerOptions {
  readonly url: string
  /** Instead of the signers' URLs; null for those, or its own. */
  readonly registeredUrl: string | null
  /** The signers that it verifies with, at least one. */
  readonly signers: readonly EventSigner[]
  /** The prefix of its header names. */
  readonly prefix: string
  readonly targetCa: string | null
  /** The saved handler; null or missing if the URL isn't saved. */
  readonly saved?: { readonly id: string; readonly name: string } | null
}

interface HandlerDeps {
  readonly store: Pick<Store, 'write'>
  readonly log: Pick<Log, 'warn'>
  readonly ownSends: OwnSends
  readonly clock: Clock
  /** Prefixes of header names. */
  prefixes(): readonly string[]
}

export type OpenHandler = ReturnType<typeof createHandlerOpener>
export type Handler = ReturnType<OpenHandler>

const tamperOf: Partial<Record<Fault, Tamper>> = {
  'wrong-secret': 'secret',
  'single-pass': 'single-pass',
  stale: 'stale',
  'altered-body': 'body',
}

/**
 * Opens the handler of an admitted run; `ack` says which statuses acknowledge a delivery in its environment. Everything sent to it is
 * stored as a send of its delivery.
 */
export function createHandlerOpener({ store, log, ownSends, clock, prefixes }: HandlerDeps) {
  return (
    { url, registeredUrl, signers, prefix, saved = null }: HandlerOptions,
    { targets, createSender }: Admitted,
    run: { readonly id: string; readonly ack: '200' | '2xx' },
  ) => {
    const target = targets[0]?.href ?? url
    let certificateProblem: string | null = null
    const sender = createSender({
      keepAlive: false,
      onCertificate(problem) {
        certificateProblem = problem
      },
    })
    const signings = signers.map((signer) => ({
      event: signer.event,
      key: secretKey(signer.secret),
      url: registeredUrl ?? signer.url ?? withScheme(url),
      prefix,
      edits: { ...NO_EDITS, setHeaders: Object.entries(signer.headers) },
    }))
    const exclusive = createMutex()
    let sent = 0

    /** The send's id; null if it couldn't be stored, which doesn't stop the run. */
    async function kept(send: EndedSend): Promise<string | null> {
      try {
        const { deliveries } = await store.write('sends', packSends([send]))
        return deliveries.length === 0 ? null : `${send.jobId}.${send.position}`
      } catch (error) {
        log.warn("Couldn't store what a flow sent.", {
          run: run.id,
          reason: (error as Error).message,
        })
        return null
      }
    }

    return {
      url: target,
      /** The saved handler's name; null if the URL isn't saved. */
      name: saved?.name ?? null,
      /** The name of the header with the signature. */
      signatureHeader: headerNames(prefix).signature,
      /** Queues a delivery for the endpoint. Aborting the signal cancels it. */
      send: (
        {
          row: { id, seq },
          event,
          headers: captured,
          body,
        }: Pick<Arrival, 'row' | 'event' | 'headers' | 'body'>,
        fault: Fault | null,
        signal: AbortSignal,
      ) =>
        exclusive(async (): Promise<FlowResponse> => {
          const tamper = fault === null ? null : (tamperOf[fault] ?? null)
          const startedAt = clock.now()
          const signing = signerOf(signings, event)
          const request = outgoingRequest({ headers: captured, body }, signing, {
            tamper,
            edits: signing.edits,
            prefixes: prefixes(),
            wallTime: startedAt,
          })
          const { headers } = request
          const expected = ownSends.expect(request, id)
          const result = await sender
            .send({ url: target, headers, body: request.body, signal })
            .finally(expected.forget)
          const { status, ms, phases, failure } = result
          const acknowledged = isSendAcknowledged(result, run.ack)
          const identity = {
            jobId: run.id,
            position: sent + 1,
            kind: 'flow',
            deliverySeq: seq,
            target,
            handlerId: saved?.id ?? null,
            tamper,
            variant: null,
            forged: isForged({ tamper, edited: [] }),
          } as const
          // A cancelled request says nothing about the handler.
          const isKept = failure?.kind !== 'cancelled'
          if (isKept) sent++
          const sendId = isKept
            ? await kept(
                settledSend(identity, result, {
                  startedAt,
                  registeredUrl: signing.url,
                  passed: expected.wasReturned() ? null : acknowledged,
                  certificateProblem,
                  request: { method: 'POST', headers },
                }),
              )
            : null
          const isUnreached =
            failure !== null && (phases.connect >= ms || NOT_CONNECTED.has(failure.kind))
          return {
            by: 'handler',
            kind:
              failure === null
                ? 'status'
                : isUnreached
                  ? 'unreachable'
                  : failure.kind === 'timeout'
                    ? 'timeout'
                    : 'dropped',
            status: failure === null ? status : null,
            ms,
            error: failure?.message ?? null,
            acknowledged,
            sendId,
          }
        }),
      close: () => sender.close(),
    }
  }
}
