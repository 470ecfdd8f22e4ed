/**
 * Search for the rest of the core. While the index is missing or incomplete, searches return the same results and only take
 * longer; `index-keeper.ts` maintains it.
 *
 * The list without a filter, and rows, are read in the reader's thread. Whatever examines deliveries runs in the search thread, so
 * that no row ever waits for it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Bin, Statistics } from '../../../shared/model/statistics.ts'
import { isEverything, splitListed, type Query } from '../../../shared/query/query.ts'
import type { TimelineInput } from '../timeline-repo.ts'
import type { CountInput, FindInput, FoundSeqs } from './finder.ts'
import { keepIndex, type SearchDeps } from './index-keeper.ts'

export type FindOptions = Omit<FindInput, 'query'> & Cancellable

interface Cancellable {
  readonly signal?: AbortSignal | undefined
}

/** The longest that a search right after the start waits for the index to open. */
const READY_PATIENCE_MS = 3_000

export type Search = ReturnType<typeof createSearch>

/** Starts the search and its index keeper. Without a search thread, everything runs in the reader's. */
export function createSearch(deps: SearchDeps) {
  const { reader } = deps
  const { run, thread, ready, ...kept } = keepIndex(deps)

  const begun = () => Promise.race([ready(), delay(READY_PATIENCE_MS, undefined, { ref: false })])

  /** The next matches, newest first unless asked otherwise, and where to continue. */
  async function findSome(query: Query, { signal, ...range }: FindOptions): Promise<FoundSeqs> {
    await begun()
    const input = { query, ...range }
    const isList = isEverything(splitListed(query).query)
    return run(
      () =>
        (isList ? undefined : thread()?.run('find', input, undefined, signal)) ??
        reader.run('find', input, undefined, signal),
    )
  }

  /** All matches, or the first `limit`. */
  async function find(query: Query, options: FindOptions): Promise<number[]> {
    const { limit = Number.POSITIVE_INFINITY } = options
    const all: number[] = []
    for (let from = options.from; ;) {
      const left = limit - all.length
      const { seqs, next } = await findSome(query, {
        ...options,
        from,
        limit: Number.isFinite(left) ? left : undefined,
      })
      for (const seq of seqs) all.push(seq)
      if (next === null || all.length >= limit) return all
      from = next
    }
  }

  return {
    find,
    findSome,
    /** The newest matches as rows: the text of a JSON array. */
    async page(query: Query, limit: number, signal?: AbortSignal): Promise<string> {
      const seqs = await find(query, { limit, signal })
      return reader.run('rowsText', seqs, undefined, signal)
    },
    /** Deliveries over time, without those of flow runs unless the query names them. */
    async timeline(input: TimelineInput, signal?: AbortSignal): Promise<Bin[]> {
      await begun()
      // The totals take milliseconds, and the search thread may be filling the index.
      return run(
        () =>
          (input.query === null
            ? undefined
            : thread()?.run('timeline', input, undefined, signal)) ??
          reader.run('timeline', input, undefined, signal),
      )
    },
    async statistics(query: Query, signal?: AbortSignal): Promise<Statistics> {
      await begun()
      return run(
        () =>
          thread()?.run('statistics', query, undefined, signal) ??
          reader.run('statistics', query, undefined, signal),
      )
    },
    async count(
      input: CountInput,
      signal?: AbortSignal,
    ): Promise<{ readonly count: number; readonly more: boolean }> {
      await begun()
      return run(
        () =>
          thread()?.run('count', input, undefined, signal) ??
          reader.run('count', input, undefined, signal),
      )
    },
    /** How many deliveries up to a seq are stored, counted without blocking anything. */
    async countUpTo(seq: number): Promise<number> {
      await ready()
      return thread()?.run('countUpTo', seq) ?? reader.run('countUpTo', seq)
    },
    /** Runs a reader job that uses the index; if the index seems damaged, again after it has been recreated. */
    read: (async (name, input) => {
      await begun()
      return run(() => reader.run(name, input))
    }) as typeof reader.run,
    ...kept,
  }
}
