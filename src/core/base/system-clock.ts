/** The system clock, and times in which the computer slept. */
import { uptime as secondsUp } from 'node:os'
import type { Clock, Log } from './deps.ts'

/** Longest timer, in milliseconds. */
const LONGEST_SLEEP = 0x7fffffff

/** Creates a clock whose waits end on time after sleep, in which timers stop. */
export function createSystemClock(
  wall: () => number = Date.now,
  uptime = () => secondsUp() * 1_000,
): Required<Clock> {
  const checks = new Set<() => void>()
  return {
    now: wall,
    monotonic: () => performance.now(),
    uptime,
    sleep: (requested, signal) =>
      new Promise((resolve) => {
        const ms = Math.min(requested, LONGEST_SLEEP)
        const due = wall() + ms
        const end = () => {
          clearTimeout(timer)
          checks.delete(check)
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const check = () => {
          clearTimeout(timer)
          // The wall clock may have been set back.
          timer = setTimeout(end, Math.max(0, Math.min(ms, due - wall())))
        }
        let timer = setTimeout(end, ms)
        checks.add(check)
        if (signal?.aborted === true) end()
        else signal?.addEventListener('abort', end, { once: true })
      }),
    woke() {
      for (const check of checks) check()
    },
  }
}

export const systemClock = createSystemClock()

const CHECK_MS = 5_000
/** Delay in milliseconds that sleep causes, but no busy computer. */
const LATE_MS = 60_000

/** Detects sleep, logs the time without reception, then calls `onWoke`. */
export function watchSleep({
  clock,
  log,
  onWoke,
}: {
  readonly clock: Pick<Clock, 'now' | 'uptime'>
  readonly log: Pick<Log, 'info'>
  onWoke(): void
}) {
  const readClocks = () => ({ wall: clock.now(), uptime: clock.uptime?.() ?? 0 })
  let lastRun = readClocks()
  const hasSlept = () => {
    const before = lastRun
    lastRun = readClocks()
    if (lastRun.uptime - before.uptime <= LATE_MS) return false
    const iso = (at: number) => new Date(at).toISOString()
    log.info('Asleep or stopped: nothing was received.', {
      from: iso(before.wall),
      to: iso(lastRun.wall),
    })
    return true
  }
  const timer = setInterval(() => {
    if (hasSlept()) onWoke()
  }, CHECK_MS).unref()
  return {
    /** Handles the system's report of waking up. */
    resumed() {
      hasSlept()
      onWoke()
    },
    close() {
      clearInterval(timer)
    },
  }
}
