/** Forwards deliveries to the user's targets, which can be added, changed, paused and removed. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { ForwardSettings, ForwardState, ForwardTarget } from '../../shared/model/forward.ts'
import { createMutex } from '../base/async.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import type { Responder } from '../receiver/responses.ts'
import type { QueueCounts } from '../store/forward-queue.ts'
import type { Store } from '../store/store.ts'
import type { StoredTarget } from '../store/forward-targets.ts'
import { createTargetResponder } from './target-responder.ts'
import { type ConsentDeps, ForwardConsents } from './forward-consents.ts'
import { ForwardFeed } from './forward-feed.ts'
import { ForwardQueue, type QueueDeps } from './forward-queue.ts'
import { ForwardRouter } from './forward-router.ts'
import { admitTarget, filterOf } from './forward-targets.ts'
import { Leases } from './leases.ts'

interface ForwardsDeps extends ConsentDeps {
  bodyLimit(): number
}

type Counts = ReadonlyMap<string, QueueCounts>

const REMOVED_REASON = "The target was removed before this delivery's turn."
const DISCARDED_REASON = "Discarded from the target's queue."
const MAX_TARGETS = 100

export class Forwards {
  readonly #deps: ForwardsDeps
  readonly #queueDeps: QueueDeps
  readonly #consents: ForwardConsents
  /** Waits of the service for a target's response. */
  readonly #leases: Leases
  readonly #feed = new ForwardFeed((seqs) => this.#announce(seqs))
  readonly #exclusive = createMutex()
  /** Runs work during which no target changes. */
  readonly exclusively = this.#exclusive
  readonly #router: ForwardRouter
  #targets: readonly StoredTarget[] = []
  readonly #queues = new Map<string, ForwardQueue>()
  #responder: Responder | null = null
  #isOpen = false

  constructor(deps: ForwardsDeps) {
    this.#deps = deps
    this.#consents = new ForwardConsents(deps)
    this.#leases = new Leases(deps.clock)
    const isAgreed: QueueDeps['isAgreed'] = (target, hookId) =>
      this.#consents.isAgreed(target, hookId)
    this.#queueDeps = {
      ...deps,
      leases: this.#leases,
      senderTo: ({ id, settings: { targetCa } }) =>
        deps.admission.senderForSaved(() => this.#consents.of(id).allowHosts, targetCa),
      prefixes: () => knownPrefixes(deps.environments),
      isAgreed,
      hookOf: (delivery, target) => this.#consents.hookOf(delivery, target),
      onChanged: (seq) => this.#feed.changed(seq),
    }
    this.#router = new ForwardRouter({
      ...deps,
      targets: () => this.#targets,
      isAgreed,
      onMatched: (ids) => {
        for (const id of ids) this.#queues.get(id)?.proceed()
        this.#feed.changed()
      },
    })
  }

  async start(): Promise<void> {
    const { store } = this.#deps
    await store.write('requeueInterrupted', null)
    this.#targets = await store.read('forwardTargets', null)
    for (const target of this.#targets)
      this.#queues.set(target.id, new ForwardQueue(this.#queueDeps, target))
    this.#isOpen = true
    const pending = await this.#counts()
    for (const target of this.#targets) {
      if (target.temporary) await this.#removeUnlessPending(target, pending)
      else this.#queues.get(target.id)?.proceed()
    }
    this.#applyTargets()
  }

  routeUpTo(seq: number): void {
    if (this.#isOpen && this.#targets.length > 0) this.#router.routeUpTo(seq)
  }

  /** Forgets everything cached about hooks, environments or consent. */
  hooksChanged(): void {
    this.#consents.reset()
  }

  /** Returns the function with which targets respond to the service; null while none does. */
  responder(): Responder | null {
    return this.#responder
  }

  async list(): Promise<ForwardState> {
    this.#requireOpen()
    return this.#state()
  }

  /**
   * Adds a target. Rejects with `INVALID_INPUT`, `INVALID_QUERY`, `TARGET_NOT_ALLOWED` or
   * `CONFIRMATION_REQUIRED`.
   */
  add(
    settings: ForwardSettings,
    { consent, temporary }: { readonly consent: Consent; readonly temporary: boolean },
  ): Promise<ForwardTarget> {
    return this.#change(async () => {
      const { clock, ids, store } = this.#deps
      if (this.#targets.length >= MAX_TARGETS)
        throw new AppError(
          'INVALID_INPUT',
          `You already have ${MAX_TARGETS} targets. Remove one first.`,
        )
      const admitted = await admitTarget(this.#deps, settings, this.#otherNames(null), consent)
      const since = await store.read('newestSeq', null)
      const id = ids.next()
      if (temporary) this.#consents.setOwn(id, consent)
      const createdAt = clock.now()
      return this.#put({ id, createdAt, settings: admitted, paused: false, temporary, since })
    })
  }

  update(id: string, changes: Partial<ForwardSettings>, consent: Consent): Promise<ForwardTarget> {
    return this.#change(async () => {
      const target = this.#find(id)
      const settings = await this.#admit(target, consent, { ...target.settings, ...changes })
      // Deliveries received while the target was off are skipped.
      const isTurnedOn = !target.settings.on && settings.on
      const since = isTurnedOn ? await this.#deps.store.read('newestSeq', null) : target.since
      return this.#put({ ...target, settings, since })
    })
  }

  /** Reads targets that were stored or removed elsewhere, while it is open. */
  async reload(): Promise<void> {
    if (!this.#isOpen) return
    const stored = await this.#deps.store.read('forwardTargets', null)
    const removed = this.#targets.filter(({ id }) => !stored.some((one) => one.id === id))
    this.#targets = stored
    for (const { id } of removed) await this.#stop(id)
    for (const target of stored) this.#follow(target)
    this.#applyTargets()
  }

  /** Removes a target; resolves with the number of pending deliveries, which are discarded. */
  remove(id: string): Promise<number> {
    return this.#change(() => this.#remove(id))
  }

  pause(id: string): Promise<ForwardTarget> {
    return this.#change(() => this.#put({ ...this.#find(id), paused: true }))
  }

  /** Resumes a paused target. Rejects as `add` does. */
  resume(id: string, consent: Consent): Promise<ForwardTarget> {
    return this.#change(async () => {
      await this.#admit(this.#find(id), consent)
      return this.#put({ ...this.#find(id), paused: false })
    })
  }

  /** Resumes a target, and sends even if its next attempt isn't due. Rejects as `add` does. */
  deliver(id: string, consent: Consent): Promise<ForwardTarget> {
    return this.#change(async () => {
      await this.#admit(this.#find(id), consent)
      const target = await this.#put({ ...this.#find(id), paused: false })
      this.#queues.get(id)?.proceed({ atOnce: true })
      return target
    })
  }

  /** Discards a target's pending deliveries; resolves with their number. */
  discard(id: string): Promise<number> {
    return this.#change(async () => {
      this.#find(id)
      const count = await discardAllPending(this.#deps.store, id, DISCARDED_REASON)
      this.#leases.failAll(id, "the target's pending deliveries were discarded.")
      this.#feed.changed()
      return count
    })
  }

  /** Removes a temporary target, or pauses it if deliveries are pending. */
  endTemporary(id: string): Promise<void> {
    return this.#exclusive(async () => {
      const target = this.#targets.find((other) => other.id === id)
      if (target?.temporary === true && this.#isOpen)
        await this.#removeUnlessPending(target, await this.#counts())
    })
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#responder = null
    this.#leases.close()
    await this.#router.close()
    // Aborted requests stay in progress, for the next start to resume.
    await this.#exclusive(() =>
      Promise.all(
        [...this.#queues.values()].map((queue) => queue.stop({ leavesInProgress: true })),
      ),
    )
    await this.#feed.close()
  }

  /** Applies the current targets: which respond, and which deliveries they get. */
  #applyTargets(): void {
    // Closing may overtake a change, whose targets must not respond then.
    if (!this.#isOpen) return
    const { store } = this.#deps
    this.#responder = createTargetResponder(this.#targets, {
      leases: this.#leases,
      filterOf: (target) => filterOf(this.#deps, target),
      isAgreed: this.#queueDeps.isAgreed,
      // Without the database, the hook's rule responds.
      findRoute: async (search) => {
        const id = await store.read('firstRoute', search).catch(() => null)
        return this.#isOpen ? id : null
      },
      enqueue: async ({ id, settings }, deliverySeq) => {
        const row = { targetId: id, url: settings.url, deliverySeq, answers: true }
        await store.write('enqueue', { rows: [row], upTo: null })
        // The service is waiting, so check right away whether the target is up again.
        this.#queues.get(id)?.proceed({ atOnce: true })
      },
    })
    this.#router.route()
    this.#feed.changed()
  }

  async #put(target: StoredTarget): Promise<ForwardTarget> {
    await this.#deps.store.write('putTarget', target)
    const isNew = !this.#targets.some(({ id }) => id === target.id)
    this.#targets = isNew
      ? [...this.#targets, target]
      : this.#targets.map((other) => (other.id === target.id ? target : other))
    this.#follow(target)
    this.#applyTargets()
    return this.#show(target, await this.#counts())
  }

  /** Gives a target's queue its settings, and continues it. */
  #follow(target: StoredTarget): void {
    const existing = this.#queues.get(target.id)
    const queue = existing ?? new ForwardQueue(this.#queueDeps, target)
    this.#queues.set(target.id, queue)
    existing?.change(target)
    queue.proceed()
  }

  /** Ends what a removed target was doing. */
  async #stop(id: string): Promise<void> {
    this.#consents.forgetOwn(id)
    const queue = this.#queues.get(id)
    this.#queues.delete(id)
    this.#leases.failAll(id, 'the target was removed before it responded.')
    await queue?.stop({ leavesInProgress: false })
  }

  async #remove(id: string): Promise<number> {
    const { store } = this.#deps
    this.#find(id)
    const pending = await discardAllPending(store, id, REMOVED_REASON)
    const count = pending + (await store.write('removeTarget', { id, reason: REMOVED_REASON }))
    this.#targets = this.#targets.filter((target) => target.id !== id)
    await this.#stop(id)
    this.#applyTargets()
    return count
  }

  async #removeUnlessPending({ id }: StoredTarget, pending: Counts): Promise<void> {
    this.#consents.forgetOwn(id)
    if (pending.has(id)) await this.#put({ ...this.#find(id), paused: true, temporary: false })
    else await this.#remove(id)
  }

  /**
   * Admits a changed target; a temporary one then loses the consent of the command that added it.
   */
  async #admit({ id, settings }: StoredTarget, consent: Consent, next = settings) {
    const admitted = await admitTarget(this.#deps, next, this.#otherNames(id), consent)
    this.#consents.forgetOwn(id)
    return admitted
  }

  #otherNames(targetId: string | null): string[] {
    return this.#targets.flatMap(({ id, settings }) => (id === targetId ? [] : [settings.name]))
  }

  /** Throws `NOT_FOUND`. */
  #find(id: string): StoredTarget {
    const target = this.#targets.find((other) => other.id === id)
    if (target !== undefined) return target
    throw new AppError('NOT_FOUND', 'Target not found. It may have been removed.')
  }

  /** Runs one change at a time. Rejects with `NOT_RUNNING` unless forwarding runs. */
  #change<Output>(work: () => Promise<Output>): Promise<Output> {
    return this.#exclusive(() => {
      this.#requireOpen()
      return work()
    })
  }

  #requireOpen(): void {
    if (!this.#isOpen)
      throw new AppError(
        'NOT_RUNNING',
        'Forwarding needs Countersign running. Run "countersign serve" (or open the app), then try again.',
      )
  }

  async #announce(seqs: readonly number[]): Promise<void> {
    const { hub, store } = this.#deps
    if (seqs.length > 0)
      hub.emit('forward.sent', { sends: [...(await store.read('forwardSent', seqs))] })
    hub.emit('forward.changed', await this.#state())
  }

  async #state(): Promise<ForwardState> {
    const counts = await this.#counts()
    return { targets: this.#targets.map((target) => this.#show(target, counts)) }
  }

  async #counts(): Promise<Counts> {
    const counts = await this.#deps.store.read('queueCounts', null)
    return new Map(counts.map((count) => [count.targetId, count]))
  }

  #show(target: StoredTarget, counts: Counts): ForwardTarget {
    const { id, createdAt, settings, paused, temporary } = target
    const state = this.#queues.get(id)?.state
    const pending = counts.get(id)
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
      withheld: this.#router.withheldFor(id),
      lastSentAt: iso(state?.lastSentAt),
    }
  }
}

/** Maximum number of deliveries that one transaction discards, to take only a few milliseconds. */
const DISCARDED_AT_ONCE = 2_000

export async function discardAllPending(
  store: Pick<Store, 'write'>,
  id: string,
  reason: string,
): Promise<number> {
  let total = 0
  for (;;) {
    const count = await store.write('discardPending', { id, reason, limit: DISCARDED_AT_ONCE })
    total += count
    if (count < DISCARDED_AT_ONCE) return total
  }
}

const iso = (moment: number | null | undefined): string | null =>
  moment == null ? null : new Date(moment).toISOString()
