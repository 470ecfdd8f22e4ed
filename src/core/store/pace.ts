/** Pace of background work, which rests while deliveries arrive. */
import type { Clock } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'

const CHECK_MS = 10
const MAX_CHECKS = 50
/** Milliseconds without an arrival until the receiver is calm. */
const CALM_MS = 30

export function createPace(
  isBusy: () => boolean,
  clock: Pick<Clock, 'monotonic' | 'sleep'> = systemClock,
) {
  const stopping = new AbortController()
  let lastArrival = Number.NEGATIVE_INFINITY

  const isCalm = () => !isBusy() && clock.monotonic() - lastArrival > CALM_MS
  return {
    arrived(count: number) {
      if (count > 0) lastArrival = clock.monotonic()
    },
    /** Resolves when it is calm, or after half a second. */
    async rest() {
      for (let checks = 0; checks < MAX_CHECKS && !isCalm() && !stopping.signal.aborted; checks++)
        await clock.sleep(CHECK_MS, stopping.signal)
    },
    stop() {
      stopping.abort()
    },
  }
}
