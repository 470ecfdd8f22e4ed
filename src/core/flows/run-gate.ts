/** Pauses, steps and continues a run. The run waits here before each step. */
import type { Changes, RunTime } from './run-time.ts'

interface RunGate {
  isPaused(): boolean
  /** Resolves once the next step may run or the run is cancelled. */
  pass(): Promise<void>
  /** Allows one more step. */
  step(): void
  pause(): Promise<void>
  resume(): Promise<void>
  /** The run ended, so it is no longer paused. */
  end(): void
}

export interface RunGateDeps {
  readonly time: Pick<RunTime, 'pause' | 'resume'>
  readonly changes: Changes
  /** The run's signal; aborts when it is cancelled. */
  readonly signal: AbortSignal
  /** Whether to pause before the first step. */
  readonly paused: boolean
  /** Called when the run pauses or continues. */
  onChanged(): void
}

export function createRunGate({ time, changes, signal, paused, onChanged }: RunGateDeps): RunGate {
  /** How many steps may run before the next pause. */
  let allowed = paused ? 0 : Number.POSITIVE_INFINITY
  let isPaused = false
  return {
    isPaused: () => isPaused,
    async pass() {
      while (allowed === 0 && !signal.aborted) {
        const seen = changes.count()
        if (!isPaused) {
          isPaused = true
          await time.pause()
          onChanged()
        }
        await changes.after(seen, signal)
      }
      if (isPaused) {
        isPaused = false
        await time.resume()
      }
      allowed--
    },
    step() {
      allowed = Math.max(1, allowed)
      changes.note()
    },
    async pause() {
      allowed = 0
      await time.pause()
      isPaused = true
      onChanged()
    },
    async resume() {
      allowed = Number.POSITIVE_INFINITY
      if (isPaused) await time.resume()
      isPaused = false
      changes.note()
      onChanged()
    },
    end() {
      isPaused = false
    },
  }
}
