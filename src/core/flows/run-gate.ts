/** What lets a run go on: before each step it asks here, where a person steps it, pauses it and lets it go on. */
import type { Changes, RunTime } from './run-time.ts'

export interface RunGate {
  isPaused(): boolean
  /** Resolves once the next step may be run, or the run is cancelled. */
  pass(): Promise<void>
  /** One step more. */
  step(): void
  pause(): Promise<void>
  resume(): Promise<void>
  /** The run has ended: it is paused no more. */
  end(): void
}

export interface RunGateDeps {
  readonly time: Pick<RunTime, 'pause' | 'resume'>
  readonly changes: Changes
  /** Of the run: aborts when it is cancelled. */
  readonly signal: AbortSignal
  /** Whether it waits before the first step. */
  readonly paused: boolean
  /** It is paused, or goes on. */
  onChanged(): void
}

export function createRunGate({ time, changes, signal, paused, onChanged }: RunGateDeps): RunGate {
  /** How many more steps may be run before it pauses. */
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
