/**
 * Group commit: everything that arrives in one turn of the event loop travels to the writer thread as one batch and is acknowledged
 * together after the commit. One batch is in flight at a time; deliveries that arrive in the meantime form the next one.
 */
import { type IngestBatch, type IngestRow, packBodies } from './ingest.ts'
import { releaseMemory } from '../base/threads/memory.ts'
import type { Clock, Log } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'

// Writes the write-ahead log back into the database file after a quiet while. SQLite does this only after a thousand pages, which a
// young database reaches after weeks: until then everything would be in the log only.

interface IdleCheckpointDeps {
  /** Whether a delivery waits for its commit. */
  isBusy(): boolean
  writeBack(): Promise<void>
  readonly log: Log
}

/** Long enough not to checkpoint between deliveries of a burst, short enough that a crash rarely comes first. */
const QUIET_MS = 1_000

export function createIdleCheckpoint({ isBusy, writeBack, log }: IdleCheckpointDeps) {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let closed = false

  const wait = () => {
    timer = setTimeout(run, QUIET_MS)
    // An idle process ends, and closing the database writes the log back.
    timer.unref()
  }
  function run(): void {
    timer = null
    if (isBusy()) {
      wait()
      return
    }
    running = writeBack()
      // The next write tries again; nothing is lost until then.
      .catch((error: unknown) =>
        log.warn("The write-ahead log couldn't be written back.", {
          reason: (error as Error).message,
        }),
      )
      .finally(() => {
        running = null
      })
  }

  return {
    /** Call after each write: the log is written back once no further write follows for a while. */
    written() {
      if (closed) return
      if (timer === null) wait()
      else timer.refresh()
    },
    /** Resolves when no checkpoint is running; none starts afterwards. */
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}

// When work behind the receiver may run: immediately while it is calm, occasionally while deliveries stream in. It uses the system
// clock, because a clock stopped by a test would stop the threads.

const CHECK_MS = 10
const MOST_CHECKS = 50
/** It is calm if nothing has arrived for this long. */
const CALM_MS = 30

export function createPace(
  isBusy: () => boolean,
  clock: Pick<Clock, 'monotonic' | 'sleep'> = systemClock,
) {
  const stopping = new AbortController()
  let lastArrival = Number.NEGATIVE_INFINITY

  const isCalm = () => !isBusy() && clock.monotonic() - lastArrival > CALM_MS
  return {
    arrived(count: number) {
      if (count > 0) lastArrival = clock.monotonic()
    },
    /** Resolves immediately while it is calm, otherwise when it is, but after half a second at the latest. */
    async rest() {
      for (let checks = 0; checks < MOST_CHECKS && !isCalm() && !stopping.signal.aborted; checks++)
        await clock.sleep(CHECK_MS, stopping.signal)
    },
    stop() {
      stopping.abort()
    },
  }
}

export interface QueuedCapture {
  readonly row: Omit<IngestRow, 'seq' | 'keptBytes'>
  readonly body: Uint8Array
  /** Whether the body can be transferred: it has its own memory, from the first byte on, and nobody reads it afterwards. */
  readonly isGiven?: true
}

interface Waiting extends QueuedCapture {
  readonly resolve: (seq: number) => void
  readonly reject: (error: unknown) => void
}

/** Maximum bytes of bodies per batch; a larger single body forms its own batch. */
const BATCH_BYTES = 8 * 1_048_576
const BATCH_ROWS = 1_000

/** `nextSeq` is the first to assign; `commit` transfers the batch's bytes. */
export function createGroupCommit(nextSeq: number, commit: (batch: IngestBatch) => Promise<void>) {
  let waiting: Waiting[] = []
  let inFlight = false
  let scheduled = false
  let idle: (() => void)[] = []

  function takeBatch(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { body } of waiting) {
      if (count > 0 && (bytes + body.length > BATCH_BYTES || count === BATCH_ROWS)) break
      bytes += body.length
      count++
    }
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return batch
  }

  function pack(batch: readonly Waiting[]): IngestBatch {
    const rows = batch.map(({ row, body }) => ({ ...row, seq: nextSeq++, keptBytes: body.length }))
    return { rows, bodies: bytesOf(batch) }
  }

  function bytesOf(batch: readonly Waiting[]): ArrayBuffer {
    const [first] = batch
    // A large body forms its own batch: copied, it would exist twice.
    if (batch.length === 1 && first?.isGiven === true && first.body.buffer instanceof ArrayBuffer)
      return first.body.buffer
    const packed = packBodies(batch.map(({ body }) => body)).buffer
    for (const { body, isGiven } of batch)
      if (isGiven === true) releaseMemory(new Uint8Array(body.buffer))
    return packed
  }

  async function flush(): Promise<void> {
    const batch = takeBatch()
    const packed = pack(batch)
    try {
      await commit(packed)
      batch.forEach(({ resolve }, index) => resolve(packed.rows[index]!.seq))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function schedule(): void {
    if (scheduled || inFlight || waiting.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      inFlight = true
      void flush().then(() => {
        inFlight = false
        if (waiting.length > 0) schedule()
        else for (const resolve of idle.splice(0)) resolve()
      })
    })
  }

  const isIdle = () => !inFlight && waiting.length === 0

  return {
    /** Resolves with the delivery's seq once it is durably stored; rejects if it couldn't be. */
    capture: (capture: QueuedCapture) =>
      new Promise<number>((resolve, reject) => {
        waiting.push({ ...capture, resolve, reject })
        schedule()
      }),
    /** Whether no commit is pending. */
    isIdle,
    /** Resolves when all captured deliveries are stored or rejected. */
    drained: () =>
      isIdle() ? Promise.resolve() : new Promise<void>((resolve) => idle.push(resolve)),
  }
}
