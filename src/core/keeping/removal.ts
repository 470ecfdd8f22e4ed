/**
 * Removes hidden deliveries from the database in the background: one small batch at a time that delays no acknowledgement, with
 * pauses while deliveries stream in. Leftovers of the previous run go first. After a large deletion, the free space is returned to
 * the disk in the same way.
 */
import type { Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'

export interface RemovalDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'pace'>
  readonly log: Log
  /** Deliveries hidden at this time or later can still be restored; in milliseconds since the epoch. */
  undoableFrom(): number
}

export type Removal = ReturnType<typeof createRemoval>

const ROWS_AT_ONCE = 64
const FORGOTTEN_AT_ONCE = 1_024
/** How long a batch may use the writer, in milliseconds. */
const BUDGET_MS = 2
/** Less free space than this, in bytes, is left for new deliveries. */
const LARGE_DELETION_BYTES = 64 * 1_048_576

export function createRemoval({ store, log, undoableFrom }: RemovalDeps) {
  let working: Promise<void> | null = null
  let again = false
  let closed = false
  let failing = false
  let begun = false

  /** Removes a batch and returns it. */
  async function takeOut(): Promise<number[]> {
    const leavings = await store.read('leavings', { before: undoableFrom(), limit: ROWS_AT_ONCE })
    if (leavings.length === 0) return []
    const count = await store.write('remove', { leavings, budgetMs: BUDGET_MS })
    return leavings.slice(0, count).map(({ seq }) => seq)
  }

  /** Forgotten in bulk, because that costs the search as much as one. */
  async function takeAllOut(): Promise<void> {
    let gone: number[] = []
    try {
      for (let some = [0]; some.length > 0 && !closed;) {
        some = await takeOut()
        gone = [...gone, ...some]
        if (gone.length >= FORGOTTEN_AT_ONCE) await forget(gone.splice(0))
        if (some.length > 0) await store.pace.rest()
      }
    } finally {
      if (gone.length > 0) await forget(gone)
    }
  }

  /** They stay on the hidden list until the search has forgotten them, or it would find deleted deliveries. */
  async function forget(seqs: readonly number[]): Promise<void> {
    await store.search.forget(seqs)
    await store.write('unhide', seqs)
  }

  async function forgetLeftOver(): Promise<void> {
    const seqs = await store.read('forgotten', null)
    for (let from = 0; from < seqs.length && !closed; from += FORGOTTEN_AT_ONCE)
      await forget(seqs.slice(from, from + FORGOTTEN_AT_ONCE))
  }

  async function returnSpace(): Promise<void> {
    if ((await store.read('fileUse', null)).free < LARGE_DELETION_BYTES) return
    do await store.pace.rest()
    while (!closed && (await store.write('returnPages', BUDGET_MS)))
    await store.write('writeBackLog', null)
  }

  async function work(): Promise<void> {
    try {
      if (!begun) await forgetLeftOver()
      begun = true
      do {
        again = false
        await takeAllOut()
      } while (again && !closed)
      await returnSpace()
      failing = false
    } catch (error) {
      // They stay hidden until the next removal.
      if (!failing)
        log.warn("Couldn't erase deleted deliveries. Retrying.", {
          reason: (error as Error).message,
        })
      failing = true
    }
  }

  function wake(): void {
    again = true
    if (working !== null || closed) return
    working = work().finally(() => {
      working = null
      if (again && !failing) wake()
    })
  }

  return {
    /** Call when there may be something to remove. */
    wake,
    /** Resolves with true when nothing is left, or false if removal can't continue for now. */
    async drained() {
      wake()
      while (working !== null) await working
      return !failing && !closed
    },
    async close() {
      closed = true
      await working
    },
  }
}
