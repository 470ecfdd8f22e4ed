/** The system clock, for every host. */
import { uptime as secondsUp } from 'node:os'
import type { Clock } from './deps.ts'

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
