/**
 * When work behind the receiver may run: immediately while it is calm, occasionally while deliveries stream in. It uses the system
 * clock, because a clock stopped by a test would stop the threads.
 */
import type { Clock } from '../../base/deps.ts'
import { systemClock } from '../../base/system-clock.ts'

const LOOK_MS = 10
const MOST_LOOKS = 50
/** It is calm if nothing has arrived for this long. */
const CALM_MS = 30

export function createPace(
  isBusy: () => boolean,
  clock: Pick<Clock, 'monotonic' | 'sleep'> = systemClock,
) {
  const stopping = new AbortController()
  let lastCame = Number.NEGATIVE_INFINITY

  const isCalm = () => !isBusy() && clock.monotonic() - lastCame > CALM_MS
  return {
    /** Deliveries arrived. */
    came(count: number) {
      if (count > 0) lastCame = clock.monotonic()
    },
    /** Resolves immediately while it is calm, otherwise when it is, but after half a second at the latest. */
    async rest() {
      for (let looks = 0; looks < MOST_LOOKS && !isCalm() && !stopping.signal.aborted; looks++)
        await clock.sleep(LOOK_MS, stopping.signal)
    },
    /** Ends all waiting. */
    stop() {
      stopping.abort()
    },
  }
}
