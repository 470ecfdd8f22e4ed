/**
 * Search for the rest of the core, and its index: opened, filled behind the receiver, and recreated if it is lost or damaged. While
 * the index is missing or incomplete, searches return the same results and only take longer.
 *
 * The list without a filter, and rows, are read in the reader's thread. Whatever examines deliveries runs in the search thread, so
 * that no row ever waits for it.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { SearchStatus } from '../../../shared/model/status.ts'
import type { Log } from '../../base/deps.ts'
import { systemClock } from '../../base/system-clock.ts'
import {
  startJobThread,
  type JobInput,
  type JobOutput,
  type JobThread,
} from '../../base/threads/job-thread.ts'
import type { ReaderJobs } from '../reader.ts'
import type { WriterJobs } from '../writer.ts'
import { isDamage, isFull } from '../open.ts'
import type { SearchData, SearchJobs } from './search-jobs.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { isEverything, splitListed, type Query } from '../../../shared/query/query.ts'
import type { TimelineInput } from '../timeline.ts'
import type { CountInput, FindInput, FoundSeqs } from './finder.ts'

interface SearchDeps {
  readonly worker: URL
  readonly file: string
  readonly searchFile: string
  /** The longest read, in milliseconds. */
  readonly limitMs: number
  readonly reader: JobThread<ReaderJobs>
  readonly write: JobThread<WriterJobs>['run']
  readonly log: Log
  /** Whether the index stays closed until `open`. Searches then examine each delivery. */
  readonly opensLater: boolean
  /** Whether deliveries wait for their commit. */
  isBusy(): boolean
  /** The largest stored seq. */
  newest(): number
  onStatus(): void
  /** Whether pages of the database itself are known to be damaged: a new index doesn't help then. */
  isDatabaseDamaged(): boolean
  /** The error that callers get; reports damage of the database. */
  explain(error: unknown): unknown
}

/** One piece of filling: searches wait for it in the same thread. */
const FILL_MS = 40
/** While deliveries wait for their commit, the index takes the processor only so often. */
const BUSY_PAUSE_MS = 500
/** Deliveries that arrive together are indexed together. */
const GATHER_MS = 150
/** Fewer than this are indexed before a user could notice them missing. */
const WORTH_TELLING = 2_000
const TELL_MS = 1_000
const RETRY_MS = 2_000

/** Starts maintaining the index. It retries after any failure, and deliveries are never affected. */
function keepIndex(deps: SearchDeps) {
  const { reader, log } = deps
  const stopping = new AbortController()
  const pause = (ms: number) => systemClock.sleep(ms, stopping.signal)
  let thread: JobThread<SearchJobs> | null = null
  let state: SearchStatus['state'] = 'opening'
  let indexed = 0
  let wake = Promise.withResolvers<void>()
  let reportedAt = 0
  let failing = false
  /** Whether the index was recreated and not filled since. */
  let wasMadeAnew = false
  /** One after the other: nothing is attached while the index is recreated. */
  let mending: Promise<void> | null = null
  const isClosed = () => stopping.signal.aborted
  const left = () => Math.max(0, deps.newest() - indexed)

  function enter(next: SearchStatus['state']): void {
    if (next === state) return
    state = next
    reportedAt = systemClock.monotonic()
    deps.onStatus()
  }

  function tellProgress(): void {
    if (state !== 'filling' && left() > WORTH_TELLING) enter('filling')
    else if (state !== 'ready' && systemClock.monotonic() - reportedAt > TELL_MS) {
      reportedAt = systemClock.monotonic()
      deps.onStatus()
    }
  }

  async function makeAnew(reason: string): Promise<void> {
    if (thread === null || isClosed()) return
    const running = thread
    mending ??= (async () => {
      log.warn("The search index is being rebuilt. Deliveries aren't affected.", { reason })
      await reader.run('detachSearch', null)
      await running.run('begin', null)
      await reader.run('attachSearch', deps.searchFile)
      indexed = 0
      enter('filling')
      wake.resolve()
    })().finally(() => {
      mending = null
    })
    await mending
  }

  /** Runs a read; if the index seems damaged, again after it has been recreated. */
  async function run<Output>(piece: () => Promise<Output>): Promise<Output> {
    return piece()
      .catch(async (error: unknown) => {
        // The database itself may be damaged: with a new index, the second attempt shows it.
        const isOther = !isDamage(error) || thread === null || state === 'off'
        if (isOther || isClosed() || deps.isDatabaseDamaged()) throw error
        await makeAnew((error as Error).message)
        return piece()
      })
      .catch((error: unknown) => {
        throw deps.explain(error)
      })
  }

  /** One piece; whether there is more to do now. */
  async function fillPiece(running: JobThread<SearchJobs>): Promise<boolean> {
    const filled = await running.run('fill', FILL_MS)
    if (filled.taken.length > 0) await deps.write('dropIndexChanges', filled.taken)
    indexed = filled.indexed
    return filled.behind || filled.taken.length > 0
  }

  /** If the index can't be written (a full disk), it is retried after a while; if it is damaged, it is recreated. */
  async function recover(error: unknown): Promise<void> {
    try {
      if (isDamage(error)) {
        // Then the database is damaged, which an empty index can't fix.
        if (wasMadeAnew) deps.explain(error)
        else {
          wasMadeAnew = true
          await makeAnew((error as Error).message)
          return
        }
      }
      if (!failing)
        log.warn("The search index can't be filled for now.", { reason: (error as Error).message })
    } catch (again) {
      if (!failing) log.bug(again, 'rebuilding the search index')
    }
    failing = true
    await pause(RETRY_MS)
  }

  async function work(running: JobThread<SearchJobs>): Promise<void> {
    while (!isClosed() && !deps.isDatabaseDamaged()) {
      wake = Promise.withResolvers()
      try {
        if (await fillPiece(running)) {
          tellProgress()
          if (deps.isBusy()) await pause(BUSY_PAUSE_MS)
          continue
        }
        failing = false
        wasMadeAnew = false
      } catch (error) {
        if (isClosed()) return
        await recover(error)
        continue
      }
      enter('ready')
      await wake.promise
      await pause(GATHER_MS)
    }
  }

  async function tryToOpen(): Promise<void> {
    const running = await startJobThread<SearchJobs>(deps.worker, {
      file: deps.file,
      searchFile: deps.searchFile,
      limitMs: deps.limitMs,
    } satisfies SearchData)
    try {
      await reader.run('attachSearch', deps.searchFile)
    } catch (error) {
      // It is retried with a new thread.
      await running.close()
      throw error
    }
    thread = running
  }

  /** The first attempt, whatever its result: searches wait for this. */
  const tried = Promise.withResolvers<void>()

  async function begin(): Promise<void> {
    while (thread === null && !isClosed()) {
      try {
        await tryToOpen()
      } catch (error) {
        if (state !== 'off') {
          if (error instanceof AppError)
            log.warn("The search index can't be opened for now.", { reason: error.message })
          else log.bug(error, 'opening the search index')
        }
        enter('off')
        tried.resolve()
        await pause(RETRY_MS)
      }
    }
    tried.resolve()
    if (thread === null) return
    enter('opening')
    await work(thread)
  }

  let working: Promise<void> | null = null
  const open = () => {
    working ??= begin()
    return tried.promise
  }
  if (!deps.opensLater) void open()

  return {
    /** Opens the index if it is closed; resolves after the first attempt, whatever its result. */
    open,
    /** Resolves once searches may run: after the first attempt to open the index, or immediately if it stays closed. */
    ready: () => (working === null ? Promise.resolve() : tried.promise),
    /** The search thread; null if it isn't running. */
    thread: () => thread,
    run,
    /** Deliveries were described, or a change is in `index_changes`. */
    changed: () => wake.resolve(),
    /** Removes deliveries that are no longer stored from the index; resolves when no search can find them there. */
    async forget(seqs: readonly number[]): Promise<void> {
      if (working !== null) await tried.promise
      await mending
      const later = () => deps.write('noteIndexChanges', seqs)
      if (thread === null || isClosed()) return later()
      // On a full disk the index takes them once it can be written.
      await thread.run('refresh', seqs).catch((error: unknown) => {
        if (!isFull(error)) throw error
        return later()
      })
    },
    status: (): SearchStatus => ({ state, left: left() }),
    async close() {
      stopping.abort()
      wake.resolve()
      await working
      await mending
      await thread?.close()
    },
  }
}

export type FindOptions = Omit<FindInput, 'query'> & Cancellable

interface Cancellable {
  readonly signal?: AbortSignal | undefined
}

type Examining = keyof SearchJobs & keyof ReaderJobs

/** The longest that a search right after the start waits for the index to open. */
const READY_PATIENCE_MS = 3_000

/** Starts the search and its index keeper. Without a search thread, everything runs in the reader's. */
export function createSearch(deps: SearchDeps) {
  const { reader } = deps
  const { run, thread, ready, ...kept } = keepIndex(deps)

  const begun = () => Promise.race([ready(), delay(READY_PATIENCE_MS, undefined, { ref: false })])

  /** Runs a job that examines deliveries: in the search thread, unless that isn't open or the job `isQuick`. */
  async function examine<Name extends Examining>(
    name: Name,
    input: JobInput<ReaderJobs[Name]>,
    signal?: AbortSignal,
    isQuick = false,
  ): Promise<JobOutput<ReaderJobs[Name]>> {
    await begun()
    return run(() => {
      const where = (isQuick ? null : thread()) ?? reader
      return (where as JobThread<ReaderJobs>).run(name, input, undefined, signal)
    })
  }

  /** The next matches, newest first unless asked otherwise, and where to continue. */
  const findSome = (query: Query, { signal, ...range }: FindOptions): Promise<FoundSeqs> =>
    examine('find', { query, ...range }, signal, isEverything(splitListed(query).query))

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
      return run(() => reader.run('rowsText', seqs, undefined, signal))
    },
    /**
     * Deliveries over time, without those of flow runs unless the query names them. The totals take milliseconds, and the search
     * thread may be filling the index.
     */
    timeline: (input: TimelineInput, signal?: AbortSignal) =>
      examine('timeline', input, signal, input.query === null),
    statistics: (query: Query, signal?: AbortSignal) => examine('statistics', query, signal),
    count: (input: CountInput, signal?: AbortSignal) => examine('count', input, signal),
    /** How many deliveries up to a seq are stored, counted without blocking anything. */
    async countUpTo(seq: number) {
      await ready()
      return examine('countUpTo', seq)
    },
    /** Runs a reader job that uses the index; if the index seems damaged, again after it has been recreated. */
    read: (async (name, input) => {
      await begun()
      return run(() => reader.run(name, input))
    }) as typeof reader.run,
    ...kept,
  }
}
