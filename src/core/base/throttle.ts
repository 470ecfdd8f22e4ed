/**
 * Runs work at most once per interval, however often it is requested. Requests within an interval run once at its end, so the
 * latest state is never missed.
 */

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
