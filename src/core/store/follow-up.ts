/**
 * What follows an acknowledgement: the delivery is described and our response stored, a few milliseconds later; and rows that changed
 * are read and reported.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { throttle, withTimeLimit } from '../base/async.ts'
import type { Log } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'
import type { AnswerRow, Described } from './describe-repo.ts'

export interface FollowUpDeps {
  /** Describes stored deliveries, and stores responses. */
  describe(answers: readonly AnswerRow[]): Promise<Described>
  /** Receives the seqs of deliveries that changed. */
  onDescribed(seqs: readonly number[]): void
  /** Whether deliveries wait for their commit. */
  isBusy(): boolean
  readonly log: Log
}

/** Deliveries that arrive together are described together. */
const GATHER_MS = 5
/** While deliveries wait for their commit, describing takes the writer's thread for one part of this many. */
const BUSY_SHARE = 10
/** How often to retry what failed (a full disk). */
const RETRY_MS = 1_000
/** How long closing describes the rest: the next start continues. */
const CLOSE_PATIENCE_MS = 3_000

export function createFollowUp({ describe, onDescribed, isBusy, log }: FollowUpDeps) {
  let hasMore = false
  let answers: AnswerRow[] = []
  let failing = false
  let tookMs = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let closed = false

  const isWaiting = () => hasMore || answers.length > 0
  const pauseMs = () =>
    failing ? RETRY_MS : Math.max(GATHER_MS, isBusy() ? (BUSY_SHARE - 1) * tookMs : 0)

  function schedule(): void {
    if (closed || running !== null || !isWaiting()) return
    timer ??= setTimeout(() => void run(), pauseMs())
  }

  async function piece(): Promise<void> {
    const begunAt = systemClock.monotonic()
    const sent = answers
    answers = []
    hasMore = false
    try {
      const described = await describe(sent)
      failing = false
      hasMore ||= described.hasMore
      if (described.bug !== null) log.bug(new Error(described.bug), 'describing a delivery')
      if (described.seqs.length > 0) onDescribed(described.seqs)
    } catch (error) {
      answers = [...sent, ...answers]
      hasMore = true
      if (!failing)
        log.warn("Deliveries can't be described for now.", { reason: (error as Error).message })
      failing = true
    }
    tookMs = systemClock.monotonic() - begunAt
  }

  function run(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running ??= piece().finally(() => {
      running = null
      schedule()
    })
    return running
  }

  /** Describes everything that waits, unless that fails or takes longer than `patienceMs`. */
  async function finish(patienceMs: number): Promise<void> {
    const until = systemClock.monotonic() + patienceMs
    await running
    while (isWaiting() && systemClock.monotonic() < until) {
      await run()
      if (hasFailed()) return
    }
  }
  const hasFailed = () => failing

  return {
    /** Deliveries were stored, now or by a process that ended. */
    stored() {
      hasMore = true
      schedule()
    },
    answered(answer: AnswerRow) {
      answers.push(answer)
      schedule()
    },
    /** Resolves when everything so far is described, or after `patienceMs`; immediately if nothing can be stored now. */
    async settled(patienceMs: number) {
      if (!failing) await withTimeLimit(patienceMs, finish(patienceMs), () => undefined)
    },
    /** Describes what it can within a while, then stops. The next start continues; our responses are known only here. */
    async close() {
      closed = true
      clearTimeout(timer)
      await finish(CLOSE_PATIENCE_MS)
    },
  }
}

interface RowFeedDeps {
  read(seqs: readonly number[]): Promise<readonly DeliveryRow[]>
  onRows(rows: readonly DeliveryRow[]): void
  readonly log: Log
}

/** A list reloads the rest of its visible rows. */
const MOST_ROWS = 200

/** Reads changed rows and reports them, at most ten times per second, so that the cost doesn't depend on how many stream in. */
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
        if (!closed) log.bug(error, 'reading changed rows')
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
