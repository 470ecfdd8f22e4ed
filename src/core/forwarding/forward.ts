/**
 * Forwarding: stored targets, routing, one queue per target, and responses by targets. Runs only where deliveries are received.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { type Consent, withoutConsent } from '../../shared/model/consent.ts'
import type { ForwardSettings, ForwardState, ForwardTarget } from '../../shared/model/forward.ts'
import type { Query } from '../../shared/query/query.ts'
import { createCatchUp, createMutex, throttle } from '../base/async.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { createHookOf, type SendingDeps, type Signers } from '../outgoing/admit.ts'
import type { Answerer } from '../receiver/intake.ts'
import type { StoredTarget, QueueCounts, ForwardRoute } from '../store/forward.ts'
import type { Store } from '../store/store.ts'
import { createAnswerer, createLeases } from './forward-answers.ts'
import { createQueue, type QueueDeps, type Queue } from './forward-queue.ts'
import { admitTarget, readRoute } from './forward-targets.ts'

interface ForwardsDeps extends SendingDeps {
  /** Maximum bytes of a handler's response that goes back to the service. */
  bodyLimit(): number
  /** Consent of saved targets. */
  keptConsent(): Consent
}

export type Forwards = ReturnType<typeof createForwards>

const REMOVED = "The target was removed before this delivery's turn."
const RETRY_MS = 1_000
const DROPPED = "Discarded from the target's queue."
const MOST_TARGETS = 100

export function createForwards(deps: ForwardsDeps) {
  const { store, environments, clock, log, admission } = deps
  const exclusive = createMutex()
  let hookOfUrl = new Map<string, ReturnType<typeof createHookOf>>()
  /** By hook ID, because it is looked up for each delivery. */
  let liveOfHook = new Map<string, readonly string[]>()
  let targets: readonly StoredTarget[] = []
  const queues = new Map<string, Queue>()
  /** Consent of temporary targets, by ID: it ends with their command. */
  const ownConsents = new Map<string, Consent>()
  const consentOf = (id: string): Consent => ownConsents.get(id) ?? deps.keptConsent()
  let answerer: Answerer | null = null
  let isOpen = false

  /** A target's filter; null if no delivery can match it, because a hook that it names is gone. */
  function routeOf({ settings }: StoredTarget): Query | null {
    try {
      return readRoute(deps, settings.query)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
  const isAgreed = ({ id }: StoredTarget, hookId: string | null): boolean => {
    if (hookId === null) return true
    const live = liveOfHook.get(hookId) ?? admission.liveEnvironments({ hookIds: [hookId] })
    liveOfHook.set(hookId, live)
    return withoutConsent(live, consentOf(id)).length === 0
  }
  /** A saved handler may sign with another secret than when the target was saved. */
  const confirming = (id: string) => ({
    confirmSigner(signers: Signers) {
      const missing = withoutConsent(admission.liveEnvironments(signers), consentOf(id))
      if (missing.length === 0) return
      throw new AppError(
        'CONFIRMATION_REQUIRED',
        `The secret is live (${missing.join(', ')}), and forwarding with it isn't confirmed. Save the target again to confirm.`,
      )
    },
  })
  const claims = createLeases(clock)
  const feed = createFeed(async (sent) => {
    if (sent.length > 0)
      deps.hub.emit('forward.sent', { sends: [...(await store.read('forwardSent', sent))] })
    deps.hub.emit('forward.changed', await list())
  })
  const queueDeps: QueueDeps = {
    ...deps,
    senderForSaved: ({ id, settings: { targetCa } }) =>
      admission.senderForSaved(() => consentOf(id).allowHosts, targetCa),
    claims,
    prefixes: () => knownPrefixes(environments),
    isAgreed,
    hookOf: (delivery, { id, settings: { registeredUrl, handlerId } }) => {
      const key = JSON.stringify([id, registeredUrl, handlerId])
      const known =
        hookOfUrl.get(key) ??
        createHookOf(deps, { hookId: null, registeredUrl, handlerId }, confirming(id))
      hookOfUrl.set(key, known)
      return known(delivery)
    },
    onChanged: feed.changed,
  }
  /** How many deliveries were withheld from a target since the start, because their live environment isn't confirmed. */
  const withheld = new Map<string, number>()
  let decidedUpTo = 0

  /** Number of pending deliveries by target, without targets that have nothing pending. */
  const counts = async (): Promise<ReadonlyMap<string, QueueCounts>> =>
    new Map((await store.read('forwardCounts', null)).map((count) => [count.targetId, count]))

  function show(
    { id, createdAt, settings, paused, temporary }: StoredTarget,
    all: ReadonlyMap<string, QueueCounts>,
  ): ForwardTarget {
    const state = queues.get(id)?.state()
    const pending = all.get(id)
    return {
      ...settings,
      id,
      createdAt: new Date(createdAt).toISOString(),
      paused,
      temporary,
      light: !settings.on ? 'off' : paused ? 'paused' : (state?.light ?? 'new'),
      problem: state?.problem ?? null,
      nextTryAt: paused ? null : iso(state?.nextTryAt),
      queue: {
        waiting: pending?.waiting ?? 0,
        underWay: pending?.underWay ?? 0,
        oldestAt: iso(pending?.oldestAt),
      },
      passed: state?.passed ?? 0,
      failed: state?.failed ?? 0,
      withheld: withheld.get(id) ?? 0,
      lastSentAt: iso(state?.lastSentAt),
    }
  }

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
    queue.proceed()
    ready()
    return show(target, await counts())
  }

  /** Removes a target and aborts its requests. Returns how many deliveries were pending. Rejects with `NOT_FOUND`. */
  async function remove(id: string): Promise<number> {
    find(id)
    const waited = await dropAllWaiting(store, id, REMOVED)
    const dropped = waited + (await store.write('forwardRemove', { id, reason: REMOVED }))
    targets = targets.filter((target) => target.id !== id)
    ownConsents.delete(id)
    const queue = queues.get(id)
    queues.delete(id)
    claims.failAll(id, 'the target was removed before it responded.')
    await queue?.stop({ uncertain: false })
    ready()
    return dropped
  }

  /**
   * Routes each delivery to its targets after it is described, once and in order. Progress is stored in the same commit as the queues,
   * so that no delivery is skipped if Countersign stops in between. Resolves with whether there may be more.
   */
  async function decide(): Promise<boolean> {
    const on = targets.filter(({ settings }) => settings.on)
    const routes = on.flatMap((target): ForwardRoute[] => {
      const query = routeOf(target)
      return query === null ? [] : [{ targetId: target.id, query, since: target.since }]
    })
    if (routes.length === 0 || !isOpen) return false
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
      for (const id of new Set(found.map(({ targetId }) => targetId))) queues.get(id)?.proceed()
      feed.changed()
    }
    return more
  }

  /** Checks for deliveries that aren't routed yet. */
  const routing = createCatchUp(
    async () => {
      while (await decide());
    },
    { log, warning: "Couldn't decide where deliveries go. Retrying.", afterMs: RETRY_MS },
  )

  /** Applies the current targets: which ones respond, and which deliveries they get. */
  function ready(): void {
    // A change that finishes after closing must not make targets respond.
    if (!isOpen) return
    answerer = createAnswerer(targets, {
      claims,
      routeOf,
      isAgreed,
      // Without the database, the hook's rule responds.
      findRoute: async (search) => {
        const id = await store.read('forwardFirst', search).catch(() => null)
        return isOpen ? id : null
      },
      enqueue: async ({ id, settings }, deliverySeq) => {
        await store.write('forwardEnqueue', {
          rows: [{ targetId: id, url: settings.url, deliverySeq, answers: true }],
          upTo: null,
        })
        // The service is waiting, so check right away whether the target is up again.
        queues.get(id)?.proceed({ atOnce: true })
      },
    })
    void routing.request()
    feed.changed()
  }

  const namesBut = (but: string | undefined) =>
    targets.flatMap(({ id, settings }) => (id === but ? [] : [settings.name]))

  /** Checks a target, which has the consent of its command only until it is changed. */
  async function agree({ id, settings }: StoredTarget, consent: Consent, next = settings) {
    const kept = await admitTarget(deps, next, namesBut(id), consent)
    ownConsents.delete(id)
    return kept
  }

  /** A temporary target whose command has ended. If deliveries are pending, it is kept and paused. */
  async function leave({ id }: StoredTarget, isWaitedFor: boolean): Promise<void> {
    ownConsents.delete(id)
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
        else queues.get(target.id)?.proceed()
      }
      ready()
    },
    /** Call when deliveries are described, with the latest seq. */
    described(seq: number): void {
      if (isOpen && seq > decidedUpTo && targets.length > 0) void routing.request()
    },
    /** Call when hooks, environments or consent change. */
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
    /** Rejects with `INVALID_INPUT`, `INVALID_QUERY`, `TARGET_NOT_ALLOWED` or `CONFIRMATION_REQUIRED`. */
    add: (
      settings: ForwardSettings,
      consent: Consent,
      temporary: boolean,
    ): Promise<ForwardTarget> =>
      change(async () => {
        if (targets.length >= MOST_TARGETS)
          throw new AppError(
            'INVALID_INPUT',
            `You already have ${MOST_TARGETS} targets. Remove one first.`,
          )
        const kept = await admitTarget(deps, settings, namesBut(undefined), consent)
        const since = await store.read('newestSeq', null)
        const id = deps.ids.next()
        if (temporary) ownConsents.set(id, consent)
        return put({
          id,
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
      consent: Consent,
    ): Promise<ForwardTarget> =>
      change(async () => {
        const before = find(id)
        const { settings } = before
        const kept = await agree(before, consent, { ...settings, ...changed })
        // Deliveries received while the target was off are skipped.
        const since = !settings.on && kept.on ? await store.read('newestSeq', null) : before.since
        return put({ ...before, settings: kept, since })
      }),
    /** Returns how many deliveries were pending. */
    remove: (id: string) => change(() => remove(id)),
    pause: (id: string) => change(() => put({ ...find(id), paused: true })),
    /** Rejects as `add` does. */
    resume: (id: string, consent: Consent) =>
      change(async () => {
        await agree(find(id), consent)
        return put({ ...find(id), paused: false })
      }),
    /** Rejects as `add` does. */
    deliver: (id: string, consent: Consent) =>
      change(async () => {
        await agree(find(id), consent)
        const target = await put({ ...find(id), paused: false })
        queues.get(id)?.proceed({ atOnce: true })
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
    async close(): Promise<void> {
      isOpen = false
      answerer = null
      claims.close()
      await routing.close()
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
    /** `seq`: of a request that is finished. */
    changed(seq?: number) {
      if (seq !== undefined) sent.push(seq)
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
