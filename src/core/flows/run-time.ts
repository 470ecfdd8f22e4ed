/**
 * The clock of a run, and the gate that pauses it. In the sandbox it is the run's own clock: real time, faster, or as fast as possible, which stops while
 * anything is in progress and then jumps to the next event. With a real account it is the wall clock.
 */
import type { FlowSpeed } from '../../shared/model/flow.ts'
import type { Clock } from '../base/deps.ts'
import type { FlowService } from './run-service.ts'

export interface RunTime {
  /** Sandbox time in milliseconds since the epoch. */
  now(): number
  /** Waits until something has changed since `seen`, or the deadline is reached and nothing is in progress. */
  next(deadline: number, seen: number, signal: AbortSignal): Promise<'changed' | 'deadline'>
  setSpeed(speed: FlowSpeed): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
}

/** Lets everything triggered by the last event happen first. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

export function createSandboxTime(
  service: Pick<FlowService, 'clock' | 'nextDue' | 'isBusy'>,
  changes: Changes,
): RunTime {
  const { clock } = service
  let speed: FlowSpeed = 'max'
  let isPaused = false

  async function leap(
    deadline: number,
    seen: number,
    signal: AbortSignal,
  ): Promise<'changed' | 'deadline'> {
    await settle()
    if (changes.count() !== seen) return 'changed'
    if (isPaused || service.isBusy()) {
      await changes.after(seen, signal)
      return 'changed'
    }
    if (clock.now() >= deadline) return 'deadline'
    const due = service.nextDue()
    await clock.set(Math.min(due ?? deadline, deadline))
    return 'changed'
  }

  return {
    now: () => clock.now(),
    async next(deadline, seen, signal) {
      if (speed === 'max') return leap(deadline, seen, signal)
      if (clock.now() >= deadline && !service.isBusy())
        return changes.count() === seen ? 'deadline' : 'changed'
      const over = new AbortController()
      const either = AbortSignal.any([signal, over.signal])
      const left = clock.now() >= deadline ? [] : [clock.sleepUntil(deadline, either)]
      await Promise.race([changes.after(seen, either), ...left])
      over.abort()
      return 'changed'
    },
    async setSpeed(next) {
      speed = next
      if (next === 'max') await clock.pause()
      else {
        await clock.setSpeed(next)
        await clock.resume()
      }
    },
    pause() {
      isPaused = true
      return clock.pause()
    },
    async resume() {
      isPaused = false
      changes.note()
      if (speed !== 'max') await clock.resume()
    },
  }
}

/** Time with a real account, which can't be sped up or stopped. */
export function createAccountTime(wall: Clock, changes: Changes): RunTime {
  return {
    now: () => wall.now(),
    async next(deadline, seen, signal) {
      if (wall.now() >= deadline) return changes.count() === seen ? 'deadline' : 'changed'
      const over = new AbortController()
      const either = AbortSignal.any([signal, over.signal])
      await Promise.race([changes.after(seen, either), wall.sleep(deadline - wall.now(), either)])
      over.abort()
      return 'changed'
    },
    setSpeed: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    resume: () => Promise.resolve(),
  }
}

/** Counts changes, so that a waiter misses nothing between looking and waiting. */
export type Changes = ReturnType<typeof createChanges>

export function createChanges() {
  let count = 0
  let waiting = Promise.withResolvers<undefined>()
  return {
    /** Changes so far. */
    count: () => count,
    note() {
      count++
      waiting.resolve(undefined)
      waiting = Promise.withResolvers<undefined>()
    },
    /** Resolves once the count exceeds `seen`, or the signal aborts. */
    async after(seen: number, signal: AbortSignal) {
      if (count > seen || signal.aborted) return
      const aborted = Promise.withResolvers<undefined>()
      const onAbort = () => aborted.resolve(undefined)
      signal.addEventListener('abort', onAbort, { once: true })
      await Promise.race([waiting.promise, aborted.promise])
      signal.removeEventListener('abort', onAbort)
    },
  }
}

interface RunGateDeps {
  readonly time: Pick<RunTime, 'pause' | 'resume'>
  readonly changes: Changes
  /** The run's signal; aborts when it is cancelled. */
  readonly signal: AbortSignal
  /** Whether to pause before the first step. */
  readonly paused: boolean
  /** Called when the run pauses or continues. */
  onChanged(): void
}

/** Pauses, steps and continues a run. The run waits here before each step. */
export function createRunGate({ time, changes, signal, paused, onChanged }: RunGateDeps) {
  /** How many steps may run before the next pause. */
  let allowed = paused ? 0 : Number.POSITIVE_INFINITY
  let isPaused = false
  return {
    isPaused: () => isPaused,
    /** Resolves once the next step may run or the run is cancelled. */
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
    /** Allows one more step. */
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
    /** The run ended, so it is no longer paused. */
    end() {
      isPaused = false
    },
  }
}
