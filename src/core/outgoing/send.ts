/** Sends and records the requests of replay, forward, check, shrink and flows. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { SendFailureKind } from '../../shared/model/send.ts'
import { acknowledges } from '../../shared/service/limits.ts'
import type { Clock } from '../base/deps.ts'
import type { EndedSend, SendIdentity } from '../store/record-sends.ts'
import { outgoingRequest, type OutgoingOptions, type Signing } from './outgoing-request.ts'
import type { OwnSends } from './own-sends.ts'
import type { Sender } from './wire/sender.ts'
import type { SendRequest, SendResult } from './wire/send-request.ts'

export type { Sender } from './wire/sender.ts'
export type { SendResult } from './wire/send-request.ts'
export { findCertificateProblem } from './wire/certificate-check.ts'
export { trustedAuthorities } from './wire/sender.ts'

export function isSendAcknowledged({ status, failure }: SendResult, ack: '200' | '2xx'): boolean {
  return status !== null && failure === null && acknowledges(status, ack)
}

/** Failures to connect: the request didn't arrive. */
export const NOT_CONNECTED: ReadonlySet<SendFailureKind | undefined> = new Set([
  'refused',
  'unknown-host',
  'certificate',
  'tls',
  'not-allowed',
])

export type Pacer = (count?: number) => Promise<void>

/** Limits requests to a rate per second, if there is one. */
export function createPacer(clock: Clock, rate: number | null, signal: AbortSignal): Pacer {
  let next = 0
  return async (count = 1) => {
    if (rate === null) return
    const now = clock.monotonic()
    const mine = Math.max(now, next)
    next = mine + (1_000 * count) / rate
    if (mine > now) await clock.sleep(mine - now, signal)
  }
}

export interface SignedSend extends OutgoingOptions {
  readonly delivery: Pick<Delivery, 'id' | 'method' | 'headers'>
  readonly body: Uint8Array
  readonly signing: Signing | null
}

/** Signs a request and sends it; this receiver recognizes it in the meantime. */
export async function sendSigned(
  ownSends: OwnSends,
  sender: Sender,
  { delivery, body: given, signing, ...options }: SignedSend,
  rest: Pick<SendRequest, 'url' | 'timeoutMs' | 'signal' | 'answerLimit'>,
) {
  const outgoing = outgoingRequest({ headers: delivery.headers, body: given }, signing, options)
  const { headers, body } = outgoing
  const method = options.edits.method ?? delivery.method ?? 'POST'
  const expected = ownSends.announce(outgoing, delivery.id)
  try {
    const result = await sender.send({ ...rest, method, headers, body })
    return { result, request: { method, headers }, outgoing, wasReturned: expected.wasReturned() }
  } finally {
    expected.forget()
  }
}

export function settledSend(
  identity: SendIdentity,
  { status, ms, phases, failure, headers, body, truncated }: SendResult,
  sent: Pick<
    EndedSend,
    'startedAt' | 'registeredUrl' | 'passed' | 'certificateProblem' | 'request'
  >,
): EndedSend {
  return {
    ...identity,
    ...sent,
    state: 'settled',
    status,
    ms,
    phases,
    errorKind: failure?.kind ?? null,
    error: failure?.message ?? null,
    headers,
    body,
    truncated,
  }
}

/** Returns the record of a request that was never sent, with the reason in a sentence. */
export function notSent(identity: SendIdentity, error: string): EndedSend {
  return {
    ...identity,
    state: 'not-sent',
    startedAt: null,
    registeredUrl: null,
    status: null,
    ms: null,
    phases: null,
    errorKind: null,
    error,
    passed: false,
    certificateProblem: null,
    headers: [],
    body: new Uint8Array(),
    truncated: false,
    request: null,
  }
}
