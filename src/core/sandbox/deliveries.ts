/** Deliveries in progress: each notification is stored after every attempt and resumed after a restart. */
import type { Mode } from '../../shared/model/delivery.ts'
import type { Notification, Fault, SendAttempt } from '../../shared/model/sandbox.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import type { Log, Ids } from '../base/deps.ts'
import { secretKey } from '../signature/sign.ts'
import { signerFor } from '../signature/fault.ts'
import type { NotificationRecord, HookRecord, Objects } from './world.ts'
import { writeWithLiterals } from '../../shared/body/json-literals.ts'
import { withTimeLimit } from '../base/async.ts'
import type { Emission } from './scene.ts'
import { acknowledges, ATTEMPT_WAITS_MS, MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { type Sender, createSender, trustedAuthorities } from '../outgoing/wire/sender.ts'
import { deliveryHeaders, type Signer } from '../signature/signature-headers.ts'
import { adviseOnCa } from '../outgoing/wire/send-failure.ts'

// Sends the events of one story to the matching hooks, in order, and returns the results of the first attempts.

/** How long an event's first attempt delays the next event of the same story, in milliseconds of real time, so that they arrive in order. */
const ORDER_WAIT_MS = 1_000

/** One delivery to send: an event and its hook. */
export interface Match {
  readonly emission: Emission
  readonly hook: HookRecord
}

export async function sendStory(
  context: { readonly objects: Objects; readonly deliveries: Deliveries; readonly ids: Ids },
  matches: readonly Match[],
  mode: Mode,
  fault: Fault | null,
): Promise<Notification[]> {
  const { objects, deliveries, ids } = context
  const records = matches.map(({ emission, hook }) =>
    newNotification(ids.next(), emission, hook, fault),
  )
  for (const record of records) await objects.put('notification', mode, record)
  const made: string[] = []

  async function sendOne(record: NotificationRecord): Promise<void> {
    made.push(record.id)
    const started = deliveries.start(record, mode)
    await started.firstAttempt
    if (fault !== 'duplicate') return
    // A duplicate repeats an acknowledged delivery: it follows immediately, or when a later attempt succeeded.
    if (objects.find('notification', record.id, mode)?.state === 'acknowledged')
      await repeat(record)
    else void started.ended.then((state) => (state === 'acknowledged' ? repeat(record) : undefined))
  }

  async function repeat(record: NotificationRecord): Promise<void> {
    const copy = { ...record, id: ids.next() }
    await objects.put('notification', mode, copy)
    made.push(copy.id)
    await deliveries.start(copy, mode).firstAttempt
  }

  const firstAttempts: Promise<unknown>[] = []
  for (const emission of new Set(matches.map((match) => match.emission))) {
    const first = Promise.all(
      records.filter((_, index) => matches[index]?.emission === emission).map(sendOne),
    )
    firstAttempts.push(first)
    await withTimeLimit<unknown>(ORDER_WAIT_MS, first, () => undefined)
  }
  await Promise.all(firstAttempts)
  return made
    .flatMap((id) => objects.find('notification', id, mode) ?? [])
    .map((record) => toNotification(record, mode))
}

/** The payload as sent. */
export function bodyOf({ payload, literals = {} }: Emission): string {
  return writeWithLiterals(payload, literals)
}

function newNotification(
  id: string,
  emission: Emission,
  hook: HookRecord,
  fault: Fault | null,
): NotificationRecord {
  return {
    id,
    event: emission.event,
    hookId: hook.id,
    url: hook.url,
    body: bodyOf(emission),
    headers: { ...hook.headers },
    fault,
    attempts: [],
    state: 'pending',
    dueAt: null,
  }
}

/** Finished notifications still shown; older ones are discarded. */
const KEPT_NOTIFICATIONS = 500

export type Deliveries = ReturnType<typeof createDeliveries>

interface Started {
  /** Resolves when the first attempt has ended (or was cut short by closing). */
  readonly firstAttempt: Promise<void>
  /** Resolves when no further attempt follows. */
  readonly ended: Promise<Notification['state']>
}

interface DeliveriesOptions {
  readonly objects: Objects
  readonly senders: Pick<Senders, 'of'>
  readonly clocks: NotificationClocks
  prefixOf(mode: Mode): string
  readonly log: Log
  /** Called before each attempt at a URL; returns what ends its wait early, like the 20-second limit. */
  readonly timeOutOf: ((url: string) => AbortSignal) | undefined
  readonly arrivals: Pick<Arrivals, 'expect'> | undefined
}

export function createDeliveries(options: DeliveriesOptions) {
  const { objects, log } = options
  const running = new Map<
    string,
    { readonly hookId: string; readonly stop: AbortController; readonly ended: Promise<unknown> }
  >()

  let closed = false

  async function run(
    record: NotificationRecord,
    mode: Mode,
    signal: AbortSignal,
    onFirst: () => void,
  ) {
    const secret = objects.secretOf('hook', record.hookId)
    if (secret === undefined) return giveUp(record, mode)
    let current = record
    const outgoing = {
      url: record.url,
      body: Buffer.from(record.body, 'utf8'),
      headers: record.headers,
      prefix: options.prefixOf(mode),
      sign: signerFor(record.fault, secretKey(secret)),
    }
    const { timeOutOf } = options
    const progress = await sendNotification(outgoing, options.senders.of(mode), options.clocks, {
      from: { attempts: record.attempts, state: record.state, dueAt: record.dueAt },
      signal,
      ...(timeOutOf === undefined ? {} : { timeOut: () => timeOutOf(record.url) }),
      ...(options.arrivals === undefined ? {} : { arrivals: options.arrivals }),
      async onAttempt({ attempts, state, dueAt }) {
        current = { ...current, attempts: [...attempts], state, dueAt }
        await objects.put('notification', mode, current)
        onFirst()
      },
    })
    if (progress.state === 'pending' && objects.secretOf('hook', record.hookId) === undefined)
      return giveUp(current, mode)
    if (progress.state !== 'pending') await forgetOld(objects)
    return progress.state
  }

  async function giveUp(record: NotificationRecord, mode: Mode): Promise<Notification['state']> {
    await objects.put('notification', mode, { ...record, state: 'failed', dueAt: null })
    return 'failed'
  }

  function start(record: NotificationRecord, mode: Mode): Started {
    // Already stored, and resumed when the sandbox starts again.
    if (closed) return { firstAttempt: Promise.resolve(), ended: Promise.resolve('pending') }
    const first = Promise.withResolvers<undefined>()
    const stop = new AbortController()
    const onFirst = () => first.resolve(undefined)
    const ended = run(record, mode, stop.signal, onFirst)
      .catch((error: unknown): Notification['state'] => {
        log.bug(error, `sandbox: notification ${record.id}`)
        return 'failed'
      })
      .finally(() => {
        onFirst()
        running.delete(record.id)
      })
    running.set(record.id, { hookId: record.hookId, stop, ended })
    return { firstAttempt: first.promise, ended }
  }

  async function stopThose(concerned: (hookId: string) => boolean): Promise<void> {
    const those = [...running.values()].filter(({ hookId }) => concerned(hookId))
    for (const { stop } of those) stop.abort()
    await Promise.all(those.map(({ ended }) => ended))
  }

  return {
    /** Sends in the background. */
    start,
    /** Resumes deliveries that were pending when the sandbox was last closed. */
    resume() {
      for (const record of objects.all('notification')) {
        const mode = objects.modeOf('notification', record.id)
        if (record.state === 'pending' && mode !== undefined) start(record, mode)
      }
    },
    /** Cancels pending deliveries of a removed hook: it gets no further attempts. */
    stopHook: (hookId: string) => stopThose((concerned) => concerned === hookId),
    /** Stops everything in progress. Pending deliveries stay pending until a restart. */
    stopAll: () => stopThose(() => true),
    /** Stops waits and attempts in progress. Pending deliveries stay pending. */
    close() {
      closed = true
      return stopThose(() => true)
    },
  }
}

async function forgetOld(objects: Objects): Promise<void> {
  const ended = objects.all('notification').filter(({ state }) => state !== 'pending')
  for (const { id } of ended.slice(0, Math.max(0, ended.length - KEPT_NOTIFICATIONS)))
    await objects.remove('notification', id)
}

/** A notification as clients see it. */
export function toNotification(record: NotificationRecord, mode: Mode): Notification {
  const { id, event, hookId, url, attempts, state, dueAt, fault } = record
  return {
    id,
    event,
    mode,
    hookId,
    url,
    attempts,
    state,
    nextAt: dueAt === null ? null : new Date(dueAt).toISOString(),
    fault,
  }
}

// Sends one notification to one URL (section 6.4): up to three attempts, each re-signed. Signature and timeout use the wall
// clock; the waits between attempts use the caller's clock, which may run faster.

export interface OutgoingNotification {
  /** The registered URL, verbatim. */
  readonly url: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly prefix: string
  readonly sign: Signer
}

interface NotificationClocks {
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

const NOT_STARTED: NotificationProgress = { attempts: [], state: 'pending', dueAt: null }

interface SendNotificationOptions {
  /** The state to resume from; the start by default. */
  readonly from?: NotificationProgress
  /** Called after each attempt and awaited before the next wait. */
  readonly onAttempt?: (progress: NotificationProgress) => Promise<void> | void
  readonly signal?: AbortSignal
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
    if (options.signal?.aborted === true) return progress
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
  const { timeOut } = options
  const signed = outgoing.sign(outgoing.body, outgoing.url, startedAt)
  const endWait = options.arrivals?.expect(signed)
  const result = await sender.send({
    url: outgoing.url,
    headers: deliveryHeaders(outgoing.prefix, signed, outgoing.headers),
    body: signed.body,
    ...(timeOut === undefined ? {} : { timeOut: timeOut() }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const deliveryId = endWait?.() ?? null
  if (result.failure?.kind === 'cancelled') return null
  const acknowledged =
    result.failure === null && result.status !== null && acknowledges(result.status, '200')
  return {
    attempt: number,
    at: new Date(startedAt).toISOString(),
    sandboxAt: new Date(waitsAt).toISOString(),
    status: result.status,
    ms: result.ms,
    error: result.failure?.message ?? (acknowledged ? null : refusal(result.status)),
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

function refusal(status: number | null): string {
  const redirect =
    status !== null && status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
  return `The endpoint returned ${status ?? 'no response'}. Only 200 acknowledges a delivery (spec 6.4).${redirect}`
}

interface SendersOptions {
  /** This computer's CA certificate, as PEM. */
  readonly caPem: string
  /** Another CA certificate that a mode's environment trusts; requested for each attempt, because it can change in between. */
  trustedBy(mode: Mode): string | null
  monotonic(): number
}

type Senders = ReturnType<typeof createSenders>

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
