/** Deletes deliveries at the user's word: hidden at once, for a while to be undone, then taken out. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Clock } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import type { Removal } from './removal.ts'

/** How long a deletion can be undone, in milliseconds. */
export const UNDO_MS = 10_000
/** About a millisecond of the writer. */
const ROWS_AT_ONCE = 250
/** Time of what no one can undo. */
export const FINAL_AT = 0

export interface DeletionsDeps {
  readonly store: Pick<Store, 'read' | 'search' | 'settled' | 'hide' | 'restore' | 'pace'>
  readonly clock: Clock
  readonly removal: Pick<Removal, 'wake' | 'drained'>
  /** Hears what is gone from every list; `more`: there are others beside these. */
  onDeleted(seqs: readonly number[], more: boolean): void
  onRestored(): void
}

export interface DeletionInput {
  /** The deliveries of these ids; else all that the query finds. */
  readonly ids?: readonly string[] | undefined
  readonly query: Query
  /** What a list shows for the same search: the possible events among it, too. */
  readonly listed?: Query | undefined
  /** Whether pinned ones are deleted too. */
  readonly pinned: boolean
  /** Only counts. */
  readonly preview: boolean
  /** Not to be undone: answers when they are taken out. */
  readonly final: boolean
  readonly signal?: AbortSignal | undefined
}

export interface DeletionOutcome {
  readonly deletion: string | null
  readonly undoMs: number
  readonly count: number
  readonly spared: number
  /** Deliveries that the list shows for the search as possible ones, and that stay. */
  readonly possible: number
}

export interface Deletions {
  remove(input: DeletionInput): Promise<DeletionOutcome>
  /** Rejects with `NOT_FOUND` where it is too late. */
  restore(deletion: string): Promise<number>
  /** Hides deliveries that nobody can bring back; for retention. Gives how many there were. */
  hideFinally(seqs: readonly number[]): Promise<number>
  /** The time of the oldest deletion that can still be undone; what was hidden before it can be taken out. */
  undoableFrom(): number
  close(): void
}

/** More than these a list reads for itself. */
const MOST_TOLD = 500

const PINNED: Query = { kind: 'flag', flag: 'is:pinned' }

interface Undoable {
  readonly at: number
  seqs: readonly number[]
  /** Its time is over, but it is being undone. */
  isOver: boolean
  isRestoring: boolean
}

export function createDeletions(deps: DeletionsDeps): Deletions {
  const { store, clock, removal } = deps
  const open = new Map<string, Undoable>()
  const stopping = new AbortController()
  let lastAt = 0

  async function choose({
    ids,
    query,
    listed = query,
    pinned,
    signal,
  }: DeletionInput): Promise<Pick<DeletionOutcome, 'spared' | 'possible'> & { readonly seqs: readonly number[] }> {
    if (ids !== undefined) {
      const found = await store.read('marked', { ids, identified: true })
      const chosen = pinned ? found : found.filter((one) => !one.pinned)
      return { seqs: chosen.map(({ seq }) => seq), spared: found.length - chosen.length, possible: 0 }
    }
    const find = async (asked: Query) => (await store.search.find(asked, { signal })).seqs
    const isSame = JSON.stringify(listed) === JSON.stringify(query)
    const possible = isSame ? 0 : (await find({ kind: 'all', of: [listed, { kind: 'not', of: query }] })).length
    if (pinned) return { seqs: await find(query), spared: 0, possible }
    const spared = await find({ kind: 'all', of: [query, PINNED] })
    return { seqs: await find({ kind: 'all', of: [query, { kind: 'not', of: PINNED }] }), spared: spared.length, possible }
  }

  async function hide(seqs: readonly number[], at: number): Promise<number[]> {
    const hidden: number[] = []
    for (let from = 0; from < seqs.length; from += ROWS_AT_ONCE) {
      if (from > 0) await store.pace.rest()
      for (const seq of await store.hide(seqs.slice(from, from + ROWS_AT_ONCE), at)) hidden.push(seq)
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
    async remove(input) {
      await store.settled()
      const { seqs, ...stay } = await choose(input)
      if (input.preview || seqs.length === 0) return { deletion: null, undoMs: 0, count: seqs.length, ...stay }
      // Each has a time of its own, by which it is told from the others.
      const at = input.final ? FINAL_AT : (lastAt = Math.max(lastAt + 1, clock.now()))
      const undoable: Undoable = { at, seqs: [], isOver: false, isRestoring: false }
      const deletion = input.final ? null : String(at)
      if (deletion !== null) open.set(deletion, undoable)
      const hidden = await hide(seqs, at)
      undoable.seqs = hidden
      deps.onDeleted(hidden.slice(0, MOST_TOLD), hidden.length > MOST_TOLD)
      if (deletion === null) {
        await removal.drained()
        return { deletion, undoMs: 0, count: hidden.length, ...stay }
      }
      void finishLater(deletion)
      return { deletion, undoMs: UNDO_MS, count: hidden.length, ...stay }
    },
    async restore(deletion) {
      const found = open.get(deletion)
      if (found === undefined || found.isRestoring)
        throw new AppError('NOT_FOUND', "This deletion can't be undone any more. Undo works for ten seconds.")
      // It stays open until all are shown again, so that none of them is taken out.
      found.isRestoring = true
      let count = 0
      try {
        for (let from = 0; from < found.seqs.length; from += ROWS_AT_ONCE) {
          if (from > 0) await store.pace.rest()
          count += (await store.restore(found.seqs.slice(from, from + ROWS_AT_ONCE))).length
        }
        found.isOver = true
        return count
      } finally {
        found.isRestoring = false
        if (found.isOver) close(deletion)
        deps.onRestored()
      }
    },
    async hideFinally(seqs) {
      const hidden = await hide(seqs, FINAL_AT)
      return hidden.length
    },
    undoableFrom: () => Math.min(Number.MAX_SAFE_INTEGER, ...[...open.values()].map(({ at }) => at)),
    close() {
      stopping.abort()
    },
  }
}
