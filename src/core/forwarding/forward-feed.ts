/** Announces changes of forwarding and finished requests, at most ten times per second. */
import { createMutex } from '../base/async.ts'
import { throttle } from '../base/throttle.ts'

export class ForwardFeed {
  readonly #announce: (seqs: readonly number[]) => Promise<void>
  readonly #exclusive = createMutex()
  #seqs: number[] = []
  #lastAnnouncement: Promise<void> = Promise.resolve()
  readonly #schedule = throttle(() => this.#run(), { first: 'next-turn' })

  constructor(announce: (seqs: readonly number[]) => Promise<void>) {
    this.#announce = announce
  }

  /** Announces a change soon; `seq` belongs to a finished request. */
  changed(seq?: number): void {
    if (seq !== undefined) this.#seqs.push(seq)
    this.#schedule()
  }

  async close(): Promise<void> {
    if (this.#seqs.length > 0) this.#schedule.flush()
    this.#schedule.stop()
    await this.#lastAnnouncement
  }

  #run(): void {
    const seqs = this.#seqs
    this.#seqs = []
    this.#lastAnnouncement = this.#exclusive(() => this.#announce(seqs)).catch(() => undefined)
  }
}
