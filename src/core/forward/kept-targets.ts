/** The targets as they are kept, each with its queue: taken up at the start, shown with what waits for them, changed and removed. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ForwardTarget, ForwardLight } from '../../shared/model/forward.ts'
import type { QueueCounts, StoredTarget } from '../store/forward-repo.ts'
import type { Store } from '../store/store.ts'
import type { Queue } from './queue.ts'
import { SENDS_AT_ONCE } from '../store/waiting-sends.ts'
import type { QueueState } from './target-state.ts'

interface KeptTargets {
  /** In the order in which they were made. */
  all(): readonly StoredTarget[]
  /** Throws `NOT_FOUND`. */
  find(id: string): StoredTarget
  list(): Promise<ForwardTarget[]>
  /** Something may wait for it; one that is gone has nothing. */
  kick: (id: string, options?: Parameters<Queue['kick']>[0]) => void
  /** How much waits, by target; those of which nothing does are left out. */
  counts(): Promise<ReadonlyMap<string, QueueCounts>>
  /** Reads those of an earlier run; nothing goes to any before it is kicked. */
  load(): Promise<void>
  /** Keeps a target as it now is, and lets it take effect. */
  put(target: StoredTarget): Promise<ForwardTarget>
  /** Forgets a target, and cuts off what is under way to it; gives how many deliveries waited for it. Rejects with `NOT_FOUND`. */
  remove(id: string): Promise<number>
  /** What is cut off is left as under way: the next start takes it up. */
  stop(): Promise<void>
}

interface KeptTargetsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  openQueue(target: StoredTarget): Queue
  /** How many deliveries were kept back from a target. */
  withheld(targetId: string): number
  /** A target is gone: whoever waits for its answer is to be told. */
  onGone(targetId: string): void
  /** There are others than before, or one is different. */
  onChanged(): void
}

const REMOVED = "The target was removed before this delivery's turn."

export function createKeptTargets({ store, openQueue, withheld, onGone, onChanged }: KeptTargetsDeps): KeptTargets {
  let targets: readonly StoredTarget[] = []
  const queues = new Map<string, Queue>()

  const counts = async (): Promise<ReadonlyMap<string, QueueCounts>> =>
    new Map((await store.read('forwardCounts', null)).map((count) => [count.targetId, count]))

  const show = (target: StoredTarget, all: ReadonlyMap<string, QueueCounts>): ForwardTarget =>
    shownTarget(target, queues.get(target.id)?.state() ?? null, all.get(target.id), withheld(target.id))

  function find(id: string): StoredTarget {
    const found = targets.find((target) => target.id === id)
    if (found !== undefined) return found
    throw new AppError('NOT_FOUND', 'Target not found. It may have been removed.')
  }

  return {
    all: () => targets,
    find,
    async list() {
      const all = await counts()
      return targets.map((target) => show(target, all))
    },
    kick(id, options) {
      queues.get(id)?.kick(options)
    },
    counts,
    async load() {
      targets = await store.read('forwardTargets', null)
      for (const target of targets) queues.set(target.id, openQueue(target))
    },
    async put(target) {
      await store.write('forwardPut', target)
      const isNew = !targets.some(({ id }) => id === target.id)
      targets = isNew ? [...targets, target] : targets.map((one) => (one.id === target.id ? target : one))
      const there = queues.get(target.id)
      const queue = there ?? openQueue(target)
      queues.set(target.id, queue)
      there?.change(target)
      queue.kick()
      onChanged()
      return show(target, await counts())
    },
    async remove(id) {
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
    async stop() {
      await Promise.all([...queues.values()].map((queue) => queue.stop({ uncertain: true })))
    },
  }
}

// Pending deliveries of a target that will not be sent. There may be very many: they are dropped piece by piece, and new
// deliveries are stored in between.

/** Drops all that waits for a target, for a reason that is shown; resolves with how many that were. */
export async function dropAllWaiting(store: Pick<Store, 'write'>, id: string, reason: string): Promise<number> {
  let total = 0
  for (;;) {
    const dropped = await store.write('forwardDrop', { id, reason, most: SENDS_AT_ONCE })
    total += dropped
    if (dropped < SENDS_AT_ONCE) return total
  }
}

const iso = (moment: number | null | undefined): string | null => (moment == null ? null : new Date(moment).toISOString())

function lightOf({ paused, settings }: StoredTarget, state: QueueState | null): ForwardLight {
  if (!settings.on) return 'off'
  return paused ? 'paused' : (state?.light ?? 'new')
}

/** A target as it is shown: what is kept of it, how it does, and what waits for it. */
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
    queue: { waiting: counts?.waiting ?? 0, underWay: counts?.underWay ?? 0, oldestAt: iso(counts?.oldestAt) },
    passed: state?.passed ?? 0,
    failed: state?.failed ?? 0,
    withheld,
    lastSentAt: iso(state?.lastSentAt),
  }
}
