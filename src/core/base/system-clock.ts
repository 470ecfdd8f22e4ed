/** The system clock, for every host, and what it shows of times in which the computer slept. */
import { uptime as secondsUp } from 'node:os'
import type { Clock, Log } from './deps.ts'

/** The longest timer, in milliseconds. */
const LONGEST_SLEEP = 0x7fffffff

/**
 * `wall` and `uptime` continue while the computer sleeps. Timers stop meanwhile, so all waits would end late by that time: after `woke`,
 * due ones end at once, and the others when they are due.
 */
export function createSystemClock(
  wall: () => number = Date.now,
  uptime = () => secondsUp() * 1_000,
): Required<Clock> {
  const checks = new Set<() => void>()
  return {
    now: wall,
    monotonic: () => performance.now(),
    uptime,
    sleep: (wanted, signal) =>
      new Promise((resolve) => {
        const ms = Math.min(wanted, LONGEST_SLEEP)
        const due = wall() + ms
        const end = () => {
          clearTimeout(timer)
          checks.delete(check)
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const check = () => {
          clearTimeout(timer)
          // Never longer than the whole wait, in case the wall clock was set back.
          timer = setTimeout(end, Math.max(0, Math.min(ms, due - wall())))
        }
        let timer = setTimeout(end, ms)
        checks.add(check)
        // An aborted sleep has ended, as the contract of the clock says.
        if (signal?.aborted === true) end()
        else signal?.addEventListener('abort', end, { once: true })
      }),
    woke() {
      for (const check of checks) check()
    },
  }
}

export const systemClock = createSystemClock()

/** How often it looks, in milliseconds. */
const CHECK_MS = 5_000
/** A look that is late by this time wasn't delayed by a busy computer. */
const LATE_MS = 60_000

/**
 * Notices that the computer slept or the process was stopped, on hosts and systems that say nothing too: logs each time without
 * reception and calls `onWoke` after it.
 */
export function watchSleep({
  clock,
  log,
  onWoke,
}: {
  readonly clock: Pick<Clock, 'now' | 'uptime'>
  readonly log: Pick<Log, 'info'>
  onWoke(): void
}) {
  // Not the wall clock, which the user may change.
  const moment = () => ({ wall: clock.now(), uptime: clock.uptime?.() ?? 0 })
  /** The latest moment in which the process is known to have run. */
  let ran = moment()
  const hasSlept = () => {
    const before = ran
    ran = moment()
    if (ran.uptime - before.uptime <= LATE_MS) return false
    const iso = (at: number) => new Date(at).toISOString()
    log.info('Asleep or stopped: nothing was received.', {
      from: iso(before.wall),
      to: iso(ran.wall),
    })
    return true
  }
  const timer = setInterval(() => {
    if (hasSlept()) onWoke()
  }, CHECK_MS).unref()
  return {
    /** The system says that the computer has woken up. */
    resumed() {
      hasSlept()
      onWoke()
    },
    close() {
      clearInterval(timer)
    },
  }
}
