/** Deliveries in progress: each notification is stored after every attempt and resumed after a restart. */
import type { Mode } from '../../shared/model/delivery.ts'
import type { Notification, Fault } from '../../shared/model/sandbox.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import { sendNotification, type NotificationClocks, type Senders } from './notification-sender.ts'
import type { Log, Ids } from '../base/deps.ts'
import { secretKey } from '../signature/sign.ts'
import { signerFor } from '../signature/fault.ts'
import type { Objects } from './objects.ts'
import type { NotificationRecord, HookRecord } from './records.ts'
import { writeWithLiterals } from '../../shared/body/json-literals.ts'
import { withTimeLimit } from '../base/async.ts'
import type { Emission } from './scene.ts'

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

export interface Started {
  /** Resolves when the first attempt has ended (or was cut short by closing). */
  readonly firstAttempt: Promise<void>
  /** Resolves when no further attempt follows. */
  readonly ended: Promise<Notification['state']>
}

export interface DeliveriesOptions {
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
      ack: '200' as const,
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
