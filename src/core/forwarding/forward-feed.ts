/** Announces changes of forwarding and finished requests, at most ten times per second. */
import { createMutex } from '../base/async.ts'
import { throttle } from '../base/throttle.ts'

export class ForwardFeed {
  readonly #announce: (seqs: readonly number[]) => Promise<void>
  readonly #exclusive = createMutex()
  #seqs: number[] = []
  #last: Promise<void> = Promise.resolve()
  readonly #throttled = throttle(() => this.#run(), { first: 'next-turn' })

  constructor(announce: (seqs: readonly number[]) => Promise<void>) {
    this.#announce = announce
  }

  /** @param seq Of a request that is finished. */
  changed(seq?: number): void {
    if (seq !== undefined) this.#seqs.push(seq)
    this.#throttled()
  }

  /** Announces the latest finished requests. */
  async close(): Promise<void> {
    if (this.#seqs.length > 0) this.#throttled.flush()
    this.#throttled.stop()
    await this.#last
  }

  #run(): void {
    const seqs = this.#seqs
    this.#seqs = []
    this.#last = this.#exclusive(() => this.#announce(seqs)).catch(() => undefined)
  }
}
