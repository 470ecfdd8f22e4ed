/** Marks, deletion, limits and disk space in one place for the rest of the core. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { Retention, Storage, MarksChange } from '../../shared/model/retention.ts'
import {
  createDeletions,
  createRemoval,
  type Deletions,
  type KeepingDeps,
  type Removal,
} from './deletions.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks, createMutex } from '../base/async.ts'

interface Options extends KeepingDeps {
  limits(): Retention
  /** Whether deliveries are received. Otherwise nothing is removed automatically. */
  readonly isServing: boolean
}

export type RetentionService = ReturnType<typeof createRetentionService>

export function createRetentionService(deps: Options) {
  const { store, hub } = deps
  const removal = createRemoval(deps, () => deletions.undoableFrom())
  const deletions = createDeletions(deps, removal)
  const retention = createRetention(deps, { deletions, removal, limits: deps.limits })
  if (deps.isServing) {
    removal.wake()
    retention.start()
  }

  return {
    /** Marks deliveries and returns how many. Rejects with `NOT_FOUND` if one is unknown; nothing changes then. */
    async mark(ids: readonly string[], change: MarksChange): Promise<number> {
      const found = await store.read('marked', { ids, identified: false })
      const seqs = found.map(({ seq }) => seq)
      await store.write('setMarks', { seqs, change })
      hub.emit('deliveries.updated', seqs)
      return seqs.length
    },
    remove: deletions.remove,
    restore: deletions.restore,
    preview: retention.preview,
    /** How much disk space everything takes. */
    async storage(): Promise<Storage> {
      const { database, log: logBytes, search } = await store.sizes()
      const { used, free } = await store.read('fileUse', null)
      const pinned = await store.read('pinned', null)
      return { database, log: logBytes, search, used, free, deliveries: store.total(), pinned }
    },
    limitsChanged: retention.changed,
    async close() {
      deletions.close()
      await retention.close()
      await removal.close()
    },
  }
}

// Keeps stored deliveries within the limits for age, number and size, removing the oldest first
// and never pinned ones. Runs in the background in small batches, and checks every minute.

const DAY_MS = 86_400_000
const CHECK_MS = 60_000
const CHUNK = 200
/** Smaller batches for the size limit, because a delivery's size is known only after its removal. */
const ROOM_CHUNK = 64
/** Size of a delivery besides its bytes: a low estimate, so that never too many are removed. */
const LEAST_ROW_BYTES = 256
/** A preview by size checks this many deliveries and says "at least" beyond that. */
const MOST_PREVIEWED = 200_000

const UNPINNED: Query = { kind: 'not', of: { kind: 'flag', flag: 'is:pinned' } }

function olderThan(before: number): Query {
  return {
    kind: 'all',
    of: [
      { kind: 'bounds', field: 'received', bounds: [{ operator: '<', value: before }] },
      UNPINNED,
    ],
  }
}

export function createRetention(
  { store, clock, log, hub }: KeepingDeps,
  {
    deletions,
    removal,
    limits: currentLimits,
  }: {
    readonly deletions: Pick<Deletions, 'hideFinally'>
    readonly removal: Pick<Removal, 'drained'>
    limits(): Retention
  },
) {
  const stopping = new AbortController()
  let wake = Promise.withResolvers<void>()
  let running: Promise<void> | null = null
  const exclusive = createMutex()

  const passed = () => clock.uptime?.() ?? clock.monotonic()
  const zero = clock.now() - passed()
  /** Earlier deliveries are too old. A wall clock that is set ahead meanwhile changes nothing. */
  const oldBefore = ({ days }: Retention) =>
    days === null
      ? Number.NEGATIVE_INFINITY
      : Math.min(clock.now(), zero + passed()) - days * DAY_MS

  /** Deliveries older than the limit, newest first. */
  async function tooOld(
    { days }: Retention,
    before: number,
    signal?: AbortSignal,
  ): Promise<number[]> {
    return days === null ? [] : store.search.find(olderThan(before), { signal })
  }

  async function countOver({ deliveries }: Retention): Promise<number> {
    if (deliveries === null) return 0
    const total = await store.counted()
    return total <= deliveries
      ? 0
      : Math.max(0, total - (await store.read('pinned', null)) - deliveries)
  }

  async function bytesOver({ bytes }: Retention): Promise<number> {
    return bytes === null ? 0 : Math.max(0, (await store.read('fileUse', null)).used - bytes)
  }

  async function hideAll(seqs: readonly number[]): Promise<number> {
    let count = 0
    for (const some of chunks(seqs, CHUNK)) {
      if (stopping.signal.aborted) break
      await store.pace.rest()
      count += await deletions.hideFinally(some)
    }
    return count
  }

  async function hideOldest(count: number): Promise<number> {
    let hidden = 0
    while (hidden < count && !stopping.signal.aborted) {
      await store.pace.rest()
      const oldest = await store.read('oldestUnpinned', {
        after: 0,
        limit: Math.min(CHUNK, count - hidden),
      })
      if (oldest.length === 0) break
      hidden += await deletions.hideFinally(oldest.map(({ seq }) => seq))
    }
    return hidden
  }

  /** The first of these that together have at least this many bytes. */
  function untilFreed(
    oldest: readonly { readonly seq: number; readonly bytes: number }[],
    over: number,
  ) {
    let freed = 0
    const count = oldest.findIndex(({ bytes }) => (freed += bytes + LEAST_ROW_BYTES) >= over)
    return { chosen: count === -1 ? oldest : oldest.slice(0, count + 1), freed }
  }

  async function hideForRoom(limits: Retention): Promise<number> {
    let hidden = 0
    for (;;) {
      // Deliveries that can't be removed free no space, even if more are hidden.
      if (!(await removal.drained())) return hidden
      const over = await bytesOver(limits)
      if (over === 0 || stopping.signal.aborted) return hidden
      const oldest = await store.read('oldestUnpinned', { after: 0, limit: ROOM_CHUNK })
      const count = await deletions.hideFinally(
        untilFreed(oldest, over).chosen.map(({ seq }) => seq),
      )
      // The rest is pinned, or can't be hidden.
      if (count === 0) return hidden
      hidden += count
    }
  }

  async function applyNow(): Promise<number> {
    const limits = currentLimits()
    let count = await hideAll((await tooOld(limits, oldBefore(limits))).reverse())
    count += await hideOldest(await countOver(limits))
    count += await hideForRoom(limits)
    if (count > 0) {
      log.info('Deliveries beyond the limits were deleted.', { count })
      hub.emit('deliveries.deleted', { seqs: [], more: true, total: store.total() })
    }
    return count
  }

  const apply = () => exclusive(applyNow)

  async function keepOn(): Promise<void> {
    let failing = false
    while (!stopping.signal.aborted) {
      wake = Promise.withResolvers()
      try {
        await apply()
        failing = false
      } catch (error) {
        if (!failing)
          log.warn("Couldn't apply the storage limits. Retrying.", {
            reason: (error as Error).message,
          })
        failing = true
      }
      const resting = new AbortController()
      await Promise.race([
        wake.promise,
        clock.sleep(CHECK_MS, AbortSignal.any([resting.signal, stopping.signal])),
      ])
      resting.abort()
    }
  }

  return {
    /** How many would be removed now. `least`: at least, because single sizes aren't known. */
    async preview(limits: Retention, signal?: AbortSignal): Promise<OutputOf<'retention.preview'>> {
      const before = oldBefore(limits)
      const { length: old } = await tooOld(limits, before, signal)
      // Age first, because these removals count toward the other limits.
      const over = Math.max(0, (await countOver(limits)) - old)
      let room = await bytesOver(limits)
      let least = false
      let chosen = 0
      let checked = 0
      for (let after = 0; room > 0 && checked < MOST_PREVIEWED;) {
        signal?.throwIfAborted()
        const oldest = await store.read('oldestUnpinned', { after, limit: CHUNK * 10 })
        if (oldest.length === 0) break
        for (const { seq, receivedAt, bytes } of oldest) {
          if (room <= 0) break
          checked++
          after = seq
          room -= bytes + LEAST_ROW_BYTES
          if (receivedAt < before) continue
          if (chosen >= over) least = true
          chosen++
        }
      }
      const count = old + Math.max(over, chosen)
      // Nothing else is checked if those already free enough space.
      return { count, least: count > 0 && (least || (room > 0 && checked >= MOST_PREVIEWED)) }
    },
    /** Returns how many deliveries were removed. */
    apply,
    /** Applies the limits now and every minute until closed. */
    start() {
      running = keepOn()
    },
    /** Call when the limits have changed. */
    changed() {
      wake.resolve()
    },
    async close() {
      stopping.abort()
      wake.resolve()
      await running
    },
  }
}
