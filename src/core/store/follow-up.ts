/** Follows the acknowledgement: stores our responses, and reports new and changed rows to clients. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { throttle, withTimeLimit } from '../base/async.ts'
import type { Log } from '../base/deps.ts'
import type { AnswerRow } from './describe-repo.ts'

// Responses: while deliveries stream in, they are stored with the next batch, which costs least; otherwise soon on their own. Those
// that can't be stored (a full disk) wait.

interface AnswersDeps {
  /** Stores responses on their own. */
  write(answers: readonly AnswerRow[]): Promise<void>
  /** Whether deliveries wait for their commit: the next batch takes the responses along. */
  isBusy(): boolean
  /** Called with the seqs of deliveries whose response was stored. */
  onStored(seqs: readonly number[]): void
  readonly log: Log
}

/** How long responses wait for a batch. */
const WAIT_MS = 50
const RETRY_MS = 1_000

export function createAnswers({ write, isBusy, onStored, log }: AnswersDeps) {
  let waiting: AnswerRow[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | null = null
  let failing = false
  let closed = false

  function schedule(): void {
    if (closed || waiting.length === 0) return
    timer ??= setTimeout(
      () => {
        timer = undefined
        if (isBusy() && !failing) schedule()
        else void flush()
      },
      failing ? RETRY_MS : WAIT_MS,
    )
  }

  function stored(answers: readonly AnswerRow[]): void {
    failing = false
    if (answers.length > 0) onStored(answers.map(({ seq }) => seq))
  }

  async function writeWaiting(): Promise<void> {
    const answers = waiting
    waiting = []
    try {
      await write(answers)
      stored(answers)
    } catch (error) {
      giveBack(answers)
      if (!failing)
        log.warn("Responses to deliveries can't be stored for now.", {
          reason: (error as Error).message,
        })
      failing = true
    }
  }

  /** Stores what waits, unless that fails. */
  async function flush(): Promise<void> {
    await writing
    if (waiting.length === 0) return
    writing = writeWaiting().finally(() => {
      writing = null
      schedule()
    })
    await writing
  }

  function giveBack(answers: readonly AnswerRow[]): void {
    waiting = [...answers, ...waiting]
    schedule()
  }

  return {
    add(answer: AnswerRow) {
      waiting.push(answer)
      schedule()
    },
    /** Those that the next batch takes along: report them to `stored`, or give them back if it fails. */
    take(): AnswerRow[] {
      return waiting.splice(0)
    },
    stored,
    giveBack,
    /** Resolves when everything that waits is stored, or after `patienceMs`; immediately if nothing can be stored now. */
    async settled(patienceMs: number) {
      if (failing) return
      await withTimeLimit(patienceMs, flush(), () => undefined)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await flush()
    },
  }
}

// Rows: those that were stored or changed are read and reported, at most ten times per second, so that the cost doesn't depend on
// how many deliveries stream in.

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
