/**
 * Work behind the receiver: responses, schema errors, events and attempts are added after the acknowledgement, and yield while
 * deliveries stream in. Work left by an earlier run comes first.
 */
import type { Log } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'
import { withTimeLimit, throttle } from '../base/async.ts'
import type { AnswerRow, DescribeBatch, DescriptionRow, DetailsBatch } from './describe-repo.ts'
import type { SearchPace } from './search/pace.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'

// Reads rows that changed after they were stored and sends the latest, at most ten times per second, so that the cost doesn't
// depend on how many deliveries stream in.

interface RowFeedDeps {
  read(seqs: readonly number[]): Promise<readonly DeliveryRow[]>
  onRows(rows: readonly DeliveryRow[]): void
  readonly log: Log
}

/** A list reloads the rest of its visible rows. */
const MOST_ROWS = 200

export function createRowFeed({ read, onRows, log }: RowFeedDeps) {
  let waiting = new Set<number>()
  let closed = false
  const readWaiting = throttle(() => {
    const seqs = [...waiting]
    waiting = new Set()
    read(seqs).then(
      (rows) => {
        if (!closed) onRows(rows)
      },
      (error: unknown) => {
        if (!closed) log.bug(error, 'reading described rows')
      },
    )
  })

  return {
    changed(seqs: readonly number[]) {
      for (const seq of seqs) {
        // A row that changed again is as new as one that just changed.
        waiting.delete(seq)
        waiting.add(seq)
      }
      if (waiting.size > MOST_ROWS) waiting = new Set([...waiting].slice(-MOST_ROWS))
      if (waiting.size > 0) readWaiting()
    },
    close() {
      closed = true
      readWaiting.stop()
    },
  }
}

export interface DescriberDeps {
  /** Reads and describes the payloads of these seqs. */
  describe(seqs: readonly number[]): Promise<readonly DescriptionRow[]>
  write(batch: DescribeBatch): Promise<void>
  /** Whether deliveries wait for their commit: describing then waits too, for a while. */
  isBusy(): boolean
  lenientEnvironments(): readonly string[]
  /** Receives the seqs whose payloads and responses were added. */
  onFilledIn(described: readonly number[], answered: readonly number[]): void
  readonly log: Log
}

export type Describer = ReturnType<typeof createDescriber>

/** Chunk size while it is calm. */
const CALM_CHUNK = 128
/** Chunk size while deliveries stream in: small enough to delay no commit by more than half a millisecond. */
const BUSY_CHUNK = 12
/** How often to check for calm: nothing arrived since the last check and no commit is pending. */
const LOOK_MS = 5
/** While deliveries stream in, one chunk per this many checks (10 ms): a thousand per second. */
const BUSY_LOOKS = 2
/** This many within one check (two thousand per second) is a flood: describing would take processor time from acknowledgements. */
const FLOOD = 10
/** In a flood it only keeps moving: one chunk per this many checks (50 ms). */
const FLOOD_LOOKS = 10
/** How often to retry writes that failed (a full disk). */
const RETRY_PAUSE_MS = 1_000
/** How long closing waits for payloads: after a long burst there may be hundreds of thousands. */
const CLOSE_PATIENCE_MS = 3_000

export function createDescriber(deps: DescriberDeps) {
  const seqs = createSeqBacklog()
  const answers = createBacklog<AnswerRow>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let handedOver = 0
  let done = 0
  let waiters: { upTo: number; resolve: () => void }[] = []
  let closed = false
  let failing = false
  /** Deliveries so far, and at the last check. */
  let came = 0
  let cameAtLook = 0

  function release(): void {
    waiters = waiters.filter(({ upTo, resolve }) => {
      if (done < upTo && !failing) return true
      resolve()
      return false
    })
  }

  /** Describes one by one if one of them fails, so that the others don't suffer. */
  async function describeAll(chunk: readonly number[]): Promise<DescriptionRow[]> {
    if (chunk.length === 0) return []
    try {
      return [...(await deps.describe(chunk))]
    } catch (error) {
      deps.log.bug(error, 'describing deliveries')
    }
    const descriptions: DescriptionRow[] = []
    for (const seq of chunk) {
      const one = await deps
        .describe([seq])
        .catch(() => [{ seq, schema: 'unknown' as const, events: null }])
      descriptions.push(...one)
    }
    return descriptions
  }

  /** Whether it could be written. If not, it waits for its turn again, because later ones depend on it. */
  async function runChunk(size: number, answersOnly = false): Promise<boolean> {
    const chunk = answersOnly ? [] : seqs.front(size)
    const chunkAnswers = answers.front(size)
    const descriptions = await describeAll(chunk)
    try {
      await deps.write({
        answers: chunkAnswers,
        descriptions,
        lenientEnvironments: deps.lenientEnvironments(),
      })
    } catch (error) {
      if (!failing)
        deps.log.warn("Deliveries can't be described for now.", {
          reason: (error as Error).message,
        })
      failing = true
      release()
      return false
    }
    failing = false
    seqs.drop(chunk.length)
    answers.drop(chunkAnswers.length)
    done += chunk.length + chunkAnswers.length
    deps.onFilledIn(
      chunk,
      chunkAnswers.map((answer) => answer.seq),
    )
    release()
    return true
  }

  function look(looksTaken: number): void {
    timer = null
    const cameSince = came - cameAtLook
    cameAtLook = came
    const calm = cameSince === 0 && !deps.isBusy()
    if (!calm && looksTaken < (cameSince < FLOOD ? BUSY_LOOKS : FLOOD_LOOKS)) {
      timer = setTimeout(look, LOOK_MS, looksTaken + 1)
      return
    }
    running = runChunk(calm ? CALM_CHUNK : BUSY_CHUNK).then(() => {
      running = null
      schedule()
    })
  }

  function schedule(): void {
    if (running !== null || timer !== null || closed) return
    if (seqs.length() === 0 && answers.length() === 0) return
    cameAtLook = came
    timer = setTimeout(look, failing ? RETRY_PAUSE_MS : LOOK_MS, 0)
  }

  return {
    stored(seq: number) {
      came++
      seqs.push(seq)
      handedOver++
      schedule()
    },
    answered(answer: AnswerRow) {
      answers.push(answer)
      handedOver++
      schedule()
    },
    /** Resolves when everything handed over so far is added, or after `patienceMs`; immediately if nothing can be added now. */
    async settled(patienceMs: number) {
      if (done >= handedOver || failing) return
      const isAdded = new Promise<void>((resolve) => waiters.push({ upTo: handedOver, resolve }))
      await withTimeLimit(patienceMs, isAdded, () => undefined)
    },
    /** Adds what it can within a while, then stops. Remaining payloads are described at the next start. */
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await running
      const until = systemClock.monotonic() + CLOSE_PATIENCE_MS
      // Our response is known only here; results from a payload can be read again.
      while (answers.length() > 0) if (!(await runChunk(CALM_CHUNK, true))) return
      while (seqs.length() > 0 && systemClock.monotonic() < until)
        if (!(await runChunk(CALM_CHUNK))) return
    },
  }
}

export interface FillInDeps extends Pick<DescriberDeps, 'describe' | 'log'> {
  /** The newest deliveries without details, at most so many. */
  next(limit: number): Promise<readonly number[]>
  write(batch: DetailsBatch): Promise<void>
  readonly pace: Pick<SearchPace, 'rest' | 'pause'>
  onFilledIn(seqs: readonly number[]): void
}

/** Deliveries per piece: a few milliseconds of the reader's thread. */
const FILL_IN_PIECE = 128
const FILL_IN_RETRY_MS = 10_000

/**
 * Adds details to deliveries that an earlier version described, newest first, while few deliveries arrive. The progress is stored with each
 * piece, so a stop at any time loses nothing. Resolves when all have them; `close` ends it earlier.
 */
export function fillInDetails(deps: FillInDeps): {
  readonly done: Promise<void>
  close(): Promise<void>
} {
  let closed = false
  let hasFailed = false

  /** Whether there may be more. */
  async function fillInPiece(): Promise<boolean> {
    const seqs = await deps.next(FILL_IN_PIECE)
    if (seqs.length === 0) return false
    const rows = await deps.describe(seqs)
    const left = Math.min(...seqs) - 1
    await deps.write({ rows, left })
    deps.onFilledIn(seqs)
    return left > 0
  }

  async function fillIn(): Promise<void> {
    for (let hasMore = true; hasMore && !closed;) {
      await deps.pace.rest()
      if (isClosed()) return
      try {
        hasMore = await fillInPiece()
        hasFailed = false
      } catch (error) {
        // A full disk, for example.
        if (!hasFailed)
          deps.log.warn("Couldn't add details to earlier deliveries. Trying again later.", {
            reason: (error as Error).message,
          })
        hasFailed = true
        await deps.pace.pause(FILL_IN_RETRY_MS)
      }
    }
  }
  const isClosed = () => closed

  const done = fillIn()
  return {
    done,
    close() {
      closed = true
      return done
    },
  }
}

interface Backlog<Item> {
  length(): number
  push(item: Item): void
  /** The first ones, at most `count`; they stay in the queue. */
  front(count: number): Item[]
  /** Removes the first `count`. */
  drop(count: number): void
}

const DROPPED_AT_ONCE = 4_096

/** A queue in order. Taking from the front costs only the taken part, however long the queue: after a burst it is very long. */
export function createBacklog<Item>(): Backlog<Item> {
  let items: Item[] = []
  let head = 0
  return {
    length: () => items.length - head,
    push(item) {
      items.push(item)
    },
    front: (count) => items.slice(head, head + count),
    drop(count) {
      head += count
      if (head < DROPPED_AT_ONCE || head < items.length / 2) return
      items = items.slice(head)
      head = 0
    },
  }
}

/** The same for mostly consecutive numbers: stored as runs, so that a million in a row take the space of one. */
export function createSeqBacklog(): Backlog<number> {
  const runs = createBacklog<{ from: number; to: number }>()
  let last: { from: number; to: number } | null = null
  let length = 0
  return {
    length: () => length,
    push(seq) {
      length++
      if (last !== null && seq === last.to + 1) last.to = seq
      else runs.push((last = { from: seq, to: seq }))
    },
    front(count) {
      const seqs: number[] = []
      for (const { from, to } of runs.front(count)) {
        for (let seq = from; seq <= to && seqs.length < count; seq++) seqs.push(seq)
        if (seqs.length === count) break
      }
      return seqs
    },
    drop(count) {
      let left = Math.min(count, length)
      length -= left
      while (left > 0) {
        const run = runs.front(1)[0]!
        const size = run.to - run.from + 1
        if (size > left) {
          run.from += left
          return
        }
        left -= size
        runs.drop(1)
        if (run === last) last = null
      }
    },
  }
}
