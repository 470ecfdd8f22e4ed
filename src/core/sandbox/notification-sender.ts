/**
 * Sends one notification to one URL (section 6.4): up to three attempts, each re-signed. Signature and timeout use the wall clock;
 * the waits between attempts use the caller's clock, which may run faster.
 */
import type { Notification, SendAttempt } from '../../shared/model/sandbox.ts'
import { ATTEMPT_WAITS_MS, MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import { type Sender, createSender, trustedAuthorities } from '../outgoing/wire/sender.ts'
import { deliveryHeaders, type Signer } from '../signature/signature-headers.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { adviseOnCa } from '../outgoing/wire/send-failure.ts'

export interface OutgoingNotification {
  /** The registered URL, verbatim. */
  readonly url: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly prefix: string
  readonly sign: Signer
  /** Which responses acknowledge: 200 per spec, or any 2xx. */
  readonly ack: '200' | '2xx'
}

export interface NotificationClocks {
  /** Wall clock, in milliseconds since the epoch. */
  wall(): number
  /** The clock for the waits. */
  readonly waits: { now(): number; sleepUntil(time: number, signal?: AbortSignal): Promise<void> }
}

/** The progress of a notification: everything needed to resume it after a restart. */
export interface NotificationProgress {
  readonly attempts: readonly SendAttempt[]
  readonly state: Notification['state']
  /** When the next attempt is due, by the clock for the waits; null if no attempt follows or the first hasn't been made. */
  readonly dueAt: number | null
}

export const NOT_STARTED: NotificationProgress = { attempts: [], state: 'pending', dueAt: null }

interface SendNotificationOptions {
  /** The state to resume from; the start by default. */
  readonly from?: NotificationProgress
  /** Called after each attempt and awaited before the next wait. */
  readonly onAttempt?: (progress: NotificationProgress) => Promise<void> | void
  readonly signal?: AbortSignal
  /** For one attempt, in milliseconds; the 20 s of section 6.4 by default. */
  readonly timeoutMs?: number
  /** Called before each attempt; returns what ends its wait early, like a timeout. */
  readonly timeOut?: () => AbortSignal
  /** Reports which delivery an attempt became, if it was sent to Countersign's own receiver. */
  readonly arrivals?: Pick<Arrivals, 'expect'>
}

/** Resolves when it is acknowledged, failed for good, or aborted (still `pending`, and can be resumed). */
export async function sendNotification(
  outgoing: OutgoingNotification,
  sender: Pick<Sender, 'send'>,
  clocks: NotificationClocks,
  options: SendNotificationOptions = {},
): Promise<NotificationProgress> {
  let progress = options.from ?? NOT_STARTED
  while (progress.state === 'pending') {
    if (progress.dueAt !== null) await clocks.waits.sleepUntil(progress.dueAt, options.signal)
    if (isAborted(options.signal)) return progress
    const attempt = await sendAttempt(
      outgoing,
      progress.attempts.length + 1,
      sender,
      clocks,
      options,
    )
    // An attempt that we cut short says nothing about the endpoint: it is repeated on resume.
    if (attempt === null) return progress
    progress = after(progress, attempt, clocks.waits.now())
    await options.onAttempt?.(progress)
  }
  return progress
}

async function sendAttempt(
  outgoing: OutgoingNotification,
  number: number,
  sender: Pick<Sender, 'send'>,
  clocks: NotificationClocks,
  options: SendNotificationOptions,
): Promise<SendAttempt | null> {
  const startedAt = clocks.wall()
  const waitsAt = clocks.waits.now()
  const { timeoutMs, timeOut } = options
  const signed = outgoing.sign(outgoing.body, outgoing.url, startedAt)
  const endWait = options.arrivals?.expect(signed)
  const result = await sender.send({
    url: outgoing.url,
    headers: deliveryHeaders(outgoing.prefix, signed, outgoing.headers),
    body: signed.body,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(timeOut === undefined ? {} : { timeOut: timeOut() }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const deliveryId = endWait?.() ?? null
  if (result.failure?.kind === 'cancelled') return null
  const acknowledged =
    result.failure === null &&
    result.status !== null &&
    isAcknowledgement(result.status, outgoing.ack)
  return {
    attempt: number,
    at: new Date(startedAt).toISOString(),
    sandboxAt: new Date(waitsAt).toISOString(),
    status: result.status,
    ms: result.ms,
    error: result.failure?.message ?? (acknowledged ? null : refusal(result.status, outgoing.ack)),
    acknowledged,
    deliveryId,
  }
}

function after(
  progress: NotificationProgress,
  attempt: SendAttempt,
  endedAt: number,
): NotificationProgress {
  const attempts = [...progress.attempts, attempt]
  if (attempt.acknowledged) return { attempts, state: 'acknowledged', dueAt: null }
  const wait = attempts.length < MAX_ATTEMPTS ? ATTEMPT_WAITS_MS[attempts.length - 1] : undefined
  return wait === undefined
    ? { attempts, state: 'failed', dueAt: null }
    : { attempts, state: 'pending', dueAt: endedAt + wait }
}

function isAcknowledgement(status: number, ack: '200' | '2xx'): boolean {
  return status === 200 || (ack === '2xx' && status > 200 && status < 300)
}

function refusal(status: number | null, ack: '200' | '2xx'): string {
  const wanted = ack === '200' ? '200' : 'a 2xx status'
  const redirect =
    status !== null && status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
  return `The endpoint returned ${status ?? 'no response'}. Only ${wanted} acknowledges a delivery (spec 6.4).${redirect}`
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

interface SendersOptions {
  /** This computer's CA certificate, as PEM. */
  readonly caPem: string
  /** Another CA certificate that a mode's environment trusts; requested for each attempt, because it can change in between. */
  trustedBy(mode: Mode): string | null
  monotonic(): number
}

export type Senders = ReturnType<typeof createSenders>

function caAdvice(mode: Mode): string {
  return `Trust its CA certificate ("countersign environments update sandbox-${mode} --ca FILE${mode === 'live' ? ' --live' : ''}"), or use one from a CA that this computer trusts.`
}

/**
 * Sends the deliveries of each mode: both trust this computer's CA certificate and the system's, and each what its environment
 * adds.
 */
export function createSenders({ caPem, trustedBy, monotonic }: SendersOptions) {
  const byAuthority = new Map<string | null, Sender>()

  function senderOf(extra: string | null): Sender {
    const known = byAuthority.get(extra)
    const sender =
      known ??
      createSender({
        authorities: trustedAuthorities([caPem, ...(extra === null ? [] : [extra])]),
        monotonic,
      })
    byAuthority.set(extra, sender)
    return sender
  }

  return {
    of: (mode: Mode): Pick<Sender, 'send'> => ({
      async send(request) {
        const result = await senderOf(trustedBy(mode)).send(request)
        return result.failure === null
          ? result
          : { ...result, failure: adviseOnCa(result.failure, caAdvice(mode)) }
      },
    }),
    async close() {
      await Promise.all([...byAuthority.values()].map((sender) => sender.close()))
    },
  }
}
