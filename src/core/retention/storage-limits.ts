/** Limits for age, number and size: the oldest deliveries go first, pinned ones never. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { Retention } from '../../shared/model/retention.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks, createMutex } from '../base/async.ts'
import type { Deletions } from './deletions.ts'
import type { RetentionDeps, Removal } from './removal.ts'

const DAY_MS = 86_400_000
const CHECK_MS = 60_000
const CHUNK = 200
/** Deliveries removed at once, few because the freed bytes are known only after a removal. */
const ROOM_CHUNK = 64
/** Bytes of a row besides its contents, estimated low so that never too many are removed. */
const LEAST_ROW_BYTES = 256
/** Deliveries that a preview examines; it says "at least" beyond. */
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

/** Returns the first deliveries that free at least `over` bytes, or all. */
function seqsThatFree(
  oldest: readonly { readonly seq: number; readonly bytes: number }[],
  over: number,
): number[] {
  let freed = 0
  const last = oldest.findIndex(({ bytes }) => (freed += bytes + LEAST_ROW_BYTES) >= over)
  return oldest.slice(0, last === -1 ? oldest.length : last + 1).map(({ seq }) => seq)
}

interface Parts {
  readonly deletions: Pick<Deletions, 'hideFinally'>
  readonly removal: Pick<Removal, 'drained'>
  limits(): Retention
}

/** Limits on stored deliveries, applied in the background and in small batches. */
export class StorageLimits {
  readonly #deps: RetentionDeps
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  #wake = Promise.withResolvers<void>()
  #running: Promise<void> | null = null
  readonly #exclusive = createMutex()
  readonly #startedAt: number

  constructor(deps: RetentionDeps, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
    this.#startedAt = deps.clock.now() - this.#elapsedMs()
  }

  /** Counts what would be removed; `least` if there may be more. */
  preview = async (
    limits: Retention,
    signal?: AbortSignal,
  ): Promise<OutputOf<'retention.preview'>> => {
    const before = this.#oldBefore(limits)
    const { length: old } = await this.#tooOld(limits, before, signal)
    const over = Math.max(0, (await this.#countOver(limits)) - old)
    let excess = await this.#bytesOver(limits)
    let least = false
    let chosen = 0
    let checked = 0
    for (let after = 0; excess > 0 && checked < MOST_PREVIEWED;) {
      signal?.throwIfAborted()
      const oldest = await this.#deps.store.read('oldestUnpinned', { after, limit: CHUNK * 10 })
      if (oldest.length === 0) break
      for (const { seq, receivedAt, bytes } of oldest) {
        if (excess <= 0) break
        checked++
        after = seq
        excess -= bytes + LEAST_ROW_BYTES
        if (receivedAt < before) continue
        if (chosen >= over) least = true
        chosen++
      }
    }
    const count = old + Math.max(over, chosen)
    return { count, least: count > 0 && (least || (excess > 0 && checked >= MOST_PREVIEWED)) }
  }

  apply() {
    return this.#exclusive(this.#applyNow)
  }

  start() {
    this.#running = this.#applyRepeatedly()
  }

  changed = () => {
    this.#wake.resolve()
  }

  async close() {
    this.#stopping.abort()
    this.#wake.resolve()
    await this.#running
  }

  #elapsedMs() {
    return this.#deps.clock.uptime?.() ?? this.#deps.clock.monotonic()
  }

  /** Returns the time limit for deliveries; a wall clock that is set ahead changes nothing. */
  #oldBefore({ days }: Retention) {
    return days === null
      ? Number.NEGATIVE_INFINITY
      : Math.min(this.#deps.clock.now(), this.#startedAt + this.#elapsedMs()) - days * DAY_MS
  }

  async #tooOld({ days }: Retention, before: number, signal?: AbortSignal): Promise<number[]> {
    return days === null ? [] : this.#deps.store.search.find(olderThan(before), { signal })
  }

  async #countOver({ deliveries }: Retention): Promise<number> {
    if (deliveries === null) return 0
    const total = await this.#deps.store.counted()
    return total <= deliveries
      ? 0
      : Math.max(0, total - (await this.#deps.store.read('pinned', null)) - deliveries)
  }

  async #bytesOver({ bytes }: Retention): Promise<number> {
    return bytes === null
      ? 0
      : Math.max(0, (await this.#deps.store.read('fileUse', null)).used - bytes)
  }

  async #hideAll(seqs: readonly number[]): Promise<number> {
    let count = 0
    for (const chunk of chunks(seqs, CHUNK)) {
      if (this.#stopping.signal.aborted) break
      await this.#deps.store.pace.rest()
      count += await this.#parts.deletions.hideFinally(chunk)
    }
    return count
  }

  async #hideOldest(count: number): Promise<number> {
    let hidden = 0
    while (hidden < count && !this.#stopping.signal.aborted) {
      await this.#deps.store.pace.rest()
      const oldest = await this.#deps.store.read('oldestUnpinned', {
        after: 0,
        limit: Math.min(CHUNK, count - hidden),
      })
      if (oldest.length === 0) break
      hidden += await this.#parts.deletions.hideFinally(oldest.map(({ seq }) => seq))
    }
    return hidden
  }

  async #hideForRoom(limits: Retention): Promise<number> {
    let hidden = 0
    for (;;) {
      // Deliveries that can't be removed free no space.
      if (!(await this.#parts.removal.drained())) return hidden
      const over = await this.#bytesOver(limits)
      if (over === 0 || this.#stopping.signal.aborted) return hidden
      const oldest = await this.#deps.store.read('oldestUnpinned', { after: 0, limit: ROOM_CHUNK })
      const count = await this.#parts.deletions.hideFinally(seqsThatFree(oldest, over))
      if (count === 0) return hidden
      hidden += count
    }
  }

  #applyNow = async (): Promise<number> => {
    // Only described deliveries can be removed.
    await this.#deps.store.settled()
    const limits = this.#parts.limits()
    let count = await this.#hideAll((await this.#tooOld(limits, this.#oldBefore(limits))).reverse())
    count += await this.#hideOldest(await this.#countOver(limits))
    count += await this.#hideForRoom(limits)
    if (count > 0) {
      this.#deps.log.info('Deliveries beyond the limits were deleted.', { count })
      this.#deps.hub.emit('deliveries.deleted', {
        seqs: [],
        more: true,
        total: this.#deps.store.total(),
      })
    }
    return count
  }

  async #applyRepeatedly(): Promise<void> {
    let isFailing = false
    while (!this.#stopping.signal.aborted) {
      this.#wake = Promise.withResolvers()
      try {
        await this.apply()
        isFailing = false
      } catch (error) {
        if (!isFailing)
          this.#deps.log.warn("Couldn't apply the storage limits. Retrying.", {
            reason: (error as Error).message,
          })
        isFailing = true
      }
      const resting = new AbortController()
      await Promise.race([
        this.#wake.promise,
        this.#deps.clock.sleep(CHECK_MS, AbortSignal.any([resting.signal, this.#stopping.signal])),
      ])
      resting.abort()
    }
  }
}
