/**
 * Search for the rest of the core. While the index is missing or incomplete, searches return the same results and only take
 * longer; `index-keeper.ts` maintains it.
 *
 * The first piece of a search runs in the thread that reads lists, so that a page appears immediately. Longer searches continue in
 * the
 * search thread, piece by piece, so that they block nothing and end when nobody waits for them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Query } from '../../../shared/query/query.ts'
import { addBins, addStatistics } from '../../../shared/model/statistics.ts'
import { systemClock } from '../../base/system-clock.ts'
import type { JobThread } from '../../base/threads/job-thread.ts'
import type { ReaderJobs } from '../store-jobs.ts'
import type { FindInput, SearchAnchors, FoundSeqs } from './finder.ts'
import type {
  StatisticsInput,
  StatisticsPiece,
  TimelineInput,
  TimelinePiece,
} from '../timeline-repo.ts'
import { keepIndex, type IndexKeeper, type SearchDeps } from './index-keeper.ts'

export interface FindOptions {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly limit?: number | undefined
  readonly oldestFirst?: boolean | undefined
  /** Ends after about this many milliseconds with its results so far. */
  readonly patienceMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface PageOptions extends Pick<FindOptions, 'from' | 'to' | 'oldestFirst' | 'signal'> {
  readonly limit: number
}

export interface AnchorOptions extends Pick<
  FindOptions,
  'from' | 'oldestFirst' | 'patienceMs' | 'signal'
> {
  readonly pageSize: number
  /** Rows that the last page already has. */
  readonly skip?: number | undefined
}

export type PieceOptions = Pick<FindOptions, 'patienceMs' | 'signal'>

export interface CountOptions {
  readonly most: number
  readonly patienceMs: number
  readonly signal?: AbortSignal | undefined
}

/** Includes the index keeper: changed deliveries are reported to it. */
export interface Search extends Pick<
  IndexKeeper,
  'open' | 'changed' | 'forget' | 'status' | 'close'
> {
  /** Seqs of a query's matches, newest first unless asked otherwise. */
  find(query: Query, options: FindOptions): Promise<FoundSeqs>
  /** One page of rows, in the same order, as the text of a JSON array. */
  page(query: Query, options: PageOptions): Promise<string>
  /** How many there are, and where each page starts. */
  anchors(query: Query, options: AnchorOptions): Promise<SearchAnchors>
  /** Deliveries over time. It stops after about `patienceMs`, and `rest` says where to continue. */
  timeline(input: Omit<TimelineInput, 'budgetMs'>, options: PieceOptions): Promise<TimelinePiece>
  /** Statistics of a query's matches, in the same way. */
  statistics(
    input: Omit<StatisticsInput, 'budgetMs'>,
    options: PieceOptions,
  ): Promise<StatisticsPiece>
  /** How many there are, up to `most`; `more` if that or the patience ended the count. Runs in the search thread only. */
  count(
    query: Query,
    options: CountOptions,
  ): Promise<{ readonly count: number; readonly more: boolean }>
  /** How many deliveries up to a seq are stored, counted without blocking anything. */
  countUpTo(seq: number): Promise<number>
  /** Runs a reader job that uses the index; if the index seems damaged, again after it has been recreated. */
  readonly read: JobThread<ReaderJobs>['run']
}

/** A piece in the thread that reads lists, where others wait for it. */
const READER_PIECE_MS = 25
/** The first piece examines deliveries for prefixes of one or two letters: the index takes long for these. */
const FIRST_PIECE = { plainly: true, budgetMs: READER_PIECE_MS }
/** A piece in the search thread. */
const PIECE_MS = 40
/** The longest that a search right after the start waits for the index to open. */
const READY_PATIENCE_MS = 3_000

/** Starts the search and its index keeper. Long searches run in the search thread, or among the lists if there is none. */
export function createSearch(deps: SearchDeps): Search {
  const { reader } = deps
  const { run, thread, ready, ...told } = keepIndex(deps)

  const begun = () => Promise.race([ready(), delay(READY_PATIENCE_MS, undefined, { ref: false })])

  /** Continues where the first piece ended, in the search thread. */
  async function goOn(
    query: Query,
    { seqs, newest, next: start }: FoundSeqs,
    options: FindOptions,
    until: number,
  ): Promise<FoundSeqs> {
    const { to, limit, oldestFirst, signal } = options
    let next = start
    while (
      next !== null &&
      (limit === undefined || seqs.length < limit) &&
      systemClock.monotonic() < until
    ) {
      signal?.throwIfAborted()
      const wanted = limit === undefined ? undefined : limit - seqs.length
      const input = { query, from: next, to, limit: wanted, oldestFirst, budgetMs: PIECE_MS }
      const more = await run(() => thread()?.run('find', input) ?? reader.run('find', input))
      for (const seq of more.seqs) seqs.push(seq)
      next = more.next
    }
    return { seqs, next, newest }
  }

  return {
    async find(query, options) {
      const { from, to, limit, oldestFirst, patienceMs = Number.POSITIVE_INFINITY } = options
      const until = systemClock.monotonic() + patienceMs
      await begun()
      const first = await run(() =>
        reader.run('find', {
          ...{ query, from, to, limit, oldestFirst },
          ...FIRST_PIECE,
        }),
      )
      return goOn(query, first, options, until)
    },
    async page(query, options) {
      const { from, to, limit, oldestFirst } = options
      await begun()
      const input = { ...{ query, from, to, limit, oldestFirst }, ...FIRST_PIECE }
      const { rows, ...first } = await run(() => reader.run('findPage', input))
      if (rows !== null) return rows
      return reader.run(
        'rowsText',
        (await goOn(query, first, options, Number.POSITIVE_INFINITY)).seqs,
      )
    },
    async anchors(
      query,
      { pageSize, from, oldestFirst, skip = 0, patienceMs = Number.POSITIVE_INFINITY, signal },
    ) {
      const until = systemClock.monotonic() + patienceMs
      await begun()
      const all: { total: number; anchors: number[]; next: number | null; newest: number } = {
        total: 0,
        anchors: [],
        next: from ?? null,
        newest: 0,
      }
      do {
        signal?.throwIfAborted()
        const input = {
          query,
          pageSize,
          from: all.next ?? undefined,
          oldestFirst,
          skip: skip + all.total,
          budgetMs: PIECE_MS,
        }
        const piece = await run(
          () => thread()?.run('anchors', input) ?? reader.run('anchors', input),
        )
        all.total += piece.total
        for (const anchor of piece.anchors) all.anchors.push(anchor)
        all.next = piece.next
        if (all.newest === 0) all.newest = piece.newest
      } while (all.next !== null && systemClock.monotonic() < until)
      return all
    },
    async timeline(input, { patienceMs = Number.POSITIVE_INFINITY, signal }) {
      const until = systemClock.monotonic() + patienceMs
      await begun()
      // The totals take milliseconds, and the search thread may be filling the index.
      const isShort = input.query === null && input.rest === undefined
      let all: TimelinePiece | null = isShort
        ? await run(() => reader.run('timeline', { ...input, budgetMs: READER_PIECE_MS }))
        : null
      while (all === null || (all.rest !== null && systemClock.monotonic() < until)) {
        signal?.throwIfAborted()
        const piece: TimelineInput = { ...input, rest: all?.rest ?? input.rest, budgetMs: PIECE_MS }
        const more: TimelinePiece = await run(
          () => thread()?.run('timeline', piece) ?? reader.run('timeline', piece),
        )
        all = {
          ...more,
          newest: all?.newest ?? more.newest,
          bins: addBins(all?.bins ?? [], more.bins),
        }
      }
      return all
    },
    async statistics(input, { patienceMs = Number.POSITIVE_INFINITY, signal }) {
      const until = systemClock.monotonic() + patienceMs
      await begun()
      const readPiece = (from: number | undefined): Promise<StatisticsPiece> => {
        const piece: StatisticsInput = { ...input, from, budgetMs: PIECE_MS }
        return run(() => thread()?.run('statistics', piece) ?? reader.run('statistics', piece))
      }
      let all = await readPiece(input.from)
      while (all.next !== null && systemClock.monotonic() < until) {
        signal?.throwIfAborted()
        const more = await readPiece(all.next)
        all = { ...addStatistics(all, more), next: more.next, newest: all.newest }
      }
      return all
    },
    async count(query, { most, patienceMs, signal }) {
      const until = systemClock.monotonic() + patienceMs
      await begun()
      let count = 0
      let next: number | null = null
      do {
        signal?.throwIfAborted()
        const input: FindInput = {
          query,
          from: next ?? undefined,
          limit: most + 1 - count,
          budgetMs: PIECE_MS,
        }
        const piece: FoundSeqs = await run(
          () => thread()?.run('find', input) ?? reader.run('find', input),
        )
        count += piece.seqs.length
        next = piece.next
      } while (next !== null && count <= most && systemClock.monotonic() < until)
      return { count: Math.min(count, most), more: count > most || next !== null }
    },
    async countUpTo(seq) {
      await ready()
      return thread()?.run('countUpTo', seq) ?? reader.run('countUpTo', seq)
    },
    async read(name, input) {
      await begun()
      return run(() => reader.run(name, input))
    },
    ...told,
  }
}
