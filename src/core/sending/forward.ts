/**
 * Forwarding: stored targets, routing, one queue per target, and responses by targets. Runs only where deliveries are received.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type {
  ForwardSettings,
  ForwardState,
  ForwardTarget,
  ForwardLight,
} from '../../shared/model/forward.ts'
import type { ListedSend } from '../../shared/model/send.ts'
import { readIdentifiedQuery } from '../../shared/query/parse.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { createMutex, throttle } from '../base/async.ts'
import {
  type Admission,
  type Signers,
  createHookOf,
  type FindHandlerSigner,
} from '../outgoing/admit.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import type { StoredTarget, QueueCounts, ForwardRoute } from '../store/forward.ts'
import type { Store } from '../store/store.ts'
import {
  createAgreement,
  type CheckOptions,
  type ForwardConsent,
  type CheckedTarget,
} from './forward-targets.ts'
import type { Answerer } from '../receiver/intake.ts'
import { createAnswerer, createClaims } from './forward-answers.ts'
import { createQueue, type QueueDeps, type Queue, type QueueState } from './forward-queue.ts'

interface ForwardsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly hooks: Pick<Hooks, 'list' | 'get' | 'reveal'>
  readonly admission: Admission
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly handlerSigner: FindHandlerSigner
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Maximum bytes of a handler's response that goes back to the service. */
  bodyLimit(): number
  readonly hub: Pick<EventHub, 'emit'>
}

export type Forwards = ReturnType<typeof createForwards>

const REMOVED = "The target was removed before this delivery's turn."
const RETRY_MS = 1_000
const DROPPED = "Discarded from the target's queue."
const MOST_TARGETS = 100

export function createForwards(deps: ForwardsDeps) {
  const { store, hooks, environments, clock, log, ownSends, admission } = deps
  const exclusive = createMutex()
  let hookOfUrl = new Map<string, ReturnType<typeof createHookOf>>()
  /** By hook ID, because it is looked up for each delivery. */
  let liveOfHook = new Map<string, readonly string[]>()
  let targets: readonly StoredTarget[] = []
  const queues = new Map<string, Queue>()
  let answerer: Answerer | null = null
  let isOpen = false

  const readRoute = (query: string): Query =>
    readIdentifiedQuery(query, { now: clock.now(), hooks: hooks.list() })
  const isAgreed = ({ settings }: StoredTarget, hookId: string | null): boolean => {
    if (hookId === null) return true
    const live = liveOfHook.get(hookId) ?? admission.liveEnvironments({ hookIds: [hookId] })
    liveOfHook.set(hookId, live)
    return live.every((name) => settings.liveEnvironments.includes(name))
  }
  /** A saved handler may sign with another secret than when the target was saved. */
  const confirming = (agreed: readonly string[]) => ({
    confirmSigner(signers: Signers) {
      const missing = admission.liveEnvironments(signers).filter((name) => !agreed.includes(name))
      if (missing.length === 0) return
      throw new AppError(
        'CONFIRMATION_REQUIRED',
        `The secret is live (${missing.join(', ')}), and forwarding with it isn't confirmed. Save the target again to confirm.`,
      )
    },
  })
  const claims = createClaims(clock)
  const feed = createFeed(async (sent) => {
    if (sent.length > 0)
      deps.hub.emit('forward.sent', { sends: [...(await store.read('forwardSent', sent))] })
    deps.hub.emit('forward.changed', await list())
  })
  const queueDeps: QueueDeps = {
    store,
    clock,
    log,
    senderForSaved: admission.senderForSaved,
    ownSends,
    claims,
    bodyLimit: deps.bodyLimit,
    prefixes: () => knownPrefixes(environments),
    isAgreed,
    hookOf: (delivery, { registeredUrl, handlerId, liveEnvironments }) => {
      const key = JSON.stringify([registeredUrl, handlerId, liveEnvironments])
      const known =
        hookOfUrl.get(key) ??
        createHookOf(deps, { hookId: null, registeredUrl, handlerId }, confirming(liveEnvironments))
      hookOfUrl.set(key, known)
      return known(delivery)
    },
    onChanged: feed.changed,
    onSent: feed.sent,
  }
  /** How many deliveries were withheld from a target since the start, because their live environment isn't confirmed. */
  const withheld = new Map<string, number>()
  let decidedUpTo = 0
  let looking: Promise<void> | null = null
  let again = false
  let retry: NodeJS.Timeout | undefined

  /** Number of pending deliveries by target, without targets that have nothing pending. */
  const counts = async (): Promise<ReadonlyMap<string, QueueCounts>> =>
    new Map((await store.read('forwardCounts', null)).map((count) => [count.targetId, count]))

  const show = (target: StoredTarget, all: ReadonlyMap<string, QueueCounts>): ForwardTarget =>
    shownTarget(
      target,
      queues.get(target.id)?.state() ?? null,
      all.get(target.id),
      withheld.get(target.id) ?? 0,
    )

  async function list(): Promise<ForwardState> {
    const all = await counts()
    return { targets: targets.map((target) => show(target, all)) }
  }

  /** Throws `NOT_FOUND`. */
  function find(id: string): StoredTarget {
    const found = targets.find((target) => target.id === id)
    if (found !== undefined) return found
    throw new AppError('NOT_FOUND', 'Target not found. It may have been removed.')
  }

  /** Stores a changed target and applies it. */
  async function put(target: StoredTarget): Promise<ForwardTarget> {
    await store.write('forwardPut', target)
    const isNew = !targets.some(({ id }) => id === target.id)
    targets = isNew
      ? [...targets, target]
      : targets.map((one) => (one.id === target.id ? target : one))
    const there = queues.get(target.id)
    const queue = there ?? createQueue(queueDeps, target)
    queues.set(target.id, queue)
    there?.change(target)
    queue.kick()
    ready()
    return show(target, await counts())
  }

  /** Removes a target and aborts its requests. Returns how many deliveries were pending. Rejects with `NOT_FOUND`. */
  async function remove(id: string): Promise<number> {
    find(id)
    const waited = await dropAllWaiting(store, id, REMOVED)
    const dropped = waited + (await store.write('forwardRemove', { id, reason: REMOVED }))
    targets = targets.filter((target) => target.id !== id)
    const queue = queues.get(id)
    queues.delete(id)
    claims.failAll(id, 'the target was removed before it responded.')
    await queue?.stop({ uncertain: false })
    ready()
    return dropped
  }

  function routesOf(on: readonly StoredTarget[]): ForwardRoute[] {
    return on.flatMap(({ id, settings, since }) => {
      try {
        return [{ targetId: id, query: readRoute(settings.query), since }]
      } catch (error) {
        // A hook named in the filter may be gone. Then no delivery matches it.
        if (error instanceof AppError) return []
        throw error
      }
    })
  }

  /**
   * Routes each delivery to its targets after it is described, once and in order. Progress is stored in the same commit as the queues,
   * so that no delivery is skipped if Countersign stops in between.
   */
  async function decide(): Promise<void> {
    do {
      again = false
      const on = targets.filter(({ settings }) => settings.on)
      const routes = routesOf(on)
      if (routes.length === 0 || !isOpen) return
      const { upTo, found, more } = await store.read('forwardRoute', routes)
      const byId = new Map(on.map((target) => [target.id, target]))
      const rows = found.flatMap(({ targetId, seq, hookId }) => {
        const target = byId.get(targetId)
        if (target === undefined) return []
        if (isAgreed(target, hookId))
          return [{ targetId, url: target.settings.url, deliverySeq: seq, answers: false }]
        withheld.set(targetId, (withheld.get(targetId) ?? 0) + 1)
        return []
      })
      if (upTo > decidedUpTo) await store.write('forwardEnqueue', { rows, upTo })
      decidedUpTo = Math.max(decidedUpTo, upTo)
      if (found.length > 0) {
        for (const id of new Set(found.map(({ targetId }) => targetId))) queues.get(id)?.kick()
        feed.changed()
      }
      again ||= more
    } while (again)
  }

  /** Checks for deliveries that aren't routed yet. */
  function look(): void {
    again = true
    if (!isOpen || looking !== null) return
    looking = decide()
      .catch((error: unknown) => {
        log.warn("Couldn't decide where deliveries go. Retrying.", {
          reason: (error as Error).message,
        })
        clearTimeout(retry)
        retry = setTimeout(look, RETRY_MS)
      })
      .finally(() => {
        looking = null
        if (again) look()
      })
  }

  /** Applies the current targets: which ones respond, and which deliveries they get. */
  function ready(): void {
    // A change that finishes after closing must not make targets respond.
    if (!isOpen) return
    answerer = createAnswerer(targets, {
      claims,
      readRoute,
      isAgreed,
      enqueue: async ({ id, settings }, deliverySeq) => {
        await store.write('forwardEnqueue', {
          rows: [{ targetId: id, url: settings.url, deliverySeq, answers: true }],
          upTo: null,
        })
        // The service is waiting, so check right away whether the target is up again.
        queues.get(id)?.kick({ atOnce: true })
      },
    })
    look()
    feed.changed()
  }

  const { check, agree } = createAgreement({
    admission,
    handlerSigner: deps.handlerSigner,
    readRoute,
    hooks: () => hooks.list().filter(({ status }) => status !== 'deleted'),
    targets: () => targets,
  })

  /** A temporary target whose command has ended. If deliveries are pending, it is kept and paused. */
  async function leave({ id }: StoredTarget, isWaitedFor: boolean): Promise<void> {
    if (isWaitedFor) await put({ ...find(id), paused: true, temporary: false })
    else await remove(id)
  }

  function mustBeOpen(): void {
    if (!isOpen)
      throw new AppError(
        'NOT_RUNNING',
        'Forwarding needs Countersign running. Run "countersign serve" (or open the app), then try again.',
      )
  }

  /** One change at a time, and only while forwarding runs. */
  const change = <Output>(work: () => Promise<Output>): Promise<Output> =>
    exclusive(() => {
      mustBeOpen()
      return work()
    })

  return {
    /** Loads the previous run's targets and starts. */
    async start(): Promise<void> {
      await store.write('forwardRevive', null)
      targets = await store.read('forwardTargets', null)
      for (const target of targets) queues.set(target.id, createQueue(queueDeps, target))
      isOpen = true
      const waiting = await counts()
      for (const target of targets) {
        if (target.temporary) await leave(target, waiting.has(target.id))
        else queues.get(target.id)?.kick()
      }
      ready()
    },
    /** Call when deliveries are described, with the latest seq. */
    described(seq: number): void {
      if (seq > decidedUpTo && targets.length > 0) look()
    },
    /** Call when hooks or environments change. */
    hooksChanged(): void {
      hookOfUrl = new Map()
      liveOfHook = new Map()
    },
    /** Asked for each delivery before the response; null while no target responds. */
    answerer: () => answerer,
    list: async () => {
      mustBeOpen()
      return list()
    },
    async check(settings: ForwardSettings, options: CheckOptions): Promise<CheckedTarget> {
      mustBeOpen()
      return check(settings, options)
    },
    /** Rejects with `INVALID_INPUT`, `INVALID_QUERY`, `TARGET_NOT_ALLOWED` or `CONFIRMATION_REQUIRED`. */
    add: (
      settings: ForwardSettings,
      { temporary, ...consent }: ForwardConsent & { readonly temporary: boolean },
    ): Promise<ForwardTarget> =>
      change(async () => {
        if (targets.length >= MOST_TARGETS)
          throw new AppError(
            'INVALID_INPUT',
            `You already have ${MOST_TARGETS} targets. Remove one first.`,
          )
        const kept = await agree(settings, null, consent)
        const since = await store.read('newestSeq', null)
        return put({
          id: deps.ids.next(),
          createdAt: clock.now(),
          settings: kept,
          paused: false,
          temporary,
          since,
        })
      }),
    update: (
      id: string,
      changed: Partial<ForwardSettings>,
      consent: ForwardConsent,
    ): Promise<ForwardTarget> =>
      change(async () => {
        const before = find(id)
        const { allowHosts: _hosts, liveEnvironments: _live, ...settings } = before.settings
        const kept = await agree({ ...settings, ...changed }, before, consent)
        // Deliveries received while the target was off are skipped.
        const since = !settings.on && kept.on ? await store.read('newestSeq', null) : before.since
        return put({ ...before, settings: kept, since })
      }),
    /** Returns how many deliveries were pending. */
    remove: (id: string) => change(() => remove(id)),
    setPaused: (id: string, paused: boolean) => change(() => put({ ...find(id), paused })),
    deliver: (id: string) =>
      change(async () => {
        const target = await put({ ...find(id), paused: false })
        queues.get(id)?.kick({ atOnce: true })
        return target
      }),
    drop: (id: string) =>
      change(async () => {
        find(id)
        const dropped = await dropAllWaiting(store, id, DROPPED)
        claims.failAll(id, "the target's pending deliveries were discarded.")
        feed.changed()
        return dropped
      }),
    /** Removes a temporary target whose command has ended. If deliveries are pending, it is kept and paused. */
    leave: (id: string) =>
      exclusive(async () => {
        const target = targets.find((one) => one.id === id)
        if (target?.temporary === true && isOpen) await leave(target, (await counts()).has(id))
      }),
    sends: (input: { readonly id: string; readonly limit: number }): Promise<ListedSend[]> =>
      store.read('forwardSends', input),
    async close(): Promise<void> {
      isOpen = false
      answerer = null
      claims.close()
      clearTimeout(retry)
      await looking
      // Aborted requests stay in progress, for the next start to resume.
      await exclusive(() =>
        Promise.all([...queues.values()].map((queue) => queue.stop({ uncertain: true }))),
      )
      await feed.close()
    },
  }
}

/** Announces changes and finished requests, at most ten times per second. */
function createFeed(onChanged: (sent: readonly number[]) => Promise<void>) {
  const exclusive = createMutex()
  let sent: number[] = []
  let last: Promise<void> = Promise.resolve()
  const changed = throttle(
    () => {
      const seqs = sent
      sent = []
      // An unreadable store is reported elsewhere.
      last = exclusive(() => onChanged(seqs)).catch(() => undefined)
    },
    { first: 'next-turn' },
  )
  return {
    changed,
    sent(seq: number) {
      sent.push(seq)
      changed()
    },
    /** Announces the latest finished requests. */
    async close() {
      if (sent.length > 0) changed.flush()
      changed.stop()
      await last
    },
  }
}

// Discards a target's pending deliveries. There may be very many, so this happens in batches, and new deliveries are stored in
// between.

/** How many one transaction discards: it takes a few milliseconds. */
const DROPPED_AT_ONCE = 2_000

/** Discards everything pending for a target, with a reason to show. Resolves with the number discarded. */
export async function dropAllWaiting(
  store: Pick<Store, 'write'>,
  id: string,
  reason: string,
): Promise<number> {
  let total = 0
  for (;;) {
    const dropped = await store.write('forwardDrop', { id, reason, most: DROPPED_AT_ONCE })
    total += dropped
    if (dropped < DROPPED_AT_ONCE) return total
  }
}

const iso = (moment: number | null | undefined): string | null =>
  moment == null ? null : new Date(moment).toISOString()

function lightOf({ paused, settings }: StoredTarget, state: QueueState | null): ForwardLight {
  if (!settings.on) return 'off'
  return paused ? 'paused' : (state?.light ?? 'new')
}

/** A target as shown: its settings, status and pending deliveries. */
function shownTarget(
  target: StoredTarget,
  state: QueueState | null,
  counts: QueueCounts | undefined,
  withheld: number,
): ForwardTarget {
  const { id, createdAt, settings, paused, temporary } = target
  return {
    ...settings,
    id,
    createdAt: new Date(createdAt).toISOString(),
    paused,
    temporary,
    allowHosts: [...settings.allowHosts],
    liveEnvironments: [...settings.liveEnvironments],
    light: lightOf(target, state),
    problem: state?.problem ?? null,
    nextTryAt: paused ? null : iso(state?.nextTryAt),
    queue: {
      waiting: counts?.waiting ?? 0,
      underWay: counts?.underWay ?? 0,
      oldestAt: iso(counts?.oldestAt),
    },
    passed: state?.passed ?? 0,
    failed: state?.failed ?? 0,
    withheld,
    lastSentAt: iso(state?.lastSentAt),
  }
}
