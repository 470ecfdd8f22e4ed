/**
 * Drives sandbox time: payload times, the wait for clearing and between attempts. Never goes back,
 * so that payload times stay in the past.
 */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { SandboxClockChange, SandboxClockState } from '../../shared/model/sandbox.ts'
import { whenAborted } from '../base/async.ts'
import type { Clock } from '../base/deps.ts'

/**
 * Stored clock: the sandbox time at a wall-clock time, both in milliseconds, and the speed since.
 */
export const clockRecordSchema = z.object({
  id: z.string(),
  time: z.number(),
  wall: z.number(),
  speed: z.number().positive(),
  paused: z.boolean(),
})
export type ClockRecord = z.infer<typeof clockRecordSchema>

const MAX_SPEED = 100_000
/** End of sandbox time; later years have five digits. */
const END_OF_TIME = Date.UTC(9_000)

export const CLOCK_ID = 'clock'

/** Clock of sandbox time, which continues from `stored` and stores each change with `keep`. */
export class SandboxClock {
  readonly #wall: Pick<Clock, 'now' | 'sleep'>
  readonly #keep: (record: ClockRecord) => Promise<void>
  #base: ClockRecord
  #latest: Pick<ClockRecord, 'time' | 'wall'>
  #changes = new AbortController()

  constructor(
    wall: Pick<Clock, 'now' | 'sleep'>,
    stored: ClockRecord | undefined,
    keep: (record: ClockRecord) => Promise<void>,
  ) {
    this.#wall = wall
    this.#keep = keep
    this.#base = stored ?? this.#initialRecord()
    this.#latest = this.#base
  }

  now(): number {
    const wallTime = this.#wall.now()
    // The computer's clock was set back: sandbox time continues.
    if (wallTime < this.#latest.wall)
      this.#base = { ...this.#base, time: this.#latest.time, wall: wallTime }
    const elapsed = this.#base.paused ? 0 : (wallTime - this.#base.wall) * this.#base.speed
    const time = Math.min(END_OF_TIME, Math.trunc(this.#base.time + elapsed))
    this.#latest = { time, wall: wallTime }
    return time
  }

  /**
   * Resolves at a sandbox time in milliseconds, even after pauses and changes of speed, or when the
   * signal aborts.
   */
  async sleepUntil(time: number, signal?: AbortSignal) {
    while (signal?.aborted !== true && this.now() < time) {
      const woken = AbortSignal.any([
        this.#changes.signal,
        ...(signal === undefined ? [] : [signal]),
      ])
      if (this.#base.paused) await whenAborted(woken)
      else await this.#wall.sleep(Math.ceil((time - this.now()) / this.#base.speed), woken)
    }
  }

  state(): SandboxClockState {
    return {
      now: new Date(this.now()).toISOString(),
      speed: this.#base.speed,
      paused: this.#base.paused,
    }
  }

  /**
   * Sets the time in milliseconds. Rejects with `INVALID_INPUT` if it is past or after the end.
   */
  async set(time: number) {
    if (!Number.isFinite(time) || time < this.now())
      throw new AppError(
        'INVALID_INPUT',
        `The sandbox clock can't go back; it is now ${new Date(this.now()).toISOString()}. To go back, reset the sandbox.`,
      )
    await this.#advance(time)
  }

  /** Advances by milliseconds. Rejects with `INVALID_INPUT` after the end. */
  async jump(ms: number) {
    if (!Number.isFinite(ms) || ms < 0)
      throw new AppError('INVALID_INPUT', 'The sandbox clock can only jump ahead.')
    await this.#advance(this.now() + ms)
  }

  async setSpeed(speed: number) {
    if (!(speed > 0 && speed <= MAX_SPEED))
      throw new AppError(
        'INVALID_INPUT',
        `The speed must be above 0 and at most ${MAX_SPEED}. To stop the clock, pause it.`,
      )
    await this.#change({ speed })
  }

  pause() {
    return this.#change({ paused: true })
  }

  resume() {
    return this.#change({ paused: false })
  }

  reset() {
    return this.#change(this.#initialRecord())
  }

  #initialRecord(): ClockRecord {
    const time = this.#wall.now()
    return { id: CLOCK_ID, time, wall: time, speed: 1, paused: false }
  }

  /** Stores a change of time, speed or pause, and wakes sleepers to compute their wait again. */
  async #change(changedFields: Partial<ClockRecord>): Promise<void> {
    this.#base = { ...this.#base, time: this.now(), wall: this.#wall.now(), ...changedFields }
    this.#latest = this.#base
    const before = this.#changes
    this.#changes = new AbortController()
    before.abort()
    await this.#keep(this.#base)
  }

  async #advance(time: number): Promise<void> {
    if (time > END_OF_TIME)
      throw new AppError(
        'INVALID_INPUT',
        'The sandbox clock ends with the year 8999. Choose an earlier time or a shorter jump.',
      )
    await this.#change({ time })
  }
}

/** Resolves with the new time. Rejects with `INVALID_INPUT` for a past time or a wrong speed. */
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
