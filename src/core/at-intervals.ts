/** Tells of what changes all the time, now and then: what is told too soon after the last time is left out. */
import type { Clock } from './deps.ts'

/**
 * Gives a function that runs what it is given where `everyMs` milliseconds have passed since it last did; `since`: as if it had then,
 * left out: never yet.
 */
export function atIntervals(
  clock: Pick<Clock, 'monotonic'>,
  everyMs: number,
  since = Number.NEGATIVE_INFINITY,
): (tell: () => void) => void {
  let last = since
  return (tell) => {
    const now = clock.monotonic()
    if (now - last < everyMs) return
    last = now
    tell()
  }
}
