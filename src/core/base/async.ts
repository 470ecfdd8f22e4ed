/** Asynchronous work: closed in order, limited in time, one piece at a time, or at most once per interval. */

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

export interface Throttled {
  /** Requests a run. */
  (): void
  /** Runs the work now, requested or not. */
  flush(): void
  /** Drops a pending run. Nothing runs after this. */
  stop(): void
}

export interface ThrottleOptions {
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
