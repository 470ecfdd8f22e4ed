export interface Throttled {
  (): void
  flush(): void
  /** Drops a pending run. */
  stop(): void
}

interface ThrottleOptions {
  readonly everyMs?: number
  /** Moment of the first run: at once, in the next turn, or after an interval. */
  readonly first?: 'now' | 'next-turn' | 'later'
}

const PROGRESS_MS = 100

/** Runs work at most once per interval, with the latest state. */
export function throttle(
  work: () => void,
  { everyMs = PROGRESS_MS, first = 'now' }: ThrottleOptions = {},
): Throttled {
  let isRequested = false
  let isStopped = false
  let timer: NodeJS.Timeout | null = null

  function run(): void {
    isRequested = false
    timer = setTimeout(endInterval, everyMs)
    work()
  }

  function endInterval(): void {
    timer = null
    if (isRequested) run()
  }

  function request(): void {
    if (isStopped) return
    isRequested = true
    if (timer !== null) return
    if (first === 'now') run()
    else timer = setTimeout(endInterval, first === 'later' ? everyMs : 0)
  }

  return Object.assign(request, {
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
