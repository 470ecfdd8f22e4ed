/**
 * Records sends in batches that move the cursor: after a crash, sends up to it without a record are
 * uncertain.
 */
import type { Clock } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import { packSends, type EndedSend, type RecordedSends } from '../store/record-sends.ts'

/** Maximum sends in progress or unrecorded. */
const MAX_UNRECORDED = 100
const RECORD_WITHIN_MS = 10
/** Interval of writes that show that the replay's process is alive, in milliseconds. */
const HEARTBEAT_MS = 1_000

type Progress = NonNullable<RecordedSends['progress']>

interface RecorderOptions {
  readonly jobId: string
  /** Recorded cursor: sends up to this place may have been sent. */
  readonly cursor: number
  /** Place of the last send that has begun. */
  readonly lastStarted: number
  /** Number of sends of the replay. */
  readonly placeCount: number
  /** Returns how many sends may start unrecorded. */
  ahead(): number
  onProgress(progress: Progress): void
  onFailed(error: unknown): void
}

interface WaitingSend extends PromiseWithResolvers<void> {
  readonly place: number
}

export class ReplayRecorder {
  readonly #write: Store['write']
  readonly #clock: Pick<Clock, 'now'>
  readonly #options: RecorderOptions
  readonly #heartbeat: NodeJS.Timeout
  #cursor: number
  /** Cursor that the current write stores. */
  #writtenCursor: number
  #lastStarted: number
  #ended: number
  #endings: EndedSend[] = []
  #starts: WaitingSend[] = []
  #timer: NodeJS.Timeout | null = null
  #isDue = false
  #writing: Promise<void> | null = null

  constructor(
    { write }: Pick<Store, 'write'>,
    clock: Pick<Clock, 'now'>,
    options: RecorderOptions,
  ) {
    this.#write = write
    this.#clock = clock
    this.#options = options
    this.#cursor = options.cursor
    this.#writtenCursor = options.cursor
    this.#lastStarted = options.lastStarted
    this.#ended = options.lastStarted
    this.#heartbeat = setInterval(() => void this.#flush(), HEARTBEAT_MS)
  }

  /** Reserves a place; null if it may be sent now, else resolves once the cursor has reached it. */
  reserve(place: number): Promise<void> | null {
    const left = this.#writtenCursor - place
    const isLast = this.#writtenCursor === this.#options.placeCount
    if (left < 0 || (left < this.#ahead() / 2 && !isLast)) void this.#flush()
    if (place <= this.#cursor) return null
    const start = { place, ...Promise.withResolvers<void>() }
    this.#starts.push(start)
    return start.promise
  }

  started(place: number): void {
    this.#lastStarted = Math.max(this.#lastStarted, place)
  }

  end(send: EndedSend): void {
    this.#ended++
    this.started(send.position)
    this.#endings.push(send)
    if (this.#endings.length > MAX_UNRECORDED) void this.#flush()
    else this.#timer ??= setTimeout(() => void this.#flush(), RECORD_WITHIN_MS)
  }

  /** Records the rest, and moves the cursor back to the last send that has begun. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    await this.#writing
    if (this.#endings.length === 0 && this.#cursor === this.#lastStarted) return
    await this.#writeBatch(this.#lastStarted)
  }

  #ahead(): number {
    return Math.min(MAX_UNRECORDED, this.#options.ahead())
  }

  #flush(): Promise<void> {
    this.#isDue = true
    this.#writing ??= this.#writeAll()
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#isDue) {
      // One turn of the event loop, so that simultaneous events share the transaction.
      await new Promise((resolve) => setImmediate(resolve))
      this.#isDue = false
      const starts = this.#starts.map(({ place }) => place)
      const furthest = Math.max(
        this.#cursor,
        this.#lastStarted,
        this.#ended + this.#ahead(),
        ...starts,
      )
      await this.#writeBatch(Math.min(furthest, this.#options.placeCount))
    }
    this.#writing = null
  }

  async #writeBatch(place: number): Promise<void> {
    const { jobId, onProgress, onFailed } = this.#options
    const sends = this.#endings
    const starts = this.#starts
    this.#endings = []
    this.#starts = []
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#writtenCursor = place
    try {
      const batch = packSends(sends, { jobId, place, at: this.#clock.now() })
      const { progress } = await this.#write('sends', batch, [batch.bodies.buffer])
      this.#cursor = place
      for (const { resolve } of starts) resolve()
      if (progress !== null) onProgress(progress)
    } catch (error) {
      this.#writtenCursor = this.#cursor
      for (const { reject } of starts) reject(error)
      if (sends.length > 0) onFailed(error)
    }
  }
}
