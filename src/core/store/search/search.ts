/**
 * Search, as the rest of the core sees it: an index that is filled behind the receiver and gives way to it, checked after an
 * unclean stop and made anew where it is lost or damaged, with no one's doing. While it is not there, or not all there, searches
 * give the same answers and only take longer.
 *
 * The first piece of a search runs where lists are read, so that a page is there at once; whatever takes longer goes on in the
 * search thread, piece by piece, so that it holds up nothing and ends when nobody waits for it any more.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../shared/contract/errors.ts'
import type { SearchStatus } from '../../../shared/model/status.ts'
import type { Query } from '../../../shared/query/query.ts'
import type { Log } from '../../deps.ts'
import { systemClock } from '../../system-clock.ts'
import { startJobThread, type JobThread } from '../../threads/job-thread.ts'
import type { ReaderJobs } from '../reader-jobs.ts'
import type { Anchors } from './anchors.ts'
import type { FindInput, Found } from './finder.ts'
import { createPace } from './pace.ts'
import type { SearchJobs } from './search-jobs.ts'

export interface SearchDeps {
  readonly worker: URL
  readonly file: string
  readonly searchFile: string
  readonly reader: JobThread<ReaderJobs>
  readonly log: Log
  /** Whether deliveries wait for their commit. */
  isBusy(): boolean
  /** Number of deliveries stored. */
  total(): number
  onStatus(): void
}

export interface FindOptions {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly limit?: number | undefined
  /** Ends after about so many milliseconds with what is found by then. */
  readonly patienceMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface AnchorOptions extends Pick<FindOptions, 'from' | 'patienceMs' | 'signal'> {
  readonly pageSize: number
  /** Rows that the last page already has. */
  readonly skip?: number | undefined
}

export interface Search {
  /** Seqs of what a query finds, newest first. */
  find(query: Query, options: FindOptions): Promise<Found>
  /** How many there are, and where each page of them starts. */
  anchors(query: Query, options: AnchorOptions): Promise<Anchors>
  /** How many deliveries up to a seq are stored, counted where it holds nothing up. */
  countUpTo(seq: number): Promise<number>
  /** Runs a job of the reader that looks into the index; where that seems damaged, once more when it has been made anew. */
  readonly read: JobThread<ReaderJobs>['run']
  /** Deliveries were stored. */
  stored(count: number): void
  /** These were filled in, have changed or are gone. */
  changed(seqs: readonly number[]): void
  /** Takes these, which are no longer stored, out of the index; resolves when no search can find them there. */
  forget(seqs: readonly number[]): Promise<void>
  status(): SearchStatus
  close(): Promise<void>
}

/** A piece in the thread that reads lists: others wait for it. */
const READER_PIECE_MS = 25
/** A piece in the search thread. */
const PIECE_MS = 40
const CALM_FILL_MS = 60
/** While deliveries stream in: a few milliseconds twice a second are noticed by nobody, and it never comes to a stop. */
const BUSY_FILL_MS = 12
/** A delivery is indexed once its answer is in too: until then it would be indexed twice. */
const GATHER_MS = 150
/** A search in the first moments of a start waits so long at most for the index to be opened. */
const READY_PATIENCE_MS = 3_000
/** Fewer than this are filled in before anyone could read that they are missing. */
const WORTH_TELLING = 2_000
const TELL_MS = 1_000
const RETRY_MS = 2_000
const REFRESHED_AT_ONCE = 256

/** Whether an error can come of a damaged file, or of one that lacks what it should have. */
function isDamage(error: unknown): boolean {
  const { code = '', message } = error as Error & { code?: string }
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || /no such table|vtable constructor failed/.test(message)
}

export function createSearch(deps: SearchDeps): Search {
  const { reader, log } = deps
  const pace = createPace(deps.isBusy)
  let thread: JobThread<SearchJobs> | null = null
  let state: SearchStatus['state'] = 'opening'
  let documents = 0
  const changed = new Set<number>()
  let wake = Promise.withResolvers<void>()
  let closed = false
  let toldAt = 0
  let failing = false
  /** One after the other: nothing is attached while the index is made anew. */
  let mending: Promise<void> | null = null

  const left = () => Math.max(0, deps.total() - documents)

  function enter(next: SearchStatus['state']): void {
    if (next === state) return
    state = next
    toldAt = systemClock.monotonic()
    deps.onStatus()
  }

  function tellProgress(): void {
    if (state !== 'filling' && left() > WORTH_TELLING) enter('filling')
    else if (state !== 'ready' && systemClock.monotonic() - toldAt > TELL_MS) {
      toldAt = systemClock.monotonic()
      deps.onStatus()
    }
  }

  async function makeAnew(reason: string): Promise<void> {
    if (thread === null || closed) return
    const running = thread
    mending ??= (async () => {
      log.warn('The search index is made anew; deliveries are not affected.', { reason })
      await reader.run('detachSearch', null)
      await running.run('begin', null)
      await reader.run('attachSearch', deps.searchFile)
      documents = 0
      enter('filling')
      wake.resolve()
    })().finally(() => {
      mending = null
    })
    await mending
  }

  /** Runs a piece of a search; where the index seems damaged, once more when it has been made anew. */
  async function run<Output>(piece: () => Promise<Output>): Promise<Output> {
    try {
      return await piece()
    } catch (error) {
      // It may be the database itself that is damaged: with an index that is new, the second try tells.
      if (!isDamage(error) || thread === null || closed || state === 'off') throw error
      await makeAnew((error as Error).message)
      return piece()
    }
  }

  async function check(running: JobThread<SearchJobs>): Promise<void> {
    const suspects = await running.run('suspects', null)
    if (suspects === null) return makeAnew('its lists of facts do not agree')
    if (suspects.length === 0) return
    enter('checking')
    let mended = 0
    for (const partition of suspects) {
      await pace.rest()
      if (closed) return
      const outcome = await running.run('check', partition)
      mended += outcome.mended
      if (outcome.emptied) log.warn('A part of the search index was not as it should be; it is filled again.', { partition })
    }
    if (mended > 0) log.info('Deliveries were indexed again after an unclean stop.', { mended })
    await running.run('trust', null)
  }

  async function refresh(running: JobThread<SearchJobs>, seqs: readonly number[]): Promise<void> {
    try {
      await running.run('refresh', seqs)
    } catch (error) {
      for (const seq of seqs) changed.add(seq)
      throw error
    }
  }

  async function fill(running: JobThread<SearchJobs>): Promise<void> {
    for (;;) {
      if (closed) return
      const seqs = [...changed].slice(0, REFRESHED_AT_ONCE)
      // Out of the set before: what changes once more meanwhile comes again.
      for (const seq of seqs) changed.delete(seq)
      if (seqs.length > 0) await refresh(running, seqs)
      const { behind, documents: known } = await running.run('fill', pace.isCalm() ? CALM_FILL_MS : BUSY_FILL_MS)
      documents = known
      if (!behind && changed.size === 0) {
        enter('ready')
        return
      }
      tellProgress()
      await pace.rest()
    }
  }

  /** What cannot be written (a full disk) is tried again after a while; what is damaged is made anew. */
  async function recover(error: unknown): Promise<void> {
    try {
      if (isDamage(error)) {
        await makeAnew((error as Error).message)
        return
      }
      if (!failing) log.warn('The search index cannot be filled for now.', { reason: (error as Error).message })
    } catch (again) {
      if (!failing) log.bug(again, 'making the search index anew')
    }
    failing = true
    await pace.pause(RETRY_MS)
  }

  async function work(running: JobThread<SearchJobs>): Promise<void> {
    let checked = false
    for (;;) {
      if (closed) return
      wake = Promise.withResolvers()
      try {
        if (!checked) await check(running)
        checked = true
        await fill(running)
        failing = false
      } catch (error) {
        if (closed) return
        await recover(error)
        continue
      }
      await wake.promise
      await pace.pause(GATHER_MS)
    }
  }

  async function open(): Promise<void> {
    const running = await startJobThread<SearchJobs>(deps.worker, { file: deps.file, searchFile: deps.searchFile })
    try {
      await reader.run('attachSearch', deps.searchFile)
    } catch (error) {
      await running.close()
      throw error
    }
    documents = await running.run('documents', null)
    thread = running
  }

  /** The first try, whatever comes of it: who searches waits for that much. */
  const tried = Promise.withResolvers<void>()

  async function begin(): Promise<void> {
    while (thread === null && !closed) {
      try {
        await open()
      } catch (error) {
        if (state !== 'off') {
          if (error instanceof AppError) log.warn('The search index cannot be opened for now.', { reason: error.message })
          else log.bug(error, 'opening the search index')
        }
        enter('off')
        tried.resolve()
        await pace.pause(RETRY_MS)
      }
    }
    tried.resolve()
    if (thread === null) return
    enter('opening')
    await work(thread)
  }

  const ready = tried.promise
  const working = begin()

  const begun = () => Promise.race([ready, delay(READY_PATIENCE_MS, undefined, { ref: false })])

  const searchFind = (input: FindInput) => run(() => (thread === null ? reader.run('find', input) : thread.run('find', input)))

  return {
    async find(query, { from, to, limit, patienceMs = Number.POSITIVE_INFINITY, signal }) {
      const until = systemClock.monotonic() + patienceMs
      await begun()
      const first = await run(() => reader.run('find', { query, from, to, limit, budgetMs: READER_PIECE_MS }))
      const { seqs, newest } = first
      let { next } = first
      while (next !== null && (limit === undefined || seqs.length < limit) && systemClock.monotonic() < until) {
        signal?.throwIfAborted()
        const wanted = limit === undefined ? undefined : limit - seqs.length
        const more = await searchFind({ query, from: next, to, limit: wanted, budgetMs: PIECE_MS })
        for (const seq of more.seqs) seqs.push(seq)
        next = more.next
      }
      return { seqs, next, newest }
    },
    async anchors(query, { pageSize, from, skip = 0, patienceMs = Number.POSITIVE_INFINITY, signal }) {
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
        const input = { query, pageSize, from: all.next ?? undefined, skip: skip + all.total, budgetMs: PIECE_MS }
        const piece = await run(() => (thread === null ? reader.run('anchors', input) : thread.run('anchors', input)))
        all.total += piece.total
        for (const anchor of piece.anchors) all.anchors.push(anchor)
        all.next = piece.next
        if (all.newest === 0) all.newest = piece.newest
      } while (all.next !== null && systemClock.monotonic() < until)
      return all
    },
    async countUpTo(seq) {
      await ready
      return thread === null ? reader.run('countUpTo', seq) : thread.run('countUpTo', seq)
    },
    async read(name, input) {
      await begun()
      return run(() => reader.run(name, input))
    },
    stored(count) {
      pace.came(count)
    },
    changed(seqs) {
      if (state === 'off') return
      for (const seq of seqs) changed.add(seq)
      wake.resolve()
    },
    async forget(seqs) {
      await ready
      await mending
      if (thread !== null && state !== 'off' && !closed) await refresh(thread, seqs)
    },
    status: () => ({ state, left: left() }),
    async close() {
      closed = true
      wake.resolve()
      pace.stop()
      await working
      await mending
      await thread?.close()
    },
  }
}
