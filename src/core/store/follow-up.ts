/** Describes deliveries and stores responses soon after an acknowledgement. */
import { withTimeLimit } from '../base/async.ts'
import type { Log } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'
import type { AnswerRow } from './stored-responses.ts'
import type { Described } from './delivery-describer.ts'

interface FollowUpDeps {
  describe(answers: readonly AnswerRow[]): Promise<Described>
  onDescribed(seqs: readonly number[]): void
  isBusy(): boolean
  readonly log: Log
}

const GATHER_MS = 5
/** Divisor of the writer's time that describing may take while deliveries wait. */
const BUSY_SHARE = 10
const RETRY_MS = 1_000
/** Milliseconds spent at closing; the next start does the rest. */
const CLOSE_PATIENCE_MS = 3_000

export class FollowUp {
  readonly #deps: FollowUpDeps
  #hasMore = false
  #answers: AnswerRow[] = []
  #isFailing = false
  #tookMs = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | null = null
  #isClosed = false

  constructor(deps: FollowUpDeps) {
    this.#deps = deps
  }

  stored() {
    this.#hasMore = true
    this.#schedule()
  }

  answered = (answer: AnswerRow) => {
    this.#answers.push(answer)
    this.#schedule()
  }

  /** Resolves when all is described, or after `patienceMs`. */
  async settled(patienceMs: number) {
    if (!this.#isFailing) await withTimeLimit(patienceMs, this.#finish(patienceMs), () => undefined)
  }

  /** Describes the rest for a while, then stops. */
  async close() {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#finish(CLOSE_PATIENCE_MS)
  }

  #isWaiting() {
    return this.#hasMore || this.#answers.length > 0
  }

  #pauseMs() {
    return this.#isFailing
      ? RETRY_MS
      : Math.max(GATHER_MS, this.#deps.isBusy() ? (BUSY_SHARE - 1) * this.#tookMs : 0)
  }

  #schedule(): void {
    if (this.#isClosed || this.#running !== null || !this.#isWaiting()) return
    this.#timer ??= setTimeout(() => void this.#run(), this.#pauseMs())
  }

  async #describeNext(): Promise<void> {
    const begunAt = systemClock.monotonic()
    const answers = this.#answers
    this.#answers = []
    this.#hasMore = false
    try {
      const described = await this.#deps.describe(answers)
      this.#isFailing = false
      this.#hasMore ||= described.hasMore
      if (described.bug !== null)
        this.#deps.log.bug(new Error(described.bug), 'describing a delivery')
      if (described.seqs.length > 0) this.#deps.onDescribed(described.seqs)
    } catch (error) {
      this.#answers = [...answers, ...this.#answers]
      this.#hasMore = true
      if (!this.#isFailing)
        this.#deps.log.warn("Deliveries can't be described for now.", {
          reason: (error as Error).message,
        })
      this.#isFailing = true
    }
    this.#tookMs = systemClock.monotonic() - begunAt
  }

  #run(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#describeNext().finally(() => {
      this.#running = null
      this.#schedule()
    })
    return this.#running
  }

  async #finish(patienceMs: number): Promise<void> {
    const until = systemClock.monotonic() + patienceMs
    await this.#running
    while (this.#isWaiting() && systemClock.monotonic() < until) {
      await this.#run()
      if (this.#isFailing) return
    }
  }
}
