/** Group commit: deliveries of one turn of the event loop are stored in one batch. */
import { releaseMemory } from '../base/threads/memory.ts'
import type { IngestBatch, IngestRow } from './ingest.ts'
import { packBodies } from './packed-bodies.ts'

export interface QueuedCapture {
  readonly row: Omit<IngestRow, 'seq' | 'keptBytes'>
  readonly body: Uint8Array
  /** Whether the body can be transferred, because nobody reads it afterwards. */
  readonly isGiven?: true
}

interface Waiting extends QueuedCapture {
  readonly resolve: (seq: number) => void
  readonly reject: (error: unknown) => void
}

/** Bytes; a larger body forms its own batch. */
const BATCH_BYTES = 8 * 1_048_576
const BATCH_ROWS = 1_000

/**
 * Creates the queue of captured deliveries.
 * @param nextSeq - the first seq to assign
 */
export function createGroupCommit(nextSeq: number, commit: (batch: IngestBatch) => Promise<void>) {
  let waiting: Waiting[] = []
  let isInFlight = false
  let isScheduled = false
  let idleWaiters: (() => void)[] = []

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
    if (isScheduled || isInFlight || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      isInFlight = true
      void flush().then(() => {
        isInFlight = false
        if (waiting.length > 0) schedule()
        else for (const resolve of idleWaiters.splice(0)) resolve()
      })
    })
  }

  const isIdle = () => !isInFlight && waiting.length === 0

  return {
    /** Resolves with the seq once the delivery is durably stored. */
    capture: (capture: QueuedCapture) =>
      new Promise<number>((resolve, reject) => {
        waiting.push({ ...capture, resolve, reject })
        schedule()
      }),
    isIdle,
    drained: () =>
      isIdle() ? Promise.resolve() : new Promise<void>((resolve) => idleWaiters.push(resolve)),
  }
}
