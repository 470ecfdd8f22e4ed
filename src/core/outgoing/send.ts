/** What replay, forward, check, shrink and flows send with, and how they record it. Senders come only from an admission (`admit.ts`). */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { SendFailureKind, SendOutcome } from '../../shared/model/send.ts'
import { acknowledges } from '../../shared/service/limits.ts'
import type { Clock } from '../base/deps.ts'
import { packSends, type EndedSend, type SendIdentity } from '../store/sends.ts'
import type { Store } from '../store/store.ts'
import { outgoingRequest, type OutgoingOptions, type Signing } from './outgoing-request.ts'
import type { OwnSends } from './own-sends.ts'
import type { Sender, SendRequest, SendResult } from './wire/sender.ts'

export type { Sender, SendResult } from './wire/sender.ts'
export { findCertificateProblem } from './wire/send-failure.ts'
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

/** Waits until this many requests (default 1) may be sent. */
export type Pacer = (count?: number) => Promise<void>

/** Limits requests to a rate per second. Without a rate, nothing waits. */
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
  /** The body to send, even if it was edited. */
  readonly body: Uint8Array
  /** What signs it; null only if nothing is signed. */
  readonly hook: Signing | null
}

/** Signs a request and sends it. While it is in progress, this receiver recognizes it as our own. */
export async function sendSigned(
  ownSends: OwnSends,
  sender: Sender,
  { delivery, body: given, hook, ...options }: SignedSend,
  rest: Pick<SendRequest, 'url' | 'timeoutMs' | 'signal' | 'answerLimit'>,
) {
  const made = outgoingRequest({ headers: delivery.headers, body: given }, hook, options)
  const { headers, body } = made
  const method = options.edits.method ?? delivery.method ?? 'POST'
  const expected = ownSends.expect(made, delivery.id)
  try {
    const result = await sender.send({ ...rest, method, headers, body })
    return { result, request: { method, headers }, made, wasReturned: expected.wasReturned() }
  } finally {
    expected.forget()
  }
}

/** The record of a request that was sent. */
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

/** The record of a request that was never sent. `error` says why, in a sentence. */
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

// Records the requests of one job in batches: while one is written, the next one collects. The same transaction moves how far the
// job may have come, so that after a crash the requests up to there without a record are uncertain, and all later ones are pending.

/** At most this many requests are in progress or unrecorded. */
const MOST_UNRECORDED = 100
/** Requests that have ended are recorded within this time, in milliseconds. */
const RECORD_WITHIN_MS = 10

interface RecorderJob {
  readonly id: string
  /** How far it may already have come. */
  readonly reached: number
  /** How many requests may start before earlier ones are recorded. */
  ahead(): number
}

interface Waiting<Value, Result> {
  readonly value: Value
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export function createRecorder({ write }: Pick<Store, 'write'>, job: RecorderJob) {
  let { reached } = job
  /** What `reached` becomes if the present write succeeds. */
  let asked = reached
  /** How many places have ended, and the last one that has started or ended. */
  let ended = reached
  let last = reached
  let endings: Waiting<EndedSend, SendOutcome | null>[] = []
  let beginnings: Waiting<number, void>[] = []
  let isDue = false
  let isWriting = false
  let timer: NodeJS.Timeout | null = null

  const ahead = () => Math.min(MOST_UNRECORDED, job.ahead())

  async function writeBatch(): Promise<void> {
    const sends = endings
    const starts = beginnings
    endings = []
    beginnings = []
    if (timer !== null) clearTimeout(timer)
    timer = null
    asked = Math.max(reached, last, ended + ahead(), ...starts.map(({ value }) => value))
    const batch = packSends(
      sends.map(({ value }) => value),
      { jobId: job.id, place: asked },
    )
    try {
      const { outcomes } = await write('sends', batch, [batch.bodies.buffer])
      reached = asked
      for (const { resolve } of starts) resolve()
      for (const [index, { resolve }] of sends.entries()) resolve(outcomes[index] ?? null)
    } catch (error) {
      asked = reached
      for (const { reject } of [...starts, ...sends]) reject(error)
    }
  }

  async function flush(): Promise<void> {
    isDue = true
    if (isWriting) return
    isWriting = true
    while (isDue) {
      // One turn of the event loop, so that simultaneous events share the transaction.
      await new Promise((resolve) => setImmediate(resolve))
      isDue = false
      await writeBatch()
    }
    isWriting = false
  }

  return {
    /** Resolves once the request at a place may be sent; null if it may be sent right away. */
    before(place: number): Promise<void> | null {
      const left = asked - place
      if (left < 0 || left < ahead() / 2) void flush()
      if (place <= reached) return null
      return new Promise((resolve, reject) => beginnings.push({ value: place, resolve, reject }))
    },
    started(place: number): void {
      last = Math.max(last, place)
    },
    /** Records a finished request and resolves with its outcome. */
    end(send: EndedSend): Promise<SendOutcome | null> {
      ended++
      last = Math.max(last, send.position)
      if (endings.length >= MOST_UNRECORDED) void flush()
      else timer ??= setTimeout(() => void flush(), RECORD_WITHIN_MS)
      return new Promise((resolve, reject) => endings.push({ value: send, resolve, reject }))
    },
    /**
     * Call when all that have ended are recorded: requests that weren't sent are pending again. If this can't be recorded, they are
     * uncertain when the job is resumed.
     */
    async close(): Promise<void> {
      if (reached === last) return
      const batch = packSends([], { jobId: job.id, place: last })
      await write('sends', batch).catch(() => undefined)
    },
  }
}
