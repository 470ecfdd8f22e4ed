/**
 * Group commit: what arrives in one turn of the loop travels to the writer thread as one batch, and is acknowledged together
 * once committed. One batch is in flight at a time; what comes meanwhile makes the next one.
 */
import type { IngestBatch, IngestRow } from './ingest-repo.ts'
import { releaseMemory } from '../base/threads/release-memory.ts'
import { packBodies } from './packed-bodies.ts'

export interface QueuedCapture {
  readonly row: Omit<IngestRow, 'seq' | 'keptBytes'>
  readonly body: Uint8Array
  /** Whether the body may be taken away: it has memory of its own, from its first byte on, and is read by nobody afterwards. */
  readonly isGiven?: true
}

export interface GroupCommit {
  /** Resolves with the delivery's seq once it is durably stored; rejects where it could not be. */
  capture(capture: QueuedCapture): Promise<number>
  /** Whether nothing waits for a commit. */
  isIdle(): boolean
  /** Resolves when all that was captured is decided. */
  drained(): Promise<void>
}

interface Waiting extends QueuedCapture {
  readonly resolve: (seq: number) => void
  readonly reject: (error: unknown) => void
}

/** Bodies of one batch at most; a larger single one makes a batch of its own. */
const BATCH_BYTES = 8 * 1_048_576
const BATCH_ROWS = 1_000

/** `nextSeq` is the first to give out; `commit` takes the batch's bytes away with it (they are transferred); `onIdle` hears that nothing waits any more. */
export function createGroupCommit(
  nextSeq: number,
  commit: (batch: IngestBatch) => Promise<void>,
  onIdle: () => void = () => undefined,
): GroupCommit {
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
    // A large body makes a batch of its own: copied, it would be there twice.
    if (batch.length === 1 && first?.isGiven === true && first.body.buffer instanceof ArrayBuffer) return first.body.buffer
    const packed = packBodies(batch.map(({ body }) => body)).buffer
    for (const { body, isGiven } of batch) if (isGiven === true) releaseMemory(new Uint8Array(body.buffer))
    return packed
  }

  async function flush(): Promise<void> {
    const batch = takeBatch()
    const packed = pack(batch)
    try {
      await commit(packed)
      batch.forEach(({ resolve }, index) => {
        resolve(packed.rows[index]!.seq)
      })
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
        else {
          onIdle()
          for (const resolve of idle.splice(0)) resolve()
        }
      })
    })
  }

  const isIdle = () => !inFlight && waiting.length === 0

  return {
    capture: (capture) =>
      new Promise((resolve, reject) => {
        waiting.push({ ...capture, resolve, reject })
        schedule()
      }),
    isIdle,
    drained: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  }
}
