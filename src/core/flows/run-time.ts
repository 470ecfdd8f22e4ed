/** Drives the time of a run: a sandbox clock, or the wall clock with a real account. */
import type { FlowSpeed } from '../../shared/model/flow-run.ts'
import type { Changes } from './changes.ts'
import type { Clock } from '../base/deps.ts'
import type { FlowService } from './flow-service.ts'

/** Yields to the event loop three times, so that work already due happens first. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

interface RunTimeDeps {
  readonly wall: Clock
  /** Service of the run; null with a real account, whose time is the wall clock. */
  readonly service: Pick<FlowService, 'clock' | 'nextDue' | 'isBusy'> | null
  readonly changes: Changes
}

export class RunTime {
  readonly #deps: RunTimeDeps
  #speed: FlowSpeed = 'max'
  #isPaused = false

  constructor(deps: RunTimeDeps) {
    this.#deps = deps
  }

  now() {
    return (this.#deps.service?.clock ?? this.#deps.wall).now()
  }

  /** Waits for a change since `seen`, or for the deadline with nothing in progress. */
  async next(deadline: number, seen: number, signal: AbortSignal): Promise<'changed' | 'deadline'> {
    const { service, changes } = this.#deps
    if (service !== null && this.#speed === 'max')
      return this.#leap(service, deadline, seen, signal)
    const remaining = deadline - this.now()
    if (remaining <= 0 && (service === null || !this.#isBusy()))
      return changes.count() === seen ? 'deadline' : 'changed'
    const over = new AbortController()
    const stop = AbortSignal.any([signal, over.signal])
    await Promise.race([
      changes.after(seen, stop),
      ...(remaining <= 0
        ? []
        : [service?.clock.sleepUntil(deadline, stop) ?? this.#deps.wall.sleep(remaining, stop)]),
    ])
    over.abort()
    return 'changed'
  }

  /** Sets the speed; the clock of a paused run stays stopped. */
  async setSpeed(next: FlowSpeed) {
    const { service } = this.#deps
    this.#speed = next
    if (next !== 'max') await service?.clock.setSpeed(next)
    await (next === 'max' || this.#isPaused ? service?.clock.pause() : service?.clock.resume())
  }

  isPaused() {
    return this.#isPaused
  }

  async pause() {
    this.#isPaused = true
    await this.#deps.service?.clock.pause()
  }

  async resume() {
    this.#isPaused = false
    this.#deps.changes.note()
    if (this.#speed !== 'max') await this.#deps.service?.clock.resume()
  }

  #isBusy() {
    return this.#deps.changes.isExpected() || this.#deps.service?.isBusy() === true
  }

  async #leap(
    { clock, nextDue }: Pick<FlowService, 'clock' | 'nextDue'>,
    deadline: number,
    seen: number,
    signal: AbortSignal,
  ): Promise<'changed' | 'deadline'> {
    const { changes } = this.#deps
    await settle()
    if (changes.count() !== seen) return 'changed'
    if (this.#isPaused || this.#isBusy()) {
      await changes.after(seen, signal)
      return 'changed'
    }
    if (this.now() >= deadline) return 'deadline'
    await clock.set(Math.min(nextDue() ?? deadline, deadline))
    return 'changed'
  }
}
