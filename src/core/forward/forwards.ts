/**
 * Forwarding, composed: targets that are kept, the decision where each delivery goes, a queue for each target, and the answers that
 * targets or people give. It runs where deliveries are received, and nowhere else.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ForwardSettings, ForwardState, ForwardTarget, HandAnswer } from '../../shared/model/forward.ts'
import type { Send } from '../../shared/model/send.ts'
import { readQuery } from '../../shared/query/parse.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Clock, Ids, Log } from '../deps.ts'
import type { Guard } from '../dispatch/guarded-sender.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { createTurns } from '../in-turn.ts'
import type { OwnSends } from '../replay/own-sends.ts'
import { createRecorder } from '../replay/recorder.ts'
import { createHookOf, knownPrefixes } from '../replay/signing-hooks.ts'
import type { QueueCounts } from '../store/forward-queue-repo.ts'
import type { StoredTarget } from '../store/forward-targets-repo.ts'
import type { Store } from '../store/store.ts'
import { agreed, named, type ForwardConsent } from './agreement.ts'
import { createAnswerer, type Answerer } from './answering.ts'
import { createClaims } from './claims.ts'
import { createHeld } from './held.ts'
import { createQueue, type Queue } from './queue.ts'
import { createRouting } from './routing.ts'
import { shownTarget } from './shown-target.ts'
import { checkForwardTarget, type CheckedTarget } from './target-rules.ts'
import { createTeller } from './teller.ts'

export interface ForwardsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly hooks: Pick<Hooks, 'list' | 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly guard: Guard
  /** Hears how everything stands, at most ten times a second. */
  onChanged(state: ForwardState): void
  /** Hears of sends that have ended. */
  onSent(sends: readonly Send[]): void
}

export interface Forwards {
  /** Takes up what an earlier run left, and begins. */
  start(): Promise<void>
  /** Hears that deliveries are described, the newest of them by seq. */
  described(seq: number): void
  /** Hears that hooks or environments are other than before. */
  hooksChanged(): void
  /** Asked for each delivery before it is answered; null while no target answers. */
  answerer(): Answerer | null
  list(): Promise<ForwardState>
  check(
    settings: ForwardSettings,
    options: { readonly id: string | undefined; readonly allowHosts: readonly string[] },
  ): Promise<CheckedTarget>
  /** Rejects with `INVALID_INPUT`, `INVALID_QUERY`, `TARGET_NOT_ALLOWED` or `CONFIRMATION_REQUIRED`. */
  add(settings: ForwardSettings, options: ForwardConsent & { readonly temporary: boolean }): Promise<ForwardTarget>
  update(id: string, change: Partial<ForwardSettings>, consent: ForwardConsent): Promise<ForwardTarget>
  /** Gives how many deliveries waited for it. */
  remove(id: string): Promise<number>
  setPaused(id: string, paused: boolean): Promise<ForwardTarget>
  deliver(id: string): Promise<ForwardTarget>
  drop(id: string): Promise<number>
  /** Ends a temporary target whose command has gone; one that something waits for stays, paused. */
  leave(id: string): Promise<void>
  sends(input: { readonly id: string; readonly limit: number }): Promise<Send[]>
  answer(deliveryId: string, answer: HandAnswer): void
  release(deliveryId: string): void
  close(): Promise<void>
}

const DROPPED = 'It was dropped from the queue of its target.'
const REMOVED = 'Its target was removed before its turn.'
const MOST_TARGETS = 100

export function createForwards(deps: ForwardsDeps): Forwards {
  const { store, hooks, environments, clock, log } = deps
  let targets: readonly StoredTarget[] = []
  const queues = new Map<string, Queue>()
  const inTurn = createTurns()
  const recorder = createRecorder(store)
  let hookOfUrl = new Map<string | null, ReturnType<typeof createHookOf>>()
  let answerer: Answerer | null = null
  let isOpen = false

  const readRoute = (query: string): Query => readQuery(query, { now: clock.now(), hooks: hooks.list() })
  const claims = createClaims(clock)
  const teller = createTeller(clock, async (sent) => {
    if (sent.length > 0) deps.onSent(await store.read('forwardSent', sent))
    deps.onChanged(await list())
  })
  const held = createHeld({ clock, onChanged: teller.changed })
  const routing = createRouting({
    store,
    log,
    readRoute,
    targets: () => targets,
    onRouted: (targetIds) => {
      for (const id of targetIds) queues.get(id)?.kick()
      teller.changed()
    },
  })

  const queueDeps = {
    store,
    clock,
    log,
    guard: deps.guard,
    ownSends: deps.ownSends,
    recorder,
    claims,
    prefixes: () => knownPrefixes(environments),
    hookOf: (delivery: { readonly hookId: string | null }, registeredUrl: string | null) => {
      const known = hookOfUrl.get(registeredUrl) ?? createHookOf({ hooks, environments }, { hookId: null, registeredUrl })
      hookOfUrl.set(registeredUrl, known)
      return known(delivery)
    },
    onChanged: teller.changed,
    onSent: teller.sent,
  }

  function ready(): void {
    answerer = createAnswerer(targets, {
      claims,
      held,
      readRoute,
      enqueue: async ({ id, settings }, deliverySeq) => {
        await store.write('forwardEnqueue', {
          rows: [{ targetId: id, url: settings.url, deliverySeq, answers: true }],
          upTo: null,
        })
        // The service waits: whether the target is there again is found out now.
        queues.get(id)?.kick({ atOnce: true })
      },
    })
    routing.look()
    teller.changed()
  }

  function find(id: string): StoredTarget {
    const found = targets.find((target) => target.id === id)
    if (found !== undefined) return found
    throw new AppError('NOT_FOUND', 'This target is not there any more. List the targets to see those that are.')
  }

  const counts = async (): Promise<ReadonlyMap<string, QueueCounts>> =>
    new Map((await store.read('forwardCounts', null)).map((count) => [count.targetId, count]))

  const show = (target: StoredTarget, all: ReadonlyMap<string, QueueCounts>): ForwardTarget =>
    shownTarget(target, queues.get(target.id)?.state() ?? null, all.get(target.id), routing.withheld(target.id))

  async function list(): Promise<ForwardState> {
    const all = await counts()
    return { targets: targets.map((target) => show(target, all)), held: held.list() }
  }

  /** Keeps a target as it now is, and lets it take effect. */
  async function keep(target: StoredTarget): Promise<ForwardTarget> {
    await store.write('forwardPut', target)
    const isNew = !targets.some(({ id }) => id === target.id)
    targets = isNew ? [...targets, target] : targets.map((one) => (one.id === target.id ? target : one))
    const queue = queues.get(target.id)
    if (queue === undefined) queues.set(target.id, createQueue(queueDeps, target))
    else queue.change(target)
    queues.get(target.id)?.kick()
    ready()
    return show(target, await counts())
  }

  const check: Forwards['check'] = (settings, { id, allowHosts }) =>
    checkForwardTarget(settings, allowHosts, {
      guard: deps.guard,
      readRoute,
      hooks: () => hooks.list().filter(({ status }) => status !== 'deleted'),
      takenNames: () => targets.filter((target) => target.id !== id).map((target) => target.settings.name),
    })

  /** Named, and agreed to. `before`: the target that is changed. */
  function agree(
    settings: ForwardSettings,
    before: StoredTarget | null,
    consent: ForwardConsent,
  ): Promise<StoredTarget['settings']> {
    const whole = named(
      settings,
      targets.map((target) => target.settings.name),
    )
    const { allowHosts, liveEnvironments } = before?.settings ?? { allowHosts: [], liveEnvironments: [] }
    return agreed(whole, { allowHosts, liveEnvironments }, consent, (hosts) =>
      check(whole, { id: before?.id, allowHosts: hosts }),
    )
  }

  function mustBeOpen(): void {
    if (!isOpen)
      throw new AppError(
        'NOT_RUNNING',
        'Forwarding needs the running service. Start it with "countersign serve" (or open the app) and try again.',
      )
  }

  async function forget(id: string): Promise<number> {
    find(id)
    const dropped = await store.write('forwardRemove', { id, reason: REMOVED })
    targets = targets.filter((target) => target.id !== id)
    const queue = queues.get(id)
    queues.delete(id)
    held.releaseAll(id)
    claims.failAll(id, 'the target was removed before it answered.')
    await queue?.stop({ uncertain: false })
    ready()
    return dropped
  }

  return {
    async start() {
      await store.write('forwardRevive', null)
      targets = await store.read('forwardTargets', null)
      isOpen = true
      const waiting = await counts()
      for (const target of targets) queues.set(target.id, createQueue(queueDeps, target))
      for (const { id, temporary } of targets) {
        // The command that it belonged to has gone with the program.
        if (temporary && waiting.has(id)) await keep({ ...find(id), paused: true, temporary: false })
        else if (temporary) await forget(id)
        else queues.get(id)?.kick()
      }
      ready()
    },
    described: routing.described,
    hooksChanged() {
      hookOfUrl = new Map()
    },
    answerer: () => answerer,
    list: async () => {
      mustBeOpen()
      return list()
    },
    async check(settings, options) {
      mustBeOpen()
      return check(settings, options)
    },
    add: (settings, { temporary, ...consent }) =>
      inTurn(async () => {
        mustBeOpen()
        if (targets.length >= MOST_TARGETS)
          throw new AppError('INVALID_INPUT', `There are ${MOST_TARGETS} targets already. Remove one first.`)
        const kept = await agree(settings, null, consent)
        const since = await store.read('newestSeq', null)
        return keep({ id: deps.ids.next(), createdAt: clock.now(), settings: kept, paused: false, temporary, since })
      }),
    update: (id, change, consent) =>
      inTurn(async () => {
        mustBeOpen()
        const before = find(id)
        const { allowHosts: _hosts, liveEnvironments: _live, ...settings } = before.settings
        const kept = await agree({ ...settings, ...change }, before, consent)
        // What came while it was off, or went nowhere, passes it by.
        const wasIdle = !settings.on || settings.url === ''
        const since = wasIdle && kept.on ? await store.read('newestSeq', null) : before.since
        return keep({ ...before, settings: kept, since })
      }),
    remove: (id) =>
      inTurn(async () => {
        mustBeOpen()
        return forget(id)
      }),
    setPaused: (id, paused) =>
      inTurn(async () => {
        mustBeOpen()
        if (paused) held.releaseAll(id)
        return keep({ ...find(id), paused })
      }),
    deliver: (id) =>
      inTurn(async () => {
        mustBeOpen()
        const target = await keep({ ...find(id), paused: false })
        queues.get(id)?.kick({ atOnce: true })
        return target
      }),
    drop: (id) =>
      inTurn(async () => {
        mustBeOpen()
        find(id)
        const dropped = await store.write('forwardDrop', { id, reason: DROPPED })
        claims.failAll(id, 'what waited for the target was dropped.')
        teller.changed()
        return dropped
      }),
    leave: (id) =>
      inTurn(async () => {
        const target = targets.find((one) => one.id === id)
        if (target?.temporary !== true || !isOpen) return
        if ((await counts()).has(id)) await keep({ ...target, paused: true, temporary: false })
        else await forget(id)
      }),
    sends: (input) => store.read('forwardSends', input),
    answer: (deliveryId, answer) => {
      held.answer(deliveryId, answer)
    },
    release: (deliveryId) => {
      held.release(deliveryId)
    },
    async close() {
      isOpen = false
      answerer = null
      held.releaseAll(null)
      claims.close()
      await routing.close()
      await inTurn(() => Promise.all([...queues.values()].map((queue) => queue.stop({ uncertain: true }))))
      await teller.close()
    },
  }
}
