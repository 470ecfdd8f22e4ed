/** Removes hidden deliveries in small batches, in the background. */
import { chunks, createCatchUp } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import type { Store } from '../store/store.ts'

export interface RetentionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

export type Removal = ReturnType<typeof createRemoval>

const REMOVED_AT_ONCE = 64
const FORGOTTEN_AT_ONCE = 1_024
const BUDGET_MS = 2
/** Free bytes in the file that are kept for new deliveries. */
const REUSED_BYTES = 64 * 1_048_576

/** Creates the removal of deliveries hidden before `undoableFrom`. */
export function createRemoval(
  { store, log }: Pick<RetentionDeps, 'store' | 'log'>,
  undoableFrom: () => number,
) {
  let isFailing = false
  let hasBegun = false

  async function removeBatch(): Promise<number[]> {
    const deletable = await store.read('deletable', {
      before: undoableFrom(),
      limit: REMOVED_AT_ONCE,
    })
    if (deletable.length === 0) return []
    const count = await store.write('remove', { deletable, budgetMs: BUDGET_MS })
    return deletable.slice(0, count).map(({ seq }) => seq)
  }

  /** Removes batch by batch; the search forgets many at once, which costs as much as one. */
  async function removeAll(): Promise<void> {
    let removed: number[] = []
    try {
      for (let batch = [0]; batch.length > 0 && !work.closing.aborted;) {
        batch = await removeBatch()
        removed = [...removed, ...batch]
        if (removed.length >= FORGOTTEN_AT_ONCE) await forget(removed.splice(0))
        if (batch.length > 0) await store.pace.rest()
      }
    } finally {
      if (removed.length > 0) await forget(removed)
    }
  }

  /** Makes the search forget deliveries before they leave the hidden list. */
  async function forget(seqs: readonly number[]): Promise<void> {
    await store.search.forget(seqs)
    await store.write('unhide', seqs)
  }

  async function forgetLeftOver(): Promise<void> {
    for (const chunk of chunks(await store.read('removedSeqs', null), FORGOTTEN_AT_ONCE))
      if (!work.closing.aborted) await forget(chunk)
  }

  async function returnSpace(): Promise<void> {
    const { free, onDisk } = await store.read('fileUse', null)
    // A nearly full disk gets all free space back.
    if (free < REUSED_BYTES && onDisk >= REUSED_BYTES) return
    do await store.pace.rest()
    while (!work.closing.aborted && (await store.write('returnPages', BUDGET_MS)))
    await store.write('writeBackLog', null)
  }

  const work = createCatchUp(async () => {
    try {
      if (!hasBegun) await forgetLeftOver()
      hasBegun = true
      await removeAll()
      await returnSpace()
      isFailing = false
    } catch (error) {
      if (!isFailing)
        log.warn("Couldn't erase deleted deliveries. Retrying.", {
          reason: (error as Error).message,
        })
      isFailing = true
    }
  })

  return {
    wake: () => void work.request(),
    /** Resolves once nothing is left; false if removal can't continue. */
    async drained() {
      await work.request()
      return !isFailing && !work.closing.aborted
    },
    close: work.close,
  }
}
