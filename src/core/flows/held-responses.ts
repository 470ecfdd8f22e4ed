/** Sets the response of each hook's next delivery, and holds deliveries until they time out. */
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { SandboxClock } from '../sandbox/clock.ts'
import { type RunHooks, type RunHook, responsesInTurn } from './hooks.ts'

/** Attempts in progress that may time out, per URL, oldest first. */
export class Attempts {
  readonly #attempts = new Map<string, AbortController[]>()

  /** Returns the signal that ends the wait of an attempt which begins now. */
  readonly begin = (url: string): AbortSignal => {
    const attempt = new AbortController()
    this.#attempts.set(url, [...(this.#attempts.get(url) ?? []), attempt])
    return attempt.signal
  }

  /** Forgets the oldest attempt, which got its response or was dropped. */
  end(url: string) {
    return this.#attempts.get(url)?.shift()
  }

  timeOut(url: string) {
    return this.#attempts.get(url)?.shift()?.abort()
  }
}

interface HeldDelivery {
  readonly url: string
  /** Arrival time by the run's clock, in milliseconds. */
  readonly since: number
}

/**
 * Deliveries held until they time out, after 20 seconds of sandbox time (section 6.4). If the run
 * leaps (speed `max`), the clock jumps to the timeout instead. `over` ends all waits.
 */
export class HeldResponses {
  readonly #clock: Pick<SandboxClock, 'now' | 'jump' | 'sleepUntil'>
  readonly #attempts: Attempts
  readonly #answerNext: RunHooks['answerNext']
  readonly #over: AbortSignal
  readonly #counts = new Map<string, number>()
  #held: readonly HeldDelivery[] = []

  constructor(
    clock: Pick<SandboxClock, 'now' | 'jump' | 'sleepUntil'>,
    attempts: Attempts,
    answerNext: RunHooks['answerNext'],
    over: AbortSignal,
  ) {
    this.#clock = clock
    this.#attempts = attempts
    this.#answerNext = answerNext
    this.#over = over
  }

  /**
   * Holds a delivery if the flow says so, and sets the hook's next response. If the run `leaps`,
   * jumps the clock to the timeout instead of waiting.
   */
  async arrived(hook: RunHook, leaps: boolean) {
    const { id, url, wanted } = hook
    const responses = responsesInTurn(wanted)
    const count = this.#counts.get(id) ?? 0
    this.#counts.set(id, count + 1)
    if (count < responses.length) await this.#answerNext(hook, responses[count + 1] ?? null)
    if (responses[count] !== 'timeout') {
      this.#attempts.end(url)
      return
    }
    const delivery: HeldDelivery = { url, since: this.#clock.now() }
    if (leaps) await this.#jumpToTimeout(delivery)
    else void this.#wait(delivery)
  }

  /** Jumps past the timeouts of all held deliveries. */
  async leap() {
    const heldDeliveries = this.#held
    this.#held = []
    for (const delivery of heldDeliveries) await this.#jumpToTimeout(delivery)
  }

  async #jumpToTimeout({ url, since }: HeldDelivery): Promise<void> {
    await this.#clock.jump(Math.max(0, since + ACKNOWLEDGE_TIMEOUT_MS - this.#clock.now()))
    this.#attempts.timeOut(url)
  }

  async #wait(delivery: HeldDelivery): Promise<void> {
    this.#held = [...this.#held, delivery]
    await this.#clock.sleepUntil(delivery.since + ACKNOWLEDGE_TIMEOUT_MS, this.#over)
    // The run may have been sped up meanwhile.
    if (!this.#held.includes(delivery)) return
    this.#held = this.#held.filter((other) => other !== delivery)
    this.#attempts.timeOut(delivery.url)
  }
}
