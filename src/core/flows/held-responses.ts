/** Sets the response of each hook's next delivery, and holds deliveries until they time out. */
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { SandboxClock } from '../sandbox/clock.ts'
import { type RunHooks, type RunHook, responsesInTurn } from './run-hooks.ts'

/** Attempts in progress per URL, of which the oldest ends or times out first. */
export class Attempts {
  readonly #attempts = new Map<string, AbortController[]>()

  /** Returns the signal that ends the wait of an attempt which begins now. */
  readonly begin = (url: string): AbortSignal => {
    const attempt = new AbortController()
    this.#attempts.set(url, [...(this.#attempts.get(url) ?? []), attempt])
    return attempt.signal
  }

  /** Forgets and returns the attempt, which got its response or was dropped. */
  end(url: string) {
    return this.#attempts.get(url)?.shift()
  }

  timeOut(url: string) {
    this.end(url)?.abort()
  }
}

interface HeldDelivery {
  readonly url: string
  /** Arrival time by the run's clock, in milliseconds. */
  readonly since: number
}

interface HeldDeps extends Pick<RunHooks, 'answerNext'> {
  readonly clock: Pick<SandboxClock, 'now' | 'jump' | 'sleepUntil'>
  readonly attempts: Attempts
  readonly over: AbortSignal
}

/** Deliveries held until they time out, after 20 seconds of sandbox time (section 6.4). */
export class HeldResponses {
  readonly #deps: HeldDeps
  readonly #arrivalCounts = new Map<string, number>()
  #held: readonly HeldDelivery[] = []

  constructor(deps: HeldDeps) {
    this.#deps = deps
  }

  /**
   * Holds a delivery if the flow says so, and sets the hook's next response. If the run `leaps`,
   * jumps the clock to the timeout instead of waiting.
   */
  async noteArrival(hook: RunHook, { leaps }: { readonly leaps: boolean }) {
    const { id, url, declared } = hook
    const responses = responsesInTurn(declared)
    const index = this.#arrivalCounts.get(id) ?? 0
    this.#arrivalCounts.set(id, index + 1)
    // The hook already gives response `index`, to this delivery.
    if (index < responses.length) await this.#deps.answerNext(hook, responses[index + 1] ?? null)
    if (responses[index] !== 'timeout') {
      this.#deps.attempts.end(url)
      return
    }
    const delivery: HeldDelivery = { url, since: this.#deps.clock.now() }
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
    await this.#deps.clock.jump(
      Math.max(0, since + ACKNOWLEDGE_TIMEOUT_MS - this.#deps.clock.now()),
    )
    this.#deps.attempts.timeOut(url)
  }

  async #wait(delivery: HeldDelivery): Promise<void> {
    this.#held = [...this.#held, delivery]
    await this.#deps.clock.sleepUntil(delivery.since + ACKNOWLEDGE_TIMEOUT_MS, this.#deps.over)
    // The run may have been sped up meanwhile.
    if (!this.#held.includes(delivery)) return
    this.#held = this.#held.filter((other) => other !== delivery)
    this.#deps.attempts.timeOut(delivery.url)
  }
}
