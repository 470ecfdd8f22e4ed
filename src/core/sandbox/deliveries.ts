/**
 * Deliveries (section 6.4): each notification is sent to its hook up to three times, re-signed every time, stored after every attempt
 * and resumed after a restart. Signatures and timeouts use the wall clock, the waits between attempts the sandbox's.
 */
import type { KeyObject } from 'node:crypto'
import { writeWithLiterals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Fault, Notification, SendAttempt } from '../../shared/model/sandbox.ts'
import { acknowledges, ATTEMPT_WAITS_MS, MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { refusalOf, withTimeLimit } from '../base/async.ts'
import type { Sender } from '../outgoing/send.ts'
import { signerFor } from '../signature/fault.ts'
import { secretKey } from '../signature/sign.ts'
import { deliveryHeaders, type Signer } from '../signature/signature-headers.ts'
import { trustCommand, type HookRecord, type NotificationRecord, type Service } from './records.ts'
import type { Emission } from './event-context.ts'

/** Milliseconds of real time that an event's first attempt delays the next event, so that they arrive in order. */
const ORDER_WAIT_MS = 1_000
/** Finished notifications still shown; older ones are discarded. */
const KEPT_NOTIFICATIONS = 500

/** One delivery to send: an event and its hook. */
export interface Match {
  readonly emission: Emission
  readonly hook: HookRecord
}

export function bodyOf({ payload, literals = {} }: Emission): string {
  return writeWithLiterals(payload, literals)
}

export type Deliveries = ReturnType<typeof createDeliveries>

export function createDeliveries(service: Service) {
  const { objects, clock, wall, ids, log } = service
  const running = new Map<
    string,
    { readonly hookId: string; readonly stop: AbortController; readonly ended: Promise<unknown> }
  >()
  const senders = new Map<string, Sender>()
  /** Hosts allowed for one attempt, by notification: a retry would outlive the call that allowed them. */
  const consents = new Map<string, readonly string[]>()
  let closed = false
  const targetOf = (url: string) => service.directUrl?.(url) ?? url
  const check = (url: string, allowHosts: readonly string[]) =>
    service.admission.check(targetOf(url), allowHosts)

  function senderOf(mode: Mode, allowHosts: readonly string[]): Sender {
    // Never null, so that certificates are verified on loopback too.
    const targetCa = service.trustedBy?.(mode) ?? service.tls.caPem
    const key = JSON.stringify([mode, allowHosts, targetCa])
    const create = service.admission.senderForSaved(() => allowHosts, targetCa)
    const sender = senders.get(key) ?? create({ keepAlive: false, caAdvice: adviceFor(mode) })
    senders.set(key, sender)
    return sender
  }

  /** Why nothing was sent, or null if we cut it short. */
  async function attempt(
    record: NotificationRecord,
    mode: Mode,
    { prefix, sign }: { readonly prefix: string; readonly sign: Signer },
    signal: AbortSignal,
  ): Promise<SendAttempt | string | null> {
    const allowHosts = consents.get(record.id) ?? []
    consents.delete(record.id)
    const startedAt = wall.now()
    const sandboxAt = new Date(clock.now()).toISOString()
    const { url } = record
    const signed = sign(Buffer.from(record.body, 'utf8'), url, startedAt)
    const endWait = service.arrivals?.expect(signed)
    const { status, ms, failure } = await senderOf(mode, allowHosts).send({
      url: targetOf(url),
      headers: deliveryHeaders(prefix, signed, record.headers),
      body: signed.body,
      signal,
      ...(service.timeOutOf === undefined ? {} : { timeOut: service.timeOutOf(url) }),
    })
    const deliveryId = endWait?.() ?? null
    if (failure?.kind === 'cancelled') return null
    if (failure?.kind === 'not-allowed') return failure.message
    // A name that isn't resolved may be a remote host's, which isn't the endpoint's failure.
    const refused =
      failure?.kind === 'unknown-host' ? await refusalOf(() => check(url, allowHosts)) : null
    if (refused !== null) return refused.message
    const acknowledged = failure === null && status !== null && acknowledges(status, '200')
    return {
      attempt: record.attempts.length + 1,
      at: new Date(startedAt).toISOString(),
      sandboxAt,
      status,
      ms,
      error: failure !== null ? failure.message : acknowledged ? null : refusal(status),
      acknowledged,
      deliveryId,
    }
  }

  /** Resolves when it is acknowledged or failed for good; if stopped it is still `pending`, unless its hook is gone. */
  async function run(
    record: NotificationRecord,
    mode: Mode,
    signal: AbortSignal,
    onFirst: () => void,
  ): Promise<Notification['state']> {
    let current = record
    const keep = async (change: Partial<NotificationRecord>) => {
      current = { ...current, ...change }
      await objects.put('notification', mode, current)
    }
    const key = keyOf(record.hookId)
    const terms =
      key === null ? null : { prefix: service.prefixOf(mode), sign: signerFor(record.fault, key) }
    while (terms !== null && current.state === 'pending') {
      if (current.dueAt !== null) await clock.sleepUntil(current.dueAt, signal)
      // An attempt that we cut short says nothing about the endpoint: it is repeated on resume.
      const made = signal.aborted ? null : await attempt(current, mode, terms, signal)
      if (made === null) break
      await keep(
        typeof made === 'string'
          ? { state: 'not-sent', reason: made, dueAt: null }
          : after([...current.attempts, made], clock.now()),
      )
      onFirst()
    }
    if (current.state === 'pending') {
      if (keyOf(record.hookId) === null) await keep({ state: 'failed', dueAt: null })
    } else await forgetOld()
    return current.state
  }

  function keyOf(hookId: string): KeyObject | null {
    const secret = objects.secretOf(hookId)
    return secret === undefined ? null : secretKey(secret)
  }

  const shown = (those: readonly string[], mode: Mode): Notification[] =>
    those
      .flatMap((id) => objects.find('notification', id, mode) ?? [])
      .map((record) => toNotification(record, mode))

  async function forgetOld(): Promise<void> {
    const ended = objects
      .entries('notification')
      .filter(({ data }) => data.state !== 'pending')
      .map(({ data }) => data.id)
    for (const id of ended.slice(0, Math.max(0, ended.length - KEPT_NOTIFICATIONS)))
      await objects.remove('notification', id)
  }

  /** Sends in the background. `firstAttempt` resolves at the end of the first attempt, `ended` when no further one follows. */
  function start(record: NotificationRecord, mode: Mode, allowHosts: readonly string[] = []) {
    consents.set(record.id, allowHosts)
    const { promise: firstAttempt, resolve: onFirst } = Promise.withResolvers<void>()
    const stop = new AbortController()
    // Already stored, and resumed when the sandbox starts again.
    if (closed) stop.abort()
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
    return { firstAttempt, ended }
  }

  async function stopThose(concerned: (hookId: string) => boolean): Promise<void> {
    const those = [...running.values()].filter(({ hookId }) => concerned(hookId))
    for (const { stop } of those) stop.abort()
    await Promise.all(those.map(({ ended }) => ended))
  }

  /** Stops everything in progress. Pending deliveries stay pending until a restart. */
  const stopAll = () => stopThose(() => true)

  return {
    /** Rejects with `TARGET_NOT_ALLOWED` if none may be sent. */
    async admit(matches: readonly Match[], allowHosts: readonly string[] = []): Promise<void> {
      await Promise.any(matches.map(({ hook }) => check(hook.url, allowHosts))).catch(
        ({ errors: [first] }: AggregateError) => {
          throw first
        },
      )
    },
    /** Sends the events of one story to their hooks, in order, and returns the results of the first attempts. */
    async send(
      matches: readonly Match[],
      mode: Mode,
      fault: Fault | null,
      allowHosts: readonly string[] = [],
    ): Promise<Notification[]> {
      const records = matches.map(({ emission, hook }): NotificationRecord => {
        const { id: hookId, url, headers } = hook
        return {
          id: ids.next(),
          event: emission.event,
          hookId,
          url,
          body: bodyOf(emission),
          headers: { ...headers },
          fault,
          attempts: [],
          state: 'pending',
          reason: null,
          dueAt: null,
        }
      })
      for (const record of records) await objects.put('notification', mode, record)
      const made: string[] = []

      async function sendOne(record: NotificationRecord): Promise<void> {
        made.push(record.id)
        const started = start(record, mode, allowHosts)
        await started.firstAttempt
        if (fault !== 'duplicate') return
        // A duplicate repeats an acknowledged delivery: it follows immediately, or when a later attempt succeeded.
        if (objects.find('notification', record.id, mode)?.state === 'acknowledged')
          await repeat(record, allowHosts)
        else
          void started.ended.then((state) =>
            state === 'acknowledged' ? repeat(record) : undefined,
          )
      }

      async function repeat(record: NotificationRecord, hosts?: readonly string[]): Promise<void> {
        const copy = { ...record, id: ids.next() }
        await objects.put('notification', mode, copy)
        made.push(copy.id)
        await start(copy, mode, hosts).firstAttempt
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
      return shown(made, mode)
    },
    /** Makes the next attempt of one that wasn't sent. Rejects with `NOT_FOUND` or `TARGET_NOT_ALLOWED`. */
    async sendAgain(id: string, allowHosts: readonly string[]): Promise<Notification[]> {
      const find = () => {
        const entry = objects.entries('notification').find(({ data }) => data.id === id)
        if (entry?.data.state === 'not-sent' && !running.has(id)) return entry
        throw new AppError(
          'NOT_FOUND',
          `No unsent delivery ${id}. List them with "countersign sandbox send".`,
        )
      }
      await check(find().data.url, allowHosts)
      // Another call may have sent it meanwhile.
      const { data, mode } = find()
      await start({ ...data, state: 'pending', reason: null }, mode, allowHosts).firstAttempt
      return shown([id], mode)
    },
    /** All that are still known, newest first. */
    list: (): Notification[] =>
      objects
        .entries('notification')
        .map(({ data, mode }) => toNotification(data, mode))
        .reverse(),
    /** Resumes deliveries that were pending when the sandbox was last closed. */
    resume() {
      for (const { data, mode } of objects.entries('notification'))
        if (data.state === 'pending') start(data, mode)
    },
    /** Cancels pending deliveries of a removed hook: it gets no further attempts. */
    stopHook: (hookId: string) => stopThose((concerned) => concerned === hookId),
    stopAll,
    async close() {
      closed = true
      await stopAll()
      await Promise.all([...senders.values()].map((sender) => sender.close()))
    },
  }
}

/** The progress after an attempt that ended at `endedAt`, in sandbox time. */
function after(
  attempts: SendAttempt[],
  endedAt: number,
): Pick<NotificationRecord, 'attempts' | 'state' | 'dueAt'> {
  if (attempts.at(-1)?.acknowledged === true)
    return { attempts, state: 'acknowledged', dueAt: null }
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

function adviceFor(mode: Mode): string {
  return `Trust its CA certificate ("${trustCommand(mode)}"), or use one from a CA that this computer trusts.`
}

function toNotification(record: NotificationRecord, mode: Mode): Notification {
  const { id, event, hookId, url, attempts, state, reason, dueAt, fault } = record
  const nextAt = dueAt === null ? null : new Date(dueAt).toISOString()
  return { id, event, mode, hookId, url, attempts, state, reason, nextAt, fault }
}
