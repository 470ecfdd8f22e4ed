/**
 * Takes hidden deliveries out of the database, behind everything else: small batches that hold up no acknowledgement, one at a
 * time, and pauses while deliveries stream in. What an earlier run left hidden is taken out first.
 */
import type { Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'

export interface RemovalDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'pace'>
  readonly log: Log
  /** Deliveries hidden at this time or later can still be shown again: in milliseconds since the epoch. */
  undoableFrom(): number
}

export interface Removal {
  /** There may be something to take out. */
  wake(): void
  /** Resolves when nothing is left to take out (true), or it cannot go on for now (false). */
  drained(): Promise<boolean>
  close(): Promise<void>
}

const ROWS_AT_ONCE = 64
const FORGOTTEN_AT_ONCE = 1_024
/** Milliseconds of the writer that a batch may take. */
const BUDGET_MS = 2

export function createRemoval({ store, log, undoableFrom }: RemovalDeps): Removal {
  let working: Promise<void> | null = null
  let again = false
  let closed = false
  let failing = false
  let begun = false

  /** Takes some out; gives them. */
  async function takeOut(): Promise<number[]> {
    const leavings = await store.read('leavings', { before: undoableFrom(), limit: ROWS_AT_ONCE })
    if (leavings.length === 0) return []
    const count = await store.write('remove', { leavings, budgetMs: BUDGET_MS })
    return leavings.slice(0, count).map(({ seq }) => seq)
  }

  /** Many are forgotten at once: that costs the search as much as one. */
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

  /** Until the search has forgotten them they stay on the list of the hidden: it would find what is not there. */
  async function forget(seqs: readonly number[]): Promise<void> {
    await store.search.forget(seqs)
    await store.write('unhide', seqs)
  }

  async function forgetLeftOver(): Promise<void> {
    const seqs = await store.read('forgotten', null)
    for (let from = 0; from < seqs.length && !closed; from += FORGOTTEN_AT_ONCE)
      await forget(seqs.slice(from, from + FORGOTTEN_AT_ONCE))
  }

  async function work(): Promise<void> {
    try {
      if (!begun) await forgetLeftOver()
      begun = true
      do {
        again = false
        await takeAllOut()
      } while (again && !closed)
      failing = false
    } catch (error) {
      // They stay hidden, and are tried again when something else is to be taken out.
      if (!failing) log.warn("Couldn't erase deleted deliveries. Retrying.", { reason: (error as Error).message })
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
    wake,
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
