/** Deletes deliveries for the user: hidden immediately, can be undone for a while, then removed. */
import { AppError } from '../../shared/contract/errors.ts'
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks, createCatchUp } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import type { Store } from '../store/store.ts'

/** How long a deletion can be undone, in milliseconds. */
export const UNDO_MS = 10_000
/** About one millisecond of the writer. */
const ROWS_AT_ONCE = 250
/** The time given to deletions that can't be undone. */
export const FINAL_AT = 0

export interface KeepingDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

export interface DeletionInput extends Omit<ParsedInputOf<'deliveries.delete'>, 'query'> {
  /** Used if there are no IDs. */
  readonly query: Query
  /** Whether the list also shows possible events for this search. */
  readonly listed?: Query | undefined
  readonly signal?: AbortSignal | undefined
}

type DeletionOutcome = OutputOf<'deliveries.delete'>

export type Deletions = ReturnType<typeof createDeletions>

/** Lists reload if there are more than this. */
const MOST_REPORTED = 500

const PINNED: Query = { kind: 'flag', flag: 'is:pinned' }

interface Undoable {
  readonly at: number
  seqs: readonly number[]
  /** Its time is over, but an undo is in progress. */
  isOver: boolean
  isRestoring: boolean
}

export function createDeletions(
  { store, clock, hub }: KeepingDeps,
  removal: Pick<Removal, 'wake' | 'drained'>,
) {
  const open = new Map<string, Undoable>()
  const stopping = new AbortController()
  let lastAt = 0

  async function choose({
    ids,
    query,
    listed = query,
    pinned,
    signal,
  }: DeletionInput): Promise<
    Pick<DeletionOutcome, 'spared' | 'possible'> & { readonly seqs: readonly number[] }
  > {
    if (ids !== undefined) {
      const found = await store.read('marked', { ids, identified: true })
      const chosen = pinned ? found : found.filter((one) => !one.pinned)
      return {
        seqs: chosen.map(({ seq }) => seq),
        spared: found.length - chosen.length,
        possible: 0,
      }
    }
    const find = (asked: Query) => store.search.find(asked, { signal })
    const isSame = JSON.stringify(listed) === JSON.stringify(query)
    const possible = isSame
      ? 0
      : (await find({ kind: 'all', of: [listed, { kind: 'not', of: query }] })).length
    if (pinned) return { seqs: await find(query), spared: 0, possible }
    const spared = await find({ kind: 'all', of: [query, PINNED] })
    return {
      seqs: await find({ kind: 'all', of: [query, { kind: 'not', of: PINNED }] }),
      spared: spared.length,
      possible,
    }
  }

  async function hide(seqs: readonly number[], at: number): Promise<number[]> {
    const hidden: number[] = []
    for (const some of chunks(seqs, ROWS_AT_ONCE)) {
      if (hidden.length > 0) await store.pace.rest()
      for (const seq of await store.hide(some, at)) hidden.push(seq)
    }
    return hidden
  }

  function close(deletion: string): void {
    open.delete(deletion)
    removal.wake()
  }

  async function finishLater(deletion: string): Promise<void> {
    await clock.sleep(UNDO_MS, stopping.signal)
    const undoable = open.get(deletion)
    if (undoable === undefined) return
    undoable.isOver = true
    if (!undoable.isRestoring) close(deletion)
  }

  return {
    async remove(input: DeletionInput): Promise<DeletionOutcome> {
      await store.settled()
      const { seqs, ...stay } = await choose(input)
      if (input.preview || seqs.length === 0)
        return { deletion: null, undoMs: 0, count: seqs.length, ...stay }
      // Each deletion has a unique time, which identifies it.
      const at = input.final ? FINAL_AT : (lastAt = Math.max(lastAt + 1, clock.now()))
      const undoable: Undoable = { at, seqs: [], isOver: false, isRestoring: false }
      const deletion = input.final ? null : String(at)
      if (deletion !== null) open.set(deletion, undoable)
      const hidden = await hide(seqs, at)
      undoable.seqs = hidden
      hub.emit('deliveries.deleted', {
        seqs: hidden.slice(0, MOST_REPORTED),
        more: hidden.length > MOST_REPORTED,
        total: store.total(),
      })
      if (deletion === null) {
        await removal.drained()
        return { deletion, undoMs: 0, count: hidden.length, ...stay }
      }
      void finishLater(deletion)
      return { deletion, undoMs: UNDO_MS, count: hidden.length, ...stay }
    },
    /** Rejects with `NOT_FOUND` if it is too late. */
    async restore(deletion: string) {
      const found = open.get(deletion)
      if (found === undefined || found.isRestoring)
        throw new AppError(
          'NOT_FOUND',
          'This deletion can no longer be undone. Undo works for ten seconds.',
        )
      // It stays open until all are shown again, so that nothing is removed meanwhile.
      found.isRestoring = true
      let count = 0
      try {
        for (const some of chunks(found.seqs, ROWS_AT_ONCE)) {
          if (count > 0) await store.pace.rest()
          count += (await store.restore(some)).length
        }
        found.isOver = true
        return count
      } finally {
        found.isRestoring = false
        if (found.isOver) close(deletion)
        hub.emit('deliveries.restored', { total: store.total() })
      }
    },
    /** Hides deliveries permanently, for retention. Returns how many. */
    async hideFinally(seqs: readonly number[]) {
      const hidden = await hide(seqs, FINAL_AT)
      return hidden.length
    },
    /** The time of the oldest deletion that can be undone. Anything hidden earlier can be removed. */
    undoableFrom: () =>
      Math.min(Number.MAX_SAFE_INTEGER, ...[...open.values()].map(({ at }) => at)),
    close() {
      stopping.abort()
    },
  }
}

// Removes hidden deliveries from the database in the background: one small batch at a time that
// delays no acknowledgement, with pauses while deliveries stream in. Leftovers of the previous run
// go first. After a large deletion, the free space is returned to the disk in the same way.

export type Removal = ReturnType<typeof createRemoval>

const REMOVED_AT_ONCE = 64
const FORGOTTEN_AT_ONCE = 1_024
/** How long a batch may use the writer, in milliseconds. */
const BUDGET_MS = 2
/** Less free space than this, in bytes, is left for new deliveries. */
const LARGE_DELETION_BYTES = 64 * 1_048_576

/** Deliveries that are hidden at `undoableFrom` or later can still be restored; in milliseconds since the epoch. */
export function createRemoval(
  { store, log }: Pick<KeepingDeps, 'store' | 'log'>,
  undoableFrom: () => number,
) {
  let failing = false
  let begun = false

  /** Removes a batch and returns it. */
  async function takeOut(): Promise<number[]> {
    const leavings = await store.read('leavings', {
      before: undoableFrom(),
      limit: REMOVED_AT_ONCE,
    })
    if (leavings.length === 0) return []
    const count = await store.write('remove', { leavings, budgetMs: BUDGET_MS })
    return leavings.slice(0, count).map(({ seq }) => seq)
  }

  /** Forgotten in bulk, because that costs the search as much as one. */
  async function takeAllOut(): Promise<void> {
    let gone: number[] = []
    try {
      for (let some = [0]; some.length > 0 && !work.closing.aborted;) {
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
    for (const some of chunks(await store.read('forgotten', null), FORGOTTEN_AT_ONCE))
      if (!work.closing.aborted) await forget(some)
  }

  async function returnSpace(): Promise<void> {
    const { free, onDisk } = await store.read('fileUse', null)
    // On a nearly full disk, others need it more.
    if (free < LARGE_DELETION_BYTES && onDisk >= LARGE_DELETION_BYTES) return
    do await store.pace.rest()
    while (!work.closing.aborted && (await store.write('returnPages', BUDGET_MS)))
    await store.write('writeBackLog', null)
  }

  const work = createCatchUp(async () => {
    try {
      if (!begun) await forgetLeftOver()
      begun = true
      await takeAllOut()
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
  })

  return {
    /** Call when there may be something to remove. */
    wake: () => void work.request(),
    /** Resolves with true when nothing is left, or false if removal can't continue for now. */
    async drained() {
      await work.request()
      return !failing && !work.closing.aborted
    },
    close: work.close,
  }
}
