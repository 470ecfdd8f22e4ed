/**
 * Search for the rest of the core. It examines deliveries in its own thread, so that reading rows
 * never waits.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { JobInput, JobOutput, JobThread } from '../../base/threads/job-thread.ts'
import type { ReaderJobs } from '../reader.ts'
import { isEverything, type Query } from '../../../shared/query/query.ts'
import { separateUnlisted } from '../../../shared/query/unlisted.ts'
import type { TimelineInput } from '../timeline.ts'
import type { SearchJobs } from './search-jobs.ts'
import type { CountInput, FindInput, FoundSeqs } from './finder.ts'
import { IndexKeeper, type SearchDeps } from './index-keeper.ts'

export type FindOptions = Omit<FindInput, 'query'> & Cancellable

interface Cancellable {
  readonly signal?: AbortSignal | undefined
}

type Examining = keyof SearchJobs & keyof ReaderJobs

const READY_PATIENCE_MS = 3_000

/** Creates the search, which runs in the reader's thread until its own has started. */
export function createSearch(deps: SearchDeps) {
  const { reader } = deps
  const keeper = new IndexKeeper(deps)
  const { run, thread, ready } = keeper
  if (!deps.opensLater) void keeper.open()

  const untilReady = () =>
    Promise.race([ready(), delay(READY_PATIENCE_MS, undefined, { ref: false })])

  /** Examines deliveries in the search thread, unless it is closed or the job `isQuick`. */
  async function examine<Name extends Examining>(
    name: Name,
    input: JobInput<ReaderJobs[Name]>,
    { signal, isQuick = false }: Cancellable & { readonly isQuick?: boolean } = {},
  ): Promise<JobOutput<ReaderJobs[Name]>> {
    await untilReady()
    return run(() => {
      const where = (isQuick ? null : thread()) ?? reader
      return (where as JobThread<ReaderJobs>).run(name, input, undefined, signal)
    })
  }

  const findSome = (query: Query, { signal, ...range }: FindOptions): Promise<FoundSeqs> =>
    examine(
      'find',
      { query, ...range },
      { signal, isQuick: isEverything(separateUnlisted(query).query) },
    )

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
    async page(query: Query, limit: number, signal?: AbortSignal): Promise<string> {
      const seqs = await find(query, { limit, signal })
      return run(() => reader.run('rowsText', seqs, undefined, signal))
    },
    timeline: (input: TimelineInput, signal?: AbortSignal) =>
      examine('timeline', input, { signal, isQuick: input.query === null }),
    statistics: (query: Query, signal?: AbortSignal) => examine('statistics', query, { signal }),
    count: (input: CountInput, signal?: AbortSignal) => examine('count', input, { signal }),
    async countUpTo(seq: number) {
      await ready()
      return examine('countUpTo', seq)
    },
    read: (async (name, input) => {
      await untilReady()
      return run(() => reader.run(name, input))
    }) as typeof reader.run,
    open: keeper.open,
    changed: keeper.changed,
    forget: keeper.forget,
    status: keeper.status,
    close: keeper.close,
  }
}
