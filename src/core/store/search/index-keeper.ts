/**
 * Maintains the search index automatically: opens it, checks it after an unclean stop, fills it behind the receiver, and recreates
 * it if it is lost or damaged.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { SearchStatus } from '../../../shared/model/status.ts'
import type { Log } from '../../base/deps.ts'
import { systemClock } from '../../base/system-clock.ts'
import { startJobThread, type JobThread } from '../../base/threads/job-thread.ts'
import type { ReaderJobs } from '../store-jobs.ts'
import { isDamage } from '../damaged.ts'
import { createPace } from './pace.ts'
import type { SearchJobs } from './search-jobs.ts'

export interface SearchDeps {
  readonly worker: URL
  readonly file: string
  readonly searchFile: string
  readonly reader: JobThread<ReaderJobs>
  readonly log: Log
  /** Whether the index stays closed until `open`, or until something in it changes. Searches then examine each delivery. */
  readonly opensLater: boolean
  /** Whether deliveries wait for their commit. */
  isBusy(): boolean
  /** Number of stored deliveries. */
  total(): number
  onStatus(): void
  /** Whether pages of the database itself are known to be damaged: a new index doesn't help then. */
  isDatabaseDamaged(): boolean
  onDatabaseDamaged(error: unknown): void
}

export interface IndexKeeper {
  /** Opens the index if it is closed; resolves after the first attempt, whatever its result. */
  open(): Promise<void>
  /** Resolves once searches may run: after the first attempt to open the index, or immediately if it stays closed. */
  ready(): Promise<void>
  /** The search thread; null if it isn't running. */
  thread(): JobThread<SearchJobs> | null
  /** Runs a piece of a search; if the index seems damaged, again after it has been recreated. */
  run<Output>(piece: () => Promise<Output>): Promise<Output>
  /** Deliveries were stored. */
  stored(count: number): void
  /** These deliveries were described, changed or deleted; without any, others were described for the first time. */
  changed(seqs: readonly number[]): void
  /** Removes deliveries that are no longer stored from the index; resolves when no search can find them there. */
  forget(seqs: readonly number[]): Promise<void>
  status(): SearchStatus
  /** Indexes the latest changes within a while, then stops; the next start checks for the rest. */
  close(): Promise<void>
}

const CALM_FILL_MS = 60
/** While deliveries stream in: a few milliseconds twice per second go unnoticed, and indexing never stops. */
const BUSY_FILL_MS = 12
/** A delivery is indexed once its response is stored, otherwise it would be indexed twice. */
const GATHER_MS = 150
/** Fewer than this are indexed before a user could notice them missing. */
const WORTH_TELLING = 2_000
const TELL_MS = 1_000
const RETRY_MS = 2_000
const REFRESHED_AT_ONCE = 256
/** How long closing waits for changes to be indexed. */
const CLOSE_PATIENCE_MS = 2_000

/** Starts maintaining the index. It retries after any failure, and deliveries are never affected. */
export function keepIndex(deps: SearchDeps): IndexKeeper {
  const { reader, log } = deps
  const pace = createPace(deps.isBusy)
  let thread: JobThread<SearchJobs> | null = null
  let state: SearchStatus['state'] = 'opening'
  let documents = 0
  const changed = new Set<number>()
  /** Whether deliveries changed while the index couldn't be opened. */
  let lacksChanges = false
  let wake = Promise.withResolvers<void>()
  let closed = false
  let toldAt = 0
  let failing = false
  /** Whether the index was recreated and not filled since. */
  let wasMadeAnew = false
  /** One after the other: nothing is attached while the index is recreated. */
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
      log.warn("The search index is being rebuilt. Deliveries aren't affected.", { reason })
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

  async function run<Output>(piece: () => Promise<Output>): Promise<Output> {
    try {
      return await piece()
    } catch (error) {
      // The database itself may be damaged: with a new index, the second attempt shows it.
      if (
        !isDamage(error) ||
        thread === null ||
        closed ||
        state === 'off' ||
        deps.isDatabaseDamaged()
      )
        throw error
      await makeAnew((error as Error).message)
      return piece()
    }
  }

  async function check(running: JobThread<SearchJobs>): Promise<void> {
    if (lacksChanges) await running.run('distrust', null)
    lacksChanges = false
    const suspects = await running.run('suspects', null)
    if (suspects.length === 0) return
    enter('checking')
    let mended = 0
    for (const partition of suspects) {
      await pace.rest()
      if (closed) return
      const outcome = await running.run('check', partition)
      mended += outcome.mended
      if (outcome.emptied)
        log.warn('A part of the search index was wrong and is being filled again.', { partition })
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

  async function refreshChanged(running: JobThread<SearchJobs>): Promise<void> {
    const seqs = [...changed].slice(0, REFRESHED_AT_ONCE)
    // Removed from the set first: deliveries that change again are added again.
    for (const seq of seqs) changed.delete(seq)
    if (seqs.length > 0) await refresh(running, seqs)
  }

  /** Whatever isn't indexed now is found by the check after the next start: an index closed as correct is never checked. */
  async function finishChanges(running: JobThread<SearchJobs>): Promise<void> {
    const until = systemClock.monotonic() + CLOSE_PATIENCE_MS
    try {
      while (changed.size > 0 && systemClock.monotonic() < until) await refreshChanged(running)
    } catch (error) {
      log.warn("The search index lacks the latest changes. It's checked at the next start.", {
        reason: (error as Error).message,
      })
    }
    if (changed.size > 0 || lacksChanges) await running.run('distrust', null).catch(() => null)
  }

  async function fill(running: JobThread<SearchJobs>): Promise<void> {
    for (;;) {
      if (closed) return
      await refreshChanged(running)
      const { behind, documents: known } = await running.run(
        'fill',
        pace.isCalm() ? CALM_FILL_MS : BUSY_FILL_MS,
      )
      documents = known
      if (!behind && changed.size === 0) {
        enter('ready')
        return
      }
      tellProgress()
      await pace.rest()
    }
  }

  /** If the index can't be written (a full disk), it is retried after a while; if it is damaged, it is recreated. */
  async function recover(error: unknown): Promise<void> {
    try {
      if (isDamage(error)) {
        // Then the database is damaged, which an empty index can't fix.
        if (wasMadeAnew) deps.onDatabaseDamaged(error)
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
    await pace.pause(RETRY_MS)
  }

  async function work(running: JobThread<SearchJobs>): Promise<void> {
    let checked = false
    for (;;) {
      if (closed || deps.isDatabaseDamaged()) return
      wake = Promise.withResolvers()
      try {
        if (!checked) await check(running)
        checked = true
        await fill(running)
        failing = false
        wasMadeAnew = false
      } catch (error) {
        if (closed) return
        await recover(error)
        continue
      }
      await wake.promise
      await pace.pause(GATHER_MS)
    }
  }

  async function tryToOpen(): Promise<void> {
    const running = await startJobThread<SearchJobs>(deps.worker, {
      file: deps.file,
      searchFile: deps.searchFile,
    })
    try {
      await reader.run('attachSearch', deps.searchFile)
      documents = await running.run('documents', null)
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
    while (thread === null && !closed) {
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
        await pace.pause(RETRY_MS)
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
    open,
    ready: () => (working === null ? Promise.resolve() : tried.promise),
    thread: () => thread,
    run,
    stored(count) {
      pace.came(count)
    },
    changed(seqs) {
      if (seqs.length > 0) void open()
      if (state === 'off') lacksChanges ||= seqs.length > 0
      else for (const seq of seqs) changed.add(seq)
      wake.resolve()
    },
    async forget(seqs) {
      await open()
      await mending
      if (thread !== null && state !== 'off' && !closed) await refresh(thread, seqs)
      else lacksChanges = true
    },
    status: () => ({ state, left: left() }),
    async close() {
      closed = true
      wake.resolve()
      pace.stop()
      await working
      await mending
      if (thread === null) return
      await finishChanges(thread)
      await thread.close()
    },
  }
}
