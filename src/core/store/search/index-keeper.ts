/**
 * Maintains the index: opened, filled behind the receiver, and recreated if it is lost or damaged.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { SearchStatus } from '../../../shared/model/status.ts'
import type { Log } from '../../base/deps.ts'
import { systemClock } from '../../base/system-clock.ts'
import { startJobThread, type JobThread } from '../../base/threads/job-thread.ts'
import type { ReaderJobs } from '../reader.ts'
import type { WriterJobs } from '../writer.ts'
import { mayBeIndexDamage, isFull } from '../sqlite-errors.ts'
import type { SearchData, SearchJobs } from './search-jobs.ts'

export interface SearchDeps {
  readonly worker: URL
  readonly file: string
  readonly searchFile: string
  readonly limitMs: number
  readonly reader: JobThread<ReaderJobs>
  readonly write: JobThread<WriterJobs>['run']
  readonly log: Log
  readonly opensLater: boolean
  isBusy(): boolean
  newest(): number
  onStatus(): void
  /** Whether the database is damaged, so that a new index doesn't help. */
  isDatabaseDamaged(): boolean
  /** Returns the error for callers; reports damage. */
  explain(error: unknown): unknown
}

/** Milliseconds of one piece of filling, for which searches wait. */
const FILL_MS = 40
/** Milliseconds between pieces while deliveries wait. */
const BUSY_PAUSE_MS = 500
const GATHER_MS = 150
/** Unindexed deliveries above which the state becomes `filling`. */
const WORTH_TELLING = 2_000
const TELL_MS = 1_000
const RETRY_MS = 2_000

/** Search index with its thread, maintained until closed; any failure is retried. */
export class IndexKeeper {
  readonly #deps: SearchDeps
  readonly #stopping = new AbortController()
  #thread: JobThread<SearchJobs> | null = null
  #state: SearchStatus['state'] = 'opening'
  #indexed = 0
  #wake = Promise.withResolvers<void>()
  #reportedAt = 0
  #isFailing = false
  /** Whether the index was recreated and not filled since. */
  #wasRebuilt = false
  #rebuilding: Promise<void> | null = null
  /** First attempt to open, whatever its result. */
  readonly #firstAttempt = Promise.withResolvers<void>()
  #working: Promise<void> | null = null

  constructor(deps: SearchDeps) {
    this.#deps = deps
  }

  open = () => {
    this.#working ??= this.#begin()
    return this.#firstAttempt.promise
  }

  /** Resolves after the first attempt to open, or at once if the index stays closed. */
  ready = () => (this.#working === null ? Promise.resolve() : this.#firstAttempt.promise)

  thread = () => this.#thread

  /** Runs a read, a second time if a damaged index had to be recreated. */
  run = async <Output>(piece: () => Promise<Output>): Promise<Output> => {
    return piece()
      .catch(async (error: unknown) => {
        // If the second attempt fails too, the database is damaged.
        const isOther = !mayBeIndexDamage(error) || this.#thread === null || this.#state === 'off'
        if (isOther || this.#isClosed() || this.#deps.isDatabaseDamaged()) throw error
        await this.#rebuild((error as Error).message)
        return piece()
      })
      .catch((error: unknown) => {
        throw this.#deps.explain(error)
      })
  }

  /** Wakes the index after changes. */
  changed = () => this.#wake.resolve()

  /** Removes deleted deliveries from the index. */
  forget = async (seqs: readonly number[]): Promise<void> => {
    if (this.#working !== null) await this.#firstAttempt.promise
    await this.#rebuilding
    const later = () => this.#deps.write('noteIndexChanges', seqs)
    if (this.#thread === null || this.#isClosed()) return later()
    await this.#thread.run('refresh', seqs).catch((error: unknown) => {
      if (!isFull(error)) throw error
      return later()
    })
  }

  status = (): SearchStatus => ({ state: this.#state, left: this.#left() })

  close = async () => {
    this.#stopping.abort()
    this.#wake.resolve()
    await this.#working
    await this.#rebuilding
    await this.#thread?.close()
  }

  #pause(ms: number) {
    return systemClock.sleep(ms, this.#stopping.signal)
  }

  #isClosed() {
    return this.#stopping.signal.aborted
  }

  #left() {
    return Math.max(0, this.#deps.newest() - this.#indexed)
  }

  #enter(next: SearchStatus['state']): void {
    if (next === this.#state) return
    this.#state = next
    this.#reportedAt = systemClock.monotonic()
    this.#deps.onStatus()
  }

  #reportProgress(): void {
    if (this.#state !== 'filling' && this.#left() > WORTH_TELLING) this.#enter('filling')
    else if (this.#state !== 'ready' && systemClock.monotonic() - this.#reportedAt > TELL_MS) {
      this.#reportedAt = systemClock.monotonic()
      this.#deps.onStatus()
    }
  }

  async #rebuild(reason: string): Promise<void> {
    if (this.#thread === null || this.#isClosed()) return
    const running = this.#thread
    this.#rebuilding ??= (async () => {
      this.#deps.log.warn("The search index is being rebuilt. Deliveries aren't affected.", {
        reason,
      })
      await this.#deps.reader.run('detachSearch', null)
      await running.run('begin', null)
      await this.#deps.reader.run('attachSearch', this.#deps.searchFile)
      this.#indexed = 0
      this.#enter('filling')
      this.#wake.resolve()
    })().finally(() => {
      this.#rebuilding = null
    })
    await this.#rebuilding
  }

  async #fillPiece(running: JobThread<SearchJobs>): Promise<boolean> {
    const filled = await running.run('fill', FILL_MS)
    if (filled.taken.length > 0) await this.#deps.write('dropIndexChanges', filled.taken)
    this.#indexed = filled.indexed
    return filled.behind || filled.taken.length > 0
  }

  /** Recreates a damaged index, or waits before a retry. */
  async #recover(error: unknown): Promise<void> {
    try {
      if (mayBeIndexDamage(error)) {
        if (this.#wasRebuilt) this.#deps.explain(error)
        else {
          this.#wasRebuilt = true
          await this.#rebuild((error as Error).message)
          return
        }
      }
      if (!this.#isFailing)
        this.#deps.log.warn("The search index can't be filled for now.", {
          reason: (error as Error).message,
        })
    } catch (rebuildError) {
      if (!this.#isFailing) this.#deps.log.bug(rebuildError, 'rebuilding the search index')
    }
    this.#isFailing = true
    await this.#pause(RETRY_MS)
  }

  async #work(running: JobThread<SearchJobs>): Promise<void> {
    while (!this.#isClosed() && !this.#deps.isDatabaseDamaged()) {
      this.#wake = Promise.withResolvers()
      try {
        if (await this.#fillPiece(running)) {
          this.#reportProgress()
          if (this.#deps.isBusy()) await this.#pause(BUSY_PAUSE_MS)
          continue
        }
        this.#isFailing = false
        this.#wasRebuilt = false
      } catch (error) {
        if (this.#isClosed()) return
        await this.#recover(error)
        continue
      }
      this.#enter('ready')
      await this.#wake.promise
      await this.#pause(GATHER_MS)
    }
  }

  async #tryToOpen(): Promise<void> {
    const running = await startJobThread<SearchJobs>(this.#deps.worker, {
      file: this.#deps.file,
      searchFile: this.#deps.searchFile,
      limitMs: this.#deps.limitMs,
    } satisfies SearchData)
    try {
      await this.#deps.reader.run('attachSearch', this.#deps.searchFile)
    } catch (error) {
      await running.close()
      throw error
    }
    this.#thread = running
  }

  async #begin(): Promise<void> {
    while (this.#thread === null && !this.#isClosed()) {
      try {
        await this.#tryToOpen()
      } catch (error) {
        if (this.#state !== 'off') {
          if (error instanceof AppError)
            this.#deps.log.warn("The search index can't be opened for now.", {
              reason: error.message,
            })
          else this.#deps.log.bug(error, 'opening the search index')
        }
        this.#enter('off')
        this.#firstAttempt.resolve()
        await this.#pause(RETRY_MS)
      }
    }
    this.#firstAttempt.resolve()
    if (this.#thread === null) return
    this.#enter('opening')
    await this.#work(this.#thread)
  }
}
