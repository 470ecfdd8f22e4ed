/** The stored targets with their queues: loaded at the start, shown with their pending deliveries, changed and removed. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ForwardTarget, ForwardLight } from '../../shared/model/forward.ts'
import type { QueueCounts, StoredTarget } from '../store/forward-repo.ts'
import type { Store } from '../store/store.ts'
import type { Queue } from './queue.ts'
import { SENDS_AT_ONCE } from '../store/waiting-sends.ts'
import type { QueueState } from './target-state.ts'

interface KeptTargetsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  openQueue(target: StoredTarget): Queue
  /** How many deliveries were withheld from a target. */
  withheld(targetId: string): number
  /** Called when a target is removed, so that deliveries waiting for its response get another one. */
  onGone(targetId: string): void
  /** Called when targets are added, removed or changed. */
  onChanged(): void
}

const REMOVED = "The target was removed before this delivery's turn."

export function createKeptTargets({
  store,
  openQueue,
  withheld,
  onGone,
  onChanged,
}: KeptTargetsDeps) {
  let targets: readonly StoredTarget[] = []
  const queues = new Map<string, Queue>()

  /** Number of pending deliveries by target, without targets that have nothing pending. */
  const counts = async (): Promise<ReadonlyMap<string, QueueCounts>> =>
    new Map((await store.read('forwardCounts', null)).map((count) => [count.targetId, count]))

  const show = (target: StoredTarget, all: ReadonlyMap<string, QueueCounts>): ForwardTarget =>
    shownTarget(
      target,
      queues.get(target.id)?.state() ?? null,
      all.get(target.id),
      withheld(target.id),
    )

  /** Throws `NOT_FOUND`. */
  function find(id: string): StoredTarget {
    const found = targets.find((target) => target.id === id)
    if (found !== undefined) return found
    throw new AppError('NOT_FOUND', 'Target not found. It may have been removed.')
  }

  return {
    /** In order of creation. */
    all: () => targets,
    find,
    async list(): Promise<ForwardTarget[]> {
      const all = await counts()
      return targets.map((target) => show(target, all))
    },
    /** Call when deliveries may be pending. Does nothing for a removed target. */
    kick(id: string, options?: Parameters<Queue['kick']>[0]): void {
      queues.get(id)?.kick(options)
    },
    counts,
    /** Loads the previous run's targets. Nothing is sent before a kick. */
    async load(): Promise<void> {
      targets = await store.read('forwardTargets', null)
      for (const target of targets) queues.set(target.id, openQueue(target))
    },
    /** Stores a changed target and applies it. */
    async put(target: StoredTarget): Promise<ForwardTarget> {
      await store.write('forwardPut', target)
      const isNew = !targets.some(({ id }) => id === target.id)
      targets = isNew
        ? [...targets, target]
        : targets.map((one) => (one.id === target.id ? target : one))
      const there = queues.get(target.id)
      const queue = there ?? openQueue(target)
      queues.set(target.id, queue)
      there?.change(target)
      queue.kick()
      onChanged()
      return show(target, await counts())
    },
    /** Removes a target and aborts its requests. Returns how many deliveries were pending. Rejects with `NOT_FOUND`. */
    async remove(id: string): Promise<number> {
      find(id)
      const waited = await dropAllWaiting(store, id, REMOVED)
      const dropped = waited + (await store.write('forwardRemove', { id, reason: REMOVED }))
      targets = targets.filter((target) => target.id !== id)
      const queue = queues.get(id)
      queues.delete(id)
      onGone(id)
      await queue?.stop({ uncertain: false })
      onChanged()
      return dropped
    },
    /** Aborts requests but leaves them in progress, for the next start to resume. */
    async stop(): Promise<void> {
      await Promise.all([...queues.values()].map((queue) => queue.stop({ uncertain: true })))
    },
  }
}

// Discards a target's pending deliveries. There may be very many, so this happens in batches, and new deliveries are stored in
// between.

/** Discards everything pending for a target, with a reason to show. Resolves with the number discarded. */
export async function dropAllWaiting(
  store: Pick<Store, 'write'>,
  id: string,
  reason: string,
): Promise<number> {
  let total = 0
  for (;;) {
    const dropped = await store.write('forwardDrop', { id, reason, most: SENDS_AT_ONCE })
    total += dropped
    if (dropped < SENDS_AT_ONCE) return total
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
