/**
 * Reads rows that changed after they were stored and sends the latest, at most ten times per second, so that the cost doesn't
 * depend on how many deliveries stream in.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { throttle } from '../base/throttle.ts'
import type { Log } from '../base/deps.ts'

export interface RowFeedDeps {
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
