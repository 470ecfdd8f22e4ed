/** A clock that only a test advances: a wait of minutes takes milliseconds. */
import type { Clock } from '../../src/core/base/deps.ts'

export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>
  /** Sets the wall clock ahead, or back, as a user can. No time passes. */
  step(ms: number): void
  sleeping(): Promise<void>
  waits(): number[]
}

export function createManualClock(start = Date.UTC(2026, 10, 20, 9, 30)): ManualClock {
  let now = start
  let stepped = 0
  const sleepers: { at: number; wake: () => void }[] = []
  let onSleep = Promise.withResolvers<undefined>()
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    now: () => now + stepped,
    monotonic: () => performance.now() + (now - start),
    sleep(ms, signal) {
      return new Promise((resolve) => {
        const sleeper = {
          at: now + ms,
          wake() {
            sleepers.splice(sleepers.indexOf(sleeper), 1)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.push(sleeper)
        if (signal?.aborted === true) sleeper.wake()
        else signal?.addEventListener('abort', sleeper.wake, { once: true })
        onSleep.resolve(undefined)
        onSleep = Promise.withResolvers<undefined>()
      })
    },
    async advance(ms) {
      await settle()
      const end = now + ms
      for (;;) {
        const next = sleepers.toSorted((left, right) => left.at - right.at)[0]
        if (next === undefined || next.at > end) break
        now = next.at
        next.wake()
        await settle()
      }
      now = end
      await settle()
    },
    step(ms) {
      stepped += ms
    },
    sleeping: async () => {
      if (sleepers.length === 0) await onSleep.promise
    },
    waits: () => sleepers.map(({ at }) => at - now).sort((left, right) => left - right),
  }
}
