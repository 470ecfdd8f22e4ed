/**
 * Long work that a user follows: started, reported ten times per second, cancelled, and ended before the core closes. Its owner
 * decides what a run does, shows and stores.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Log } from './deps.ts'
import { throttle, type Throttled } from './async.ts'

export interface ActiveRun<State> {
  readonly id: string
  /** The owner's data about it. */
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

export interface RunsOwner<State, Result> {
  onProgress?(run: ActiveRun<State>): void
  /** The result of a run whose work threw. */
  onFailed(error: unknown, run: ActiveRun<State>): Result | Promise<Result>
  /** Called once, when the run is no longer active. */
  onEnded?(run: ActiveRun<State>, result: Result): void | Promise<void>
}

export interface Runs<State, Result> {
  /**
   * Starts work under an id that is not active; one that has ended can be resumed under the same id. After the close, work begins with
   * `stopped` already aborted.
   */
  start(
    id: string,
    state: State,
    work: (run: ActiveRun<State>) => Promise<Result>,
  ): StartedRun<State, Result>
  get(id: string): StartedRun<State, Result> | undefined
  isRunning(id: string): boolean
  /** Resolves with the result once the run has ended; with undefined if it wasn't active. */
  cancel(id: string): Promise<Result | undefined>
  /** Closing waits for this work too, for example a run's preparation. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves once everything active now has ended. */
  settled(): Promise<void>
  /** Aborted on closing. */
  readonly closing: AbortSignal
  /** Stops active runs and waits for their end. */
  close(): Promise<void>
}

export function createRuns<State, Result>({
  onProgress,
  onFailed,
  onEnded,
}: RunsOwner<State, Result>): Runs<State, Result> {
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

  const settled = async () => {
    await Promise.allSettled([...active.values()].map(({ ended }) => ended))
  }

  return {
    start(id, state, work) {
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
    get: (id) => active.get(id),
    isRunning: (id) => active.has(id),
    async cancel(id) {
      const run = active.get(id)
      run?.cancel()
      return run?.ended
    },
    track(work) {
      tracked.add(work)
      return work.finally(() => tracked.delete(work))
    },
    settled,
    closing: closing.signal,
    async close() {
      closing.abort()
      await Promise.allSettled(tracked)
      await settled()
    },
  }
}

/** The error text for a failed run. A bug is logged under the reference in the message. */
export function failureSentence(error: unknown, log: Log, what: string): string {
  return error instanceof AppError
    ? error.message
    : `Stopped by a bug (reference ${log.bug(error, what)}).`
}
