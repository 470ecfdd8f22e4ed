/**
 * When work behind the receiver may go on: at once while it is calm, now and then while deliveries stream in. It goes by the
 * machine's own clock: threads are paced, and one that a test has stopped would stop them.
 */
import type { Clock } from '../../base/deps.ts'
import { systemClock } from '../../base/system-clock.ts'

export interface SearchPace {
  /** Deliveries came. */
  came(count: number): void
  isCalm(): boolean
  /** Resolves at once while it is calm, else when it is, but after half a second at the latest. */
  rest(): Promise<void>
  /** Resolves after `ms`, or when it is stopped. */
  pause(ms: number): Promise<void>
  /** Ends all waiting. */
  stop(): void
}

const LOOK_MS = 10
const MOST_LOOKS = 50
/** It is calm once nothing has come for so long. */
const CALM_MS = 30

export function createPace(isBusy: () => boolean, clock: Pick<Clock, 'monotonic' | 'sleep'> = systemClock): SearchPace {
  const stopping = new AbortController()
  let lastCame = Number.NEGATIVE_INFINITY

  const isCalm = () => !isBusy() && clock.monotonic() - lastCame > CALM_MS
  const pause = (ms: number) => clock.sleep(ms, stopping.signal)
  return {
    came(count) {
      if (count > 0) lastCame = clock.monotonic()
    },
    isCalm,
    async rest() {
      for (let looks = 0; looks < MOST_LOOKS && !isCalm() && !stopping.signal.aborted; looks++) await pause(LOOK_MS)
    },
    pause,
    stop() {
      stopping.abort()
    },
  }
}
