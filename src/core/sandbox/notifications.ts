/**
 * Sends notifications up to three times (section 6.4), re-signed and stored each time, and resumes
 * them after a restart. Waits between attempts use sandbox time.
 */
import type { KeyObject } from 'node:crypto'
import { writeWithLiterals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Fault, Notification, SendAttempt } from '../../shared/model/notification.ts'
import { acknowledges, ATTEMPT_WAITS_MS, MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { refusalOf, withTimeLimit } from '../base/async.ts'
import type { Sender } from '../outgoing/send.ts'
import { signerFor, type Signer } from '../signature/signers.ts'
import { secretKey } from '../signature/sign.ts'
import { deliveryHeaders } from '../signature/signature-headers.ts'
import type { HookRecord, NotificationRecord } from './records.ts'
import { trustCommand, type SandboxService } from './service.ts'
import type { Emission } from './event-context.ts'

/**
 * Longest time in real milliseconds that an event waits for the first attempts of its predecessor.
 */
const ORDER_WAIT_MS = 1_000
const MAX_FINISHED = 500

export interface HookMatch {
  readonly emission: Emission
  readonly hook: HookRecord
}

export function bodyOf({ payload, literals = {} }: Emission): string {
  return writeWithLiterals(payload, literals)
}

export class Notifications {
  readonly #service: SandboxService
  readonly #running = new Map<
    string,
    { readonly hookId: string; readonly stop: AbortController; readonly ended: Promise<unknown> }
  >()
  readonly #senders = new Map<string, Sender>()
  /** Hosts allowed for the next attempt only, by notification id. */
  readonly #consents = new Map<string, readonly string[]>()
  #isClosed = false

  constructor(service: SandboxService) {
    this.#service = service
  }

  /** Rejects with `TARGET_NOT_ALLOWED` if nothing may be sent. */
  async admit(matches: readonly HookMatch[], allowHosts: readonly string[] = []): Promise<void> {
    await Promise.any(matches.map(({ hook }) => this.#check(hook.url, allowHosts))).catch(
      ({ errors: [first] }: AggregateError) => {
        throw first
      },
    )
  }

  /** Sends events in order and resolves with the results of their first attempts. */
  async send(
    matches: readonly HookMatch[],
    mode: Mode,
    fault: Fault | null,
    allowHosts: readonly string[] = [],
  ): Promise<Notification[]> {
    const { ids, records } = this.#service
    const unsent = matches.map(({ emission, hook }): NotificationRecord => {
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
    for (const record of unsent) await records.put('notification', mode, record)
    const sentIds: string[] = []

    const sendDuplicate = async (
      record: NotificationRecord,
      hosts: readonly string[] = [],
    ): Promise<void> => {
      const copy = { ...record, id: ids.next() }
      await records.put('notification', mode, copy)
      sentIds.push(copy.id)
      await this.#start(copy, mode, hosts).firstAttempt
    }

    const sendOne = async (record: NotificationRecord): Promise<void> => {
      sentIds.push(record.id)
      const started = this.#start(record, mode, allowHosts)
      await started.firstAttempt
      if (fault !== 'duplicate') return
      // A duplicate follows the acknowledged delivery; after a retry, the consent no longer holds.
      if (records.find('notification', record.id, mode)?.state === 'acknowledged')
        await sendDuplicate(record, allowHosts)
      else
        void started.ended.then((state) =>
          state === 'acknowledged' ? sendDuplicate(record) : undefined,
        )
    }

    const firstAttempts: Promise<unknown>[] = []
    for (const emission of new Set(matches.map((match) => match.emission))) {
      const first = Promise.all(
        unsent.filter((_, index) => matches[index]?.emission === emission).map(sendOne),
      )
      firstAttempts.push(first)
      await withTimeLimit<unknown>(ORDER_WAIT_MS, first, () => undefined)
    }
    await Promise.all(firstAttempts)
    return this.#notificationsOf(sentIds, mode)
  }

  /** Sends an unsent notification. Rejects with `NOT_FOUND` or `TARGET_NOT_ALLOWED`. */
  readonly sendAgain = async (
    id: string,
    allowHosts: readonly string[],
  ): Promise<Notification[]> => {
    const find = () => {
      const entry = this.#service.records.entries('notification').find(({ data }) => data.id === id)
      if (entry?.data.state === 'not-sent' && !this.#running.has(id)) return entry
      throw new AppError(
        'NOT_FOUND',
        `No unsent delivery ${id}. List them with "countersign sandbox send".`,
      )
    }
    await this.#check(find().data.url, allowHosts)
    // Another call may have sent it meanwhile.
    const { data, mode } = find()
    await this.#start({ ...data, state: 'pending', reason: null }, mode, allowHosts).firstAttempt
    return this.#notificationsOf([id], mode)
  }

  readonly list = (): Notification[] =>
    this.#service.records
      .entries('notification')
      .map(({ data, mode }) => toNotification(data, mode))
      .reverse()

  resume() {
    for (const { data, mode } of this.#service.records.entries('notification'))
      if (data.state === 'pending') this.#start(data, mode)
  }

  stopHook(hookId: string) {
    return this.#stopWhere((runningHookId) => runningHookId === hookId)
  }

  /** Stops everything in progress; it stays pending until a restart. */
  stopAll() {
    return this.#stopWhere(() => true)
  }

  async close() {
    this.#isClosed = true
    await this.stopAll()
    await Promise.all([...this.#senders.values()].map((sender) => sender.close()))
  }

  #targetOf(url: string) {
    return this.#service.directUrl?.(url) ?? url
  }

  #check(url: string, allowHosts: readonly string[]) {
    return this.#service.admission.check(this.#targetOf(url), allowHosts)
  }

  #senderOf(mode: Mode, allowHosts: readonly string[]): Sender {
    // Never null, to verify certificates on loopback too.
    const targetCa = this.#service.extraCaOf?.(mode) ?? this.#service.tls.caPem
    const key = JSON.stringify([mode, allowHosts, targetCa])
    const create = this.#service.admission.senderForSaved(() => allowHosts, targetCa)
    const sender =
      this.#senders.get(key) ?? create({ keepAlive: false, caAdvice: certificateAdvice(mode) })
    this.#senders.set(key, sender)
    return sender
  }

  /** Sends once. Resolves with a reason if sending wasn't allowed, with null if cut short. */
  async #attempt(
    record: NotificationRecord,
    mode: Mode,
    { prefix, sign }: { readonly prefix: string; readonly sign: Signer },
    signal: AbortSignal,
  ): Promise<SendAttempt | string | null> {
    const allowHosts = this.#consents.get(record.id) ?? []
    this.#consents.delete(record.id)
    const startedAt = this.#service.wall.now()
    const sandboxAt = new Date(this.#service.clock.now()).toISOString()
    const { url } = record
    const signed = sign(Buffer.from(record.body, 'utf8'), url, startedAt)
    const endWait = this.#service.arrivals?.expectDelivery(signed)
    const { status, ms, failure } = await this.#senderOf(mode, allowHosts).send({
      url: this.#targetOf(url),
      headers: deliveryHeaders(prefix, signed, record.headers),
      body: signed.body,
      signal,
      ...(this.#service.timeOutOf === undefined ? {} : { timeOut: this.#service.timeOutOf(url) }),
    })
    const deliveryId = endWait?.() ?? null
    if (failure?.kind === 'cancelled') return null
    if (failure?.kind === 'not-allowed') return failure.message
    // An unknown host name may be a remote host's, which needs consent.
    const refused =
      failure?.kind === 'unknown-host' ? await refusalOf(() => this.#check(url, allowHosts)) : null
    if (refused !== null) return refused.message
    const acknowledged = failure === null && status !== null && acknowledges(status, '200')
    return {
      attempt: record.attempts.length + 1,
      at: new Date(startedAt).toISOString(),
      sandboxAt,
      status,
      ms,
      error: failure !== null ? failure.message : acknowledged ? null : refusalText(status),
      acknowledged,
      deliveryId,
    }
  }

  /** Resolves when acknowledged or failed for good; `pending` if stopped. */
  async #run(
    record: NotificationRecord,
    mode: Mode,
    signal: AbortSignal,
    onFirst: () => void,
  ): Promise<Notification['state']> {
    const { clock } = this.#service
    let current = record
    const keep = async (change: Partial<NotificationRecord>) => {
      current = { ...current, ...change }
      await this.#service.records.put('notification', mode, current)
    }
    const key = this.#keyOf(record.hookId)
    const signing =
      key === null
        ? null
        : { prefix: this.#service.prefixOf(mode), sign: signerFor(record.fault, key) }
    while (signing !== null && current.state === 'pending') {
      if (current.dueAt !== null) await clock.sleepUntil(current.dueAt, signal)
      // An attempt cut short proves nothing and is repeated on resume.
      const outcome = signal.aborted ? null : await this.#attempt(current, mode, signing, signal)
      if (outcome === null) break
      await keep(
        typeof outcome === 'string'
          ? { state: 'not-sent', reason: outcome, dueAt: null }
          : progressAfter([...current.attempts, outcome], clock.now()),
      )
      onFirst()
    }
    // Stopped, or the hook was removed with its secret.
    if (current.state === 'pending') {
      if (this.#keyOf(record.hookId) === null) await keep({ state: 'failed', dueAt: null })
    } else await this.#forgetOld()
    return current.state
  }

  #keyOf(hookId: string): KeyObject | null {
    const secret = this.#service.records.secretOf(hookId)
    return secret === undefined ? null : secretKey(secret)
  }

  #notificationsOf(notificationIds: readonly string[], mode: Mode): Notification[] {
    return notificationIds
      .flatMap((id) => this.#service.records.find('notification', id, mode) ?? [])
      .map((record) => toNotification(record, mode))
  }

  async #forgetOld(): Promise<void> {
    const { records } = this.#service
    const finished = records
      .entries('notification')
      .filter(({ data }) => data.state !== 'pending')
      .map(({ data }) => data.id)
    for (const id of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED)))
      await records.remove('notification', id)
  }

  /** Sends in the background; `ended` resolves after the last attempt. */
  #start(record: NotificationRecord, mode: Mode, allowHosts: readonly string[] = []) {
    this.#consents.set(record.id, allowHosts)
    const { promise: firstAttempt, resolve: onFirst } = Promise.withResolvers<void>()
    const stop = new AbortController()
    if (this.#isClosed) stop.abort()
    const ended = this.#run(record, mode, stop.signal, onFirst)
      .catch((error: unknown): Notification['state'] => {
        this.#service.log.bug(error, `sandbox: notification ${record.id}`)
        return 'failed'
      })
      .finally(() => {
        onFirst()
        this.#running.delete(record.id)
      })
    this.#running.set(record.id, { hookId: record.hookId, stop, ended })
    return { firstAttempt, ended }
  }

  async #stopWhere(isConcerned: (hookId: string) => boolean): Promise<void> {
    const concernedRuns = [...this.#running.values()].filter(({ hookId }) => isConcerned(hookId))
    for (const { stop } of concernedRuns) stop.abort()
    await Promise.all(concernedRuns.map(({ ended }) => ended))
  }
}

/** Returns the progress after an attempt that ended at `endedAt` (sandbox time). */
function progressAfter(
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

function refusalText(status: number | null): string {
  const redirect =
    status !== null && status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
  return `The endpoint returned ${status ?? 'no response'}. Only 200 acknowledges a delivery (spec 6.4).${redirect}`
}

function certificateAdvice(mode: Mode): string {
  return `Trust its CA certificate ("${trustCommand(mode)}"), or use one from a CA that this computer trusts.`
}

function toNotification(record: NotificationRecord, mode: Mode): Notification {
  const { id, event, hookId, url, attempts, state, reason, dueAt, fault } = record
  const nextAt = dueAt === null ? null : new Date(dueAt).toISOString()
  return { id, event, mode, hookId, url, attempts, state, reason, nextAt, fault }
}
