/** Pauses a run, or lets it take single steps. */
import type { RunContext } from './run-context.ts'

/** Gate where a run waits before each step while it is closed. */
export class RunGate {
  readonly #context: RunContext
  /** Number of steps that may run before the next pause. */
  #allowed: number

  constructor(context: RunContext, { isClosed }: { readonly isClosed: boolean }) {
    this.#context = context
    this.#allowed = isClosed ? 0 : Number.POSITIVE_INFINITY
  }

  /** Resolves once the next step may run or the run is cancelled. */
  async pass() {
    const { signal, changes, time } = this.#context
    while (this.#allowed === 0 && !signal.aborted) {
      const seen = changes.count()
      if (!time.isPaused()) {
        await time.pause()
        this.#context.onChanged()
      }
      await changes.after(seen, signal)
    }
    if (time.isPaused()) await time.resume()
    this.#allowed--
  }

  step() {
    this.#allowed = Math.max(1, this.#allowed)
    this.#context.changes.note()
  }

  async pause() {
    this.#allowed = 0
    await this.#context.time.pause()
    this.#context.onChanged()
  }

  async resume() {
    this.#allowed = Number.POSITIVE_INFINITY
    await this.#context.time.resume()
    this.#context.onChanged()
  }
}
