/**
 * Records a replay's sends in batches, each with the position up to which sends may have started:
 * after a crash, sends up to it without a record are uncertain.
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
  readonly replayId: string
  readonly reached: number
  readonly lastStarted: number
  readonly sendCount: number
  /** Returns how many sends beyond the ended ones to record as reached before they start. */
  ahead(): number
  onProgress(progress: Progress): void
  onFailed(error: unknown): void
}

interface WaitingSend extends PromiseWithResolvers<void> {
  readonly position: number
}

export class ReplayRecorder {
  readonly #write: Store['write']
  readonly #clock: Pick<Clock, 'now'>
  readonly #options: RecorderOptions
  readonly #heartbeat: NodeJS.Timeout
  /** Until closed: `endedCount ≤ lastStarted`; requests start up to `reached ≤ nextReached`. */
  #reached: number
  /** Position that the current write records as reached. */
  #nextReached: number
  #lastStarted: number
  #endedCount: number
  #unrecorded: EndedSend[] = []
  #waiting: WaitingSend[] = []
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
    this.#reached = options.reached
    this.#nextReached = options.reached
    this.#lastStarted = options.lastStarted
    this.#endedCount = options.lastStarted
    this.#heartbeat = setInterval(() => void this.#flush(), HEARTBEAT_MS)
  }

  /** Returns null if a send may start now, else resolves once its position is recorded. */
  reserve(position: number): Promise<void> | null {
    const left = this.#nextReached - position
    const isLast = this.#nextReached === this.#options.sendCount
    if (left < 0 || (left < this.#ahead() / 2 && !isLast)) void this.#flush()
    if (position <= this.#reached) return null
    const send = { position, ...Promise.withResolvers<void>() }
    this.#waiting.push(send)
    return send.promise
  }

  noteStart(position: number): void {
    this.#lastStarted = Math.max(this.#lastStarted, position)
  }

  noteEnd(send: EndedSend): void {
    this.#endedCount++
    this.noteStart(send.position)
    this.#unrecorded.push(send)
    if (this.#unrecorded.length > MAX_UNRECORDED) void this.#flush()
    else this.#timer ??= setTimeout(() => void this.#flush(), RECORD_WITHIN_MS)
  }

  /** Records the rest, and that nothing beyond the last started send was reached. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    await this.#writing
    if (this.#unrecorded.length === 0 && this.#reached === this.#lastStarted) return
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
      const furthest = Math.max(
        this.#reached,
        this.#lastStarted,
        this.#endedCount + this.#ahead(),
        ...this.#waiting.map(({ position }) => position),
      )
      await this.#writeBatch(Math.min(furthest, this.#options.sendCount))
    }
    this.#writing = null
  }

  async #writeBatch(position: number): Promise<void> {
    const { replayId, onProgress, onFailed } = this.#options
    const sends = this.#unrecorded
    const waiting = this.#waiting
    this.#unrecorded = []
    this.#waiting = []
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#nextReached = position
    try {
      const batch = packSends(sends, { replayId, position, at: this.#clock.now() })
      const { progress } = await this.#write('sends', batch, [batch.bodies.buffer])
      this.#reached = position
      for (const { resolve } of waiting) resolve()
      if (progress !== null) onProgress(progress)
    } catch (error) {
      this.#nextReached = this.#reached
      for (const { reject } of waiting) reject(error)
      if (sends.length > 0) onFailed(error)
    }
  }
}
