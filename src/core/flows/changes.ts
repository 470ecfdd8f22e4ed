/** Counts changes, so that a waiter misses none. */
import { whenAborted } from '../base/async.ts'

export class Changes {
  #count = 0
  #next = new AbortController()
  #expected = 0

  count() {
    return this.#count
  }

  readonly note = (): void => {
    this.#count++
    const previous = this.#next
    this.#next = new AbortController()
    previous.abort()
  }

  /** Whether work is in progress that ends with a change. */
  isExpected() {
    return this.#expected > 0
  }

  /** Expects a change until `work` ends, then counts it. */
  async expect(work: Promise<void>) {
    this.#expected++
    await work
    this.#expected--
    this.note()
  }

  /** Resolves once the count exceeds `seen`, or the signal aborts. */
  async after(seen: number, signal: AbortSignal) {
    if (this.#count <= seen) await whenAborted(AbortSignal.any([signal, this.#next.signal]))
  }
}
