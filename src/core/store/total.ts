/**
 * Keeps totals up to date behind the receiver: how many deliveries are stored, and how many in each minute.
 *
 * The number is known without querying the database each time. With very many, the start doesn't wait for it: until it is counted it is an estimate, good enough to show,
 * but not to delete by: that waits for `counted`.
 */
import type { Log } from '../base/deps.ts'
import type { SearchPace } from './search/pace.ts'

export interface TotalDeps {
  /** The largest seq at the start. */
  readonly newest: number
  /** Their number, if already known; null: `newest` is the estimate. */
  readonly known: number | null
  /** Counts visible deliveries up to `newest`. */
  count(): Promise<number>
  /** The estimate was wrong. */
  onCorrected(): void
}

export function createTotal({ newest, known, count, onCorrected }: TotalDeps) {
  let total = known ?? newest
  /** The part of the total up to `newest`. */
  let older = total
  let moves = 0
  let counting: Promise<void> | null = known === null ? null : Promise.resolve()

  async function countOlder(): Promise<void> {
    for (;;) {
      const before = moves
      const counted = await count()
      // Deliveries hidden in the meantime may or may not be in that number.
      if (moves !== before) continue
      const isCorrected = counted !== older
      total += counted - older
      older = counted
      if (isCorrected) onCorrected()
      return
    }
  }

  return {
    now: () => total,
    /** The exact number. Rejects if it can't be counted; the next call tries again. */
    async counted() {
      counting ??= countOlder().catch((error: unknown) => {
        counting = null
        throw error
      })
      await counting
      return total
    },
    stored(stored: number) {
      total += stored
    },
    /** Runs a function that hides deliveries (`by` −1) or shows them again; returns their seqs. */
    async moving(by: 1 | -1, move: () => Promise<number[]>): Promise<number[]> {
      moves++
      const moved = await move()
      moves++
      total += by * moved.length
      older += by * moved.filter((seq) => seq <= newest).length
      return moved
    },
  }
}

export interface MinuteTotalsDeps {
  /** Counts stored deliveries for about this many milliseconds; resolves with whether there are more. */
  count(budgetMs: number): Promise<boolean>
  readonly pace: Pick<SearchPace, 'isCalm' | 'rest' | 'pause'>
  readonly log: Log
}

/** Deliveries of this time are counted together. */
const GATHER_MS = 200
/** A commit waits no longer than this for counting. */
const CALM_COUNT_MS = 5
const BUSY_COUNT_MS = 2
const RETRY_COUNT_MS = 2_000

/** Counts deliveries by minute, behind the receiver. A reader counts the rest itself, so nothing waits for this. */
export function keepMinuteTotals({ count, pace, log }: MinuteTotalsDeps) {
  let running: Promise<void> | null = null
  let again = false
  let closed = false
  let failing = false

  async function work(): Promise<void> {
    do {
      again = false
      await pace.pause(failing ? RETRY_COUNT_MS : GATHER_MS)
      try {
        for (let more = true; more && !closed;) {
          await pace.rest()
          if (closed) return
          more = await count(pace.isCalm() ? CALM_COUNT_MS : BUSY_COUNT_MS)
        }
        failing = false
      } catch (error) {
        if (!failing)
          log.warn("Couldn't count deliveries by minute. Trying again later.", {
            reason: (error as Error).message,
          })
        failing = true
        again = true
      }
    } while (again && !closed)
  }

  return {
    /** Deliveries were stored. */
    stored() {
      again = true
      running ??= work().finally(() => {
        running = null
      })
    },
    /** Call after the pace has stopped. */
    async close() {
      closed = true
      await running
    },
  }
}
