/**
 * Sandbox time: it drives the times inside payloads, the wait for clearing, and the waits between attempts. Signatures and timeouts
 * use the wall clock. It can pause, run fast and jump ahead, but never go back, so that payload times stay in the past. It ends
 * with the year 8999.
 */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { SandboxClockChange, SandboxClockState } from '../../shared/model/sandbox.ts'
import { whenAborted } from '../base/async.ts'
import type { Clock } from '../base/deps.ts'

/** The sandbox time at a wall-clock time (both in milliseconds), and its speed from there. */
export const clockRecordSchema = z.object({
  id: z.string(),
  time: z.number(),
  wall: z.number(),
  speed: z.number().positive(),
  paused: z.boolean(),
})
export type ClockRecord = z.infer<typeof clockRecordSchema>

export type SandboxClock = ReturnType<typeof createSandboxClock>

const FASTEST = 100_000
/** The end: later times, and events planned after them, don't fit a four-digit year. */
const END = Date.UTC(9_000)

export const CLOCK_ID = 'clock'

/** `kept`: the time when it was last changed. `keep` is called with every change. */
export function createSandboxClock(
  wall: Pick<Clock, 'now' | 'sleep'>,
  kept: ClockRecord | undefined,
  keep: (record: ClockRecord) => Promise<void>,
) {
  let base: ClockRecord = kept ?? asWall()
  /** The latest reading. */
  let seen: Pick<ClockRecord, 'time' | 'wall'> = base
  let changed = new AbortController()

  function asWall(): ClockRecord {
    const time = wall.now()
    return { id: CLOCK_ID, time, wall: time, speed: 1, paused: false }
  }

  function now(): number {
    const at = wall.now()
    // The computer's clock was set back: sandbox time continues from where it was.
    if (at < seen.wall) base = { ...base, time: seen.time, wall: at }
    const passed = base.paused ? 0 : (at - base.wall) * base.speed
    const time = Math.min(END, Math.trunc(base.time + passed))
    seen = { time, wall: at }
    return time
  }

  /** Continues from now at a new speed, and wakes sleepers so that they compute their wait again. */
  async function change(terms: Partial<ClockRecord>): Promise<void> {
    base = { ...base, time: now(), wall: wall.now(), ...terms }
    seen = base
    const before = changed
    changed = new AbortController()
    before.abort()
    await keep(base)
  }

  async function advance(time: number): Promise<void> {
    if (time > END)
      throw new AppError(
        'INVALID_INPUT',
        'The sandbox clock ends with the year 8999. Choose an earlier time or a shorter jump.',
      )
    await change({ time })
  }

  return {
    now,
    /**
     * Resolves at a moment of sandbox time (milliseconds since the epoch), or immediately when the signal aborts. A moment, not a
     * duration: if the clock pauses, a duration computed a millisecond earlier would never elapse.
     */
    async sleepUntil(time: number, signal?: AbortSignal) {
      while (signal?.aborted !== true && now() < time) {
        const woken = AbortSignal.any([changed.signal, ...(signal === undefined ? [] : [signal])])
        if (base.paused) await whenAborted(woken)
        else await wall.sleep(Math.ceil((time - now()) / base.speed), woken)
      }
    },
    state: (): SandboxClockState => ({
      now: new Date(now()).toISOString(),
      speed: base.speed,
      paused: base.paused,
    }),
    /** `time` in milliseconds. Rejects with `INVALID_INPUT` if it is past, or after the end. */
    async set(time: number) {
      if (!Number.isFinite(time) || time < now())
        throw new AppError(
          'INVALID_INPUT',
          `The sandbox clock can't go back; it is now ${new Date(now()).toISOString()}. To go back, reset the sandbox.`,
        )
      await advance(time)
    },
    /** Advances by milliseconds. Rejects with `INVALID_INPUT` if that is after the end. */
    async jump(ms: number) {
      if (!Number.isFinite(ms) || ms < 0)
        throw new AppError('INVALID_INPUT', 'The sandbox clock can only jump ahead.')
      await advance(now() + ms)
    },
    async setSpeed(speed: number) {
      if (!(speed > 0 && speed <= FASTEST))
        throw new AppError(
          'INVALID_INPUT',
          `The speed must be above 0 and at most ${FASTEST}. To stop the clock, pause it.`,
        )
      await change({ speed })
    },
    pause: () => change({ paused: true }),
    resume: () => change({ paused: false }),
    reset: () => change(asWall()),
  }
}

/** Resolves with the new time; rejects with `INVALID_INPUT` for a time in its past or an unsupported speed. */
export async function changeClock(
  clock: SandboxClock,
  change: SandboxClockChange,
): Promise<SandboxClockState> {
  if (change.action === 'set') await clock.set(Date.parse(change.time))
  else if (change.action === 'jump') await clock.jump(change.ms)
  else if (change.action === 'speed') await clock.setSpeed(change.speed)
  else await clock[change.action]()
  return clock.state()
}
