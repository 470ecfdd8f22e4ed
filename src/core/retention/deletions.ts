/** Deletes deliveries: hidden at once, removed when no undo is possible. */
import { AppError } from '../../shared/contract/errors.ts'
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks } from '../base/async.ts'
import type { RetentionDeps, Removal } from './removal.ts'

export const UNDO_MS = 10_000
const ROWS_AT_ONCE = 250
/** Time of deletions that can't be undone. */
const FINAL_AT = 0

export interface DeletionInput extends Omit<ParsedInputOf<'deliveries.delete'>, 'query'> {
  /** Query that chooses deliveries if there are no IDs. */
  readonly query: Query
  /** Query of the user's list, which may also show possible events. */
  readonly listed?: Query | undefined
  readonly signal?: AbortSignal | undefined
}

type DeletionOutcome = OutputOf<'deliveries.delete'>

/** Deliveries that are reported; lists reload if there are more. */
const MOST_REPORTED = 500

const PINNED: Query = { kind: 'flag', flag: 'is:pinned' }

interface Undoable {
  readonly at: number
  seqs: readonly number[]
  /** Whether the time is over while an undo is in progress. */
  isOver: boolean
  isRestoring: boolean
}

export class Deletions {
  readonly #deps: RetentionDeps
  readonly #removal: Pick<Removal, 'wake' | 'drained'>
  readonly #open = new Map<string, Undoable>()
  readonly #stopping = new AbortController()
  #lastAt = 0

  constructor(deps: RetentionDeps, removal: Pick<Removal, 'wake' | 'drained'>) {
    this.#deps = deps
    this.#removal = removal
  }

  remove = async (input: DeletionInput): Promise<DeletionOutcome> => {
    await this.#deps.store.settled()
    const { seqs, ...rest } = await this.#choose(input)
    if (input.preview || seqs.length === 0)
      return { deletion: null, undoMs: 0, count: seqs.length, ...rest }
    const at = input.final
      ? FINAL_AT
      : (this.#lastAt = Math.max(this.#lastAt + 1, this.#deps.clock.now()))
    const undoable: Undoable = { at, seqs: [], isOver: false, isRestoring: false }
    const deletion = input.final ? null : String(at)
    if (deletion !== null) this.#open.set(deletion, undoable)
    const hidden = await this.#hide(seqs, at)
    undoable.seqs = hidden
    this.#deps.hub.emit('deliveries.deleted', {
      seqs: hidden.slice(0, MOST_REPORTED),
      more: hidden.length > MOST_REPORTED,
      total: this.#deps.store.total(),
    })
    if (deletion === null) {
      await this.#removal.drained()
      return { deletion, undoMs: 0, count: hidden.length, ...rest }
    }
    void this.#finishLater(deletion)
    return { deletion, undoMs: UNDO_MS, count: hidden.length, ...rest }
  }

  /** Shows deleted deliveries again. Rejects with `NOT_FOUND`. */
  restore = async (deletion: string) => {
    const undoable = this.#open.get(deletion)
    if (undoable === undefined || undoable.isRestoring)
      throw new AppError(
        'NOT_FOUND',
        'This deletion can no longer be undone. Undo works for ten seconds.',
      )
    // Stays open until all are shown, so that nothing is removed meanwhile.
    undoable.isRestoring = true
    let count = 0
    try {
      for (const chunk of chunks(undoable.seqs, ROWS_AT_ONCE)) {
        if (count > 0) await this.#deps.store.pace.rest()
        count += (await this.#deps.store.restore(chunk)).length
      }
      undoable.isOver = true
      return count
    } finally {
      undoable.isRestoring = false
      if (undoable.isOver) this.#close(deletion)
      this.#deps.hub.emit('deliveries.restored', { total: this.#deps.store.total() })
    }
  }

  async hideFinally(seqs: readonly number[]) {
    const hidden = await this.#hide(seqs, FINAL_AT)
    return hidden.length
  }

  /** Returns the time of the oldest deletion that can be undone. */
  undoableFrom = () =>
    Math.min(Number.MAX_SAFE_INTEGER, ...[...this.#open.values()].map(({ at }) => at))

  close() {
    this.#stopping.abort()
  }

  async #choose({
    ids,
    query,
    listed = query,
    pinned,
    signal,
  }: DeletionInput): Promise<
    Pick<DeletionOutcome, 'spared' | 'possible'> & { readonly seqs: readonly number[] }
  > {
    if (ids !== undefined) {
      const deliveries = await this.#deps.store.read('deliveriesToMark', { ids, identified: true })
      const chosen = pinned ? deliveries : deliveries.filter((one) => !one.pinned)
      return {
        seqs: chosen.map(({ seq }) => seq),
        spared: deliveries.length - chosen.length,
        possible: 0,
      }
    }
    const find = (condition: Query) => this.#deps.store.search.find(condition, { signal })
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

  async #hide(seqs: readonly number[], at: number): Promise<number[]> {
    const hidden: number[] = []
    for (const chunk of chunks(seqs, ROWS_AT_ONCE)) {
      if (hidden.length > 0) await this.#deps.store.pace.rest()
      for (const seq of await this.#deps.store.hide(chunk, at)) hidden.push(seq)
    }
    return hidden
  }

  #close(deletion: string): void {
    this.#open.delete(deletion)
    this.#removal.wake()
  }

  async #finishLater(deletion: string): Promise<void> {
    await this.#deps.clock.sleep(UNDO_MS, this.#stopping.signal)
    const undoable = this.#open.get(deletion)
    if (undoable === undefined) return
    undoable.isOver = true
    if (!undoable.isRestoring) this.#close(deletion)
  }
}
