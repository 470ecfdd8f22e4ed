/** Asynchronous work: closed in order, limited in time, one piece at a time, at most once per interval, or as runs that a user follows. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Log } from './deps.ts'
import { systemClock } from './system-clock.ts'

/** Closes opened parts, the last one first, and all of them: one that fails must not keep a database or a port open. */
export type Closer = () => Promise<void> | void

/** Empties the list. Rejects with the first failure, once all were tried. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** A long list in parts, for work that rests in between. */
export function* chunks<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}

/**
 * Limits how long to wait for work that may never end: the result of `work`, or what `onLate` returns or throws if the work takes
 * longer than `ms` of real time. The work itself continues.
 */
export async function withTimeLimit<T>(ms: number, work: Promise<T>, onLate: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  }).then(onLate)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

type Mutex = <T>(work: () => Promise<T>) => Promise<T>

/** Runs work one piece at a time, so that nothing overwrites another piece's result. It runs in the requested order, whether the previous piece succeeded or failed. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    // Only the caller sees a failure; the next piece just waits for the end.
    last = mine.catch(() => null)
    return mine
  }
}

/** How work that failed is tried again: with a warning in the log, after this many milliseconds. */
interface Retry {
  readonly log: Pick<Log, 'warn'>
  readonly warning: string
  readonly afterMs: number
}

/**
 * Work that does everything left to do, one run at a time. A request during a run is a further run, which all requests until then
 * share. `work` ends early once `closing` is aborted. Without `retry` it handles its own errors.
 */
export function createCatchUp(work: () => Promise<void>, retry?: Retry) {
  const closing = new AbortController()
  const exclusive = createMutex()
  let next: Promise<void> | null = null
  const settled = () => exclusive(() => Promise.resolve())

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await work()
        return
      } catch (error) {
        if (retry === undefined) throw error
        if (closing.signal.aborted) return
        retry.log.warn(retry.warning, { reason: (error as Error).message })
        await systemClock.sleep(retry.afterMs, closing.signal)
      }
    }
  }

  return {
    /** Resolves once a run that began after this request has ended. */
    request: (): Promise<void> =>
      (next ??= exclusive(async () => {
        next = null
        await run()
      })),
    /** Resolves once all requested runs have ended. */
    settled,
    closing: closing.signal,
    /** Stops a run and waits for its end. */
    close() {
      closing.abort()
      return settled()
    },
  }
}

export interface Throttled {
  /** Requests a run. */
  (): void
  /** Runs the work now, requested or not. */
  flush(): void
  /** Drops a pending run. Nothing runs after this. */
  stop(): void
}

interface ThrottleOptions {
  readonly everyMs?: number
  /**
   * When a request after a quiet interval runs: `now`; on the `next-turn` of the event loop, with all requests of this one; or
   * `later`, at the end of an interval.
   */
  readonly first?: 'now' | 'next-turn' | 'later'
}

/** How often progress is shown: ten times per second. */
const PROGRESS_MS = 100

/**
 * Runs work at most once per interval, however often it is requested. Requests within an interval run once at its end, so the
 * latest state is never missed.
 */
export function throttle(
  work: () => void,
  { everyMs = PROGRESS_MS, first = 'now' }: ThrottleOptions = {},
): Throttled {
  let isAsked = false
  let isStopped = false
  let timer: NodeJS.Timeout | null = null

  function run(): void {
    isAsked = false
    timer = setTimeout(intervalEnded, everyMs)
    work()
  }

  function intervalEnded(): void {
    timer = null
    if (isAsked) run()
  }

  function ask(): void {
    if (isStopped) return
    isAsked = true
    if (timer !== null) return
    if (first === 'now') run()
    else timer = setTimeout(intervalEnded, first === 'later' ? everyMs : 0)
  }

  return Object.assign(ask, {
    flush() {
      if (isStopped) return
      if (timer !== null) clearTimeout(timer)
      run()
    },
    stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
    },
  })
}

export interface ActiveRun<State> {
  readonly id: string
  readonly state: State
  /** Aborted once the run is cancelled. */
  readonly cancelled: AbortSignal
  /** Aborted once the run is cancelled or the core closes. */
  readonly stopped: AbortSignal
  /** Reports progress, at most ten times per second and always the latest; `flush` reports immediately. */
  readonly progress: Throttled
  /** Asks the work to stop, without waiting for its end. */
  cancel(): void
}

export interface StartedRun<State, Result> extends ActiveRun<State> {
  /** Rejects only if `onFailed` or `onEnded` throws. */
  readonly ended: Promise<Result>
}

interface RunsOwner<State, Result> {
  onProgress?(run: ActiveRun<State>): void
  /** The result of a run whose work threw. */
  onFailed(error: unknown, run: ActiveRun<State>): Result | Promise<Result>
  /** Called once, when the run is no longer active. */
  onEnded?(run: ActiveRun<State>, result: Result): void | Promise<void>
}

/** Long work that a user follows: started, reported ten times per second, cancelled, and ended before the core closes. Its owner decides what a run does, shows and stores. */
export function createRuns<State, Result>({
  onProgress,
  onFailed,
  onEnded,
}: RunsOwner<State, Result>) {
  const active = new Map<string, StartedRun<State, Result>>()
  const tracked = new Set<Promise<unknown>>()
  const closing = new AbortController()

  async function end(
    run: ActiveRun<State>,
    work: (run: ActiveRun<State>) => Promise<Result>,
  ): Promise<Result> {
    let result: Result
    try {
      result = await work(run)
    } catch (error) {
      result = await onFailed(error, run)
    } finally {
      run.progress.stop()
      active.delete(run.id)
    }
    await onEnded?.(run, result)
    return result
  }

  return {
    /**
     * Starts work under an id that is not active; one that has ended can be resumed under the same id. After the close, work begins with
     * `stopped` already aborted.
     */
    start(
      id: string,
      state: State,
      work: (run: ActiveRun<State>) => Promise<Result>,
    ): StartedRun<State, Result> {
      if (active.has(id)) throw new Error(`Run ${id} is already active.`)
      const cancelling = new AbortController()
      const { promise: ended, resolve } = Promise.withResolvers<Result>()
      const run: StartedRun<State, Result> = {
        id,
        state,
        cancelled: cancelling.signal,
        stopped: AbortSignal.any([cancelling.signal, closing.signal]),
        progress: throttle(() => onProgress?.(run)),
        cancel: () => cancelling.abort(),
        ended,
      }
      active.set(id, run)
      resolve(end(run, work))
      // The caller receives the error.
      ended.catch(() => undefined)
      return run
    },
    get: (id: string) => active.get(id),
    isRunning: (id: string) => active.has(id),
    /** Resolves with the result once the run has ended; with undefined if it wasn't active. */
    async cancel(id: string): Promise<Result | undefined> {
      const run = active.get(id)
      run?.cancel()
      return run?.ended
    },
    /** Closing waits for this work too, for example a run's preparation. */
    track<T>(work: Promise<T>): Promise<T> {
      tracked.add(work)
      return work.finally(() => tracked.delete(work))
    },
    closing: closing.signal,
    /** Stops active runs and waits for their end. */
    async close() {
      closing.abort()
      await Promise.allSettled(tracked)
      await Promise.allSettled([...active.values()].map(({ ended }) => ended))
    },
  }
}

/** The error for the user that work fails with; null if it succeeds. Rejects with any other error. */
export async function refusalOf(work: () => unknown): Promise<AppError | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** What work resolves with; null if it fails with an error for the user. Rejects with any other error. */
export async function unlessRefused<T>(work: Promise<T>): Promise<T | null> {
  return (await refusalOf(() => work)) === null ? work : null
}

/** The error text for a failed run. A bug is logged under the reference in the message. */
export function failureSentence(error: unknown, log: Log, what: string): string {
  return error instanceof AppError
    ? error.message
    : `Stopped by a bug (reference ${log.bug(error, what)}).`
}

export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
