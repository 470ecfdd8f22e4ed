/** Long work that a user follows: reported, cancelled, and ended before the core closes. */
import { type Throttled, throttle } from './throttle.ts'

export interface ActiveRun<State> {
  readonly id: string
  readonly state: State
  readonly cancelled: AbortSignal
  /** Signal aborted once the run is cancelled or the core closes. */
  readonly stopped: AbortSignal
  /** Reports progress, ten times per second at most. */
  readonly progress: Throttled
  cancel(): void
}

export interface StartedRun<State, Result> extends ActiveRun<State> {
  readonly ended: Promise<Result>
}

interface RunsOwner<State, Result> {
  onProgress?(run: ActiveRun<State>): void
  onFailed(error: unknown, run: ActiveRun<State>): Result | Promise<Result>
  onEnded?(run: ActiveRun<State>, result: Result): void | Promise<void>
}

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
    /** Starts work under an inactive id. */
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
      ended.catch(() => undefined)
      return run
    },
    get: (id: string) => active.get(id),
    isRunning: (id: string) => active.has(id),
    /** Resolves with the run's result; undefined if it wasn't active. */
    async cancel(id: string): Promise<Result | undefined> {
      const run = active.get(id)
      run?.cancel()
      return run?.ended
    },
    /** Makes `close` wait for other work. */
    track<T>(work: Promise<T>): Promise<T> {
      tracked.add(work)
      return work.finally(() => tracked.delete(work))
    },
    closing: closing.signal,
    async close() {
      closing.abort()
      await Promise.allSettled(tracked)
      await Promise.allSettled([...active.values()].map(({ ended }) => ended))
    },
  }
}
