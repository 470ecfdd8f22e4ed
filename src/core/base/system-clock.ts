/** The system clock, for every host. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './deps.ts'

/** The longest timer, in milliseconds. */
const LONGEST_SLEEP = 0x7fffffff

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // An aborted sleep has ended, as the contract of the clock says.
  sleep: (ms, signal) => sleep(Math.min(ms, LONGEST_SLEEP), undefined, { signal }).catch(() => undefined),
}
