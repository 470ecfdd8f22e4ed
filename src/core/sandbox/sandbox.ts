/** The service, emulated on this computer: its objects, hooks, events and deliveries (see `docs/sandbox.md`). */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type {
  TriggerPreview,
  PendingClearing,
  Notification,
  TriggerResult,
} from '../../shared/model/sandbox.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import { findCertificateProblem } from '../outgoing/wire/send-failure.ts'
import { trustedAuthorities } from '../outgoing/wire/sender.ts'
import type { SandboxAccount } from './account.ts'
import { addRoutes, startServer } from './api-routes.ts'
import { createHookRegistry } from './hook-registry.ts'
import { createDeliveries, toNotification, createSenders } from './deliveries.ts'
import { createObjectDesk } from './object-desk.ts'
import {
  ensureOffer,
  ensureProgram,
  ACCOUNT_ID,
  type HookRecord,
  loadObjects,
  type SandboxStorage,
} from './world.ts'
import { CLOCK_ID, createSandboxClock } from './sandbox-clock.ts'
import { startSettlements } from './settlements.ts'
import { createTriggers, type TriggerInput } from './trigger.ts'

export interface SandboxDeps {
  readonly clock: Clock
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  readonly log: Log
  readonly tls: {
    /** This computer's current certificate and key as PEM; requested again after renewal. */
    certificate(): { key: string; cert: string }
    /** The CA certificate that signed it: the sandbox trusts it for hook URLs, in addition to the system's. */
    readonly caPem: string
  }
  /** Another CA certificate that a mode's environment trusts for hook URLs, as PEM. */
  readonly trustedBy?: (mode: Mode) => string | null
  readonly host: string
  readonly port: number
  /** The prefix of a mode's header names. */
  prefixOf(mode: Mode): string
  readonly accounts: readonly SandboxAccount[]
  readonly storage: SandboxStorage
  /** Reports which delivery an attempt became, if given. */
  readonly arrivals?: Pick<Arrivals, 'expect'>
  /** Called before each attempt at a URL; returns what ends its wait early, like the 20-second limit (section 6.4). */
  readonly timeOutOf?: (url: string) => AbortSignal
}

/** An imported hook, with the secret that signs its deliveries. */
export interface HookRegistration {
  readonly id: string
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly programId?: string | null
  readonly offerId?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly mode: Mode
}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>

export async function createSandbox(deps: SandboxDeps) {
  const objects = await loadObjects(deps.storage, deps.log)
  const clock = createSandboxClock(deps.clock, objects.find('clock', CLOCK_ID, 'test'), (record) =>
    objects.put('clock', 'test', record),
  )
  /** One in each mode, and those named by hooks. */
  async function makePrograms(): Promise<void> {
    for (const { mode } of deps.accounts) {
      await ensureProgram(objects, mode, clock.now())
      for (const { programId, offerId } of objects.all('hook', mode)) {
        if (programId !== null) await ensureProgram(objects, mode, clock.now(), programId)
        if (offerId !== null) await ensureOffer(objects, mode, clock.now(), offerId, programId)
      }
    }
  }
  await makePrograms()
  const authoritiesFor = (mode: Mode) => {
    const trusted = deps.trustedBy?.(mode) ?? null
    return trustedAuthorities([deps.tls.caPem, ...(trusted === null ? [] : [trusted])])
  }
  const senders = createSenders({
    caPem: deps.tls.caPem,
    trustedBy: (mode) => deps.trustedBy?.(mode) ?? null,
    monotonic: () => deps.clock.monotonic(),
  })
  const deliveries = createDeliveries({
    objects,
    senders,
    clocks: { wall: () => deps.clock.now(), waits: clock },
    prefixOf: (mode) => deps.prefixOf(mode),
    log: deps.log,
    timeOutOf: deps.timeOutOf,
    arrivals: deps.arrivals,
  })
  const triggers = createTriggers({
    ...deps,
    clock,
    objects,
    deliveries,
    onPlanned: () => settlements.refresh(),
  })
  const registry = createHookRegistry({
    ...deps,
    clock,
    objects,
    findCertificateProblem: (url, mode) => findCertificateProblem(url, authoritiesFor(mode)),
    onRemoved: (id) => deliveries.stopHook(id),
  })
  const server = await startServer({
    host: deps.host,
    port: deps.port,
    certificate: () => deps.tls.certificate(),
    routes(instance) {
      addRoutes(instance, { ...deps, hooks: registry, now: () => deps.clock.now() })
    },
  })
  deliveries.resume()
  const settlements = startSettlements({
    objects,
    clock,
    log: deps.log,
    async clear({ id, dueAt }, mode) {
      const environment = deps.accounts.find((account) => account.mode === mode)?.environment
      await triggers.cause({ event: 'transaction.clearing', environment, of: id }, dueAt)
    },
  })

  return {
    /** `https://127.0.0.1:PORT` */
    url: server.url,
    port: server.port,
    /** Adds a hook with the given secret, replacing one with the same id. */
    async registerHook(hook: HookRegistration) {
      const now = clock.now()
      const known = objects.find('hook', hook.id, hook.mode)
      if (hook.programId != null) await ensureProgram(objects, hook.mode, now, hook.programId)
      if (hook.offerId != null)
        await ensureOffer(objects, hook.mode, now, hook.offerId, hook.programId ?? null)
      const record: HookRecord = {
        id: hook.id,
        accountId: ACCOUNT_ID,
        event: hook.event,
        url: hook.url,
        programId: hook.programId ?? null,
        offerId: hook.offerId ?? null,
        headers: { ...hook.headers },
        live: hook.mode === 'live',
        created: known?.created ?? new Date(now).toISOString(),
        updated: new Date(now).toISOString(),
      }
      await objects.put('hook', hook.mode, record, hook.secret)
    },
    /** Removes a hook and cancels its pending deliveries. */
    async removeHook(id: string) {
      await objects.remove('hook', id)
      await deliveries.stopHook(id)
    },
    /**
     * Triggers an event; resolves when the first attempt of each notification has ended. If aborted, it rejects and sending
     * continues.
     */
    trigger: (input: TriggerInput, signal?: AbortSignal): Promise<TriggerResult> =>
      unlessAborted(triggers.trigger(input), signal),
    /** What a trigger would send, without sending it. */
    preview: (input: TriggerInput): Promise<TriggerPreview> => triggers.preview(input),
    objects: createObjectDesk({ ...deps, objects, clock, triggers }),
    clock,
    /** Resets objects, pending deliveries and clock. Hooks and keys stay. */
    async reset() {
      await deliveries.stopAll()
      for (const kind of [
        'settlement',
        'notification',
        'payment',
        'card',
        'location',
        'brand',
        'offer',
        'program',
      ] as const) {
        for (const { id } of objects.all(kind)) await objects.remove(kind, id)
      }
      await clock.reset()
      await makePrograms()
    },
    /** Newest first. */
    notifications: (): Notification[] =>
      objects
        .all('notification')
        .flatMap((record) => {
          const mode = objects.modeOf('notification', record.id)
          return mode === undefined ? [] : [toNotification(record, mode)]
        })
        .reverse(),
    /** Purchases waiting for their clearing, soonest first. */
    clearings: (): PendingClearing[] =>
      deps.accounts
        .flatMap(({ mode }) =>
          objects.all('settlement', mode).map(({ id, dueAt }) => ({
            transactionId: id,
            mode,
            at: new Date(dueAt).toISOString(),
          })),
        )
        .sort((left, right) => left.at.localeCompare(right.at)),
    async close() {
      await server.close()
      // Called first, so that none starts; a clearing in progress ends with its deliveries.
      const settled = settlements.close()
      await deliveries.close()
      await settled
      await senders.close()
    },
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  const cancelled = Promise.withResolvers<never>()
  const onAbort = () =>
    cancelled.reject(
      new AppError('CANCELLED', 'Trigger cancelled. Deliveries that had started continue.'),
    )
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, cancelled.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
