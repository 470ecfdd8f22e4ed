/**
 * Reads rows that changed after they were stored, for whoever shows them: at once the first time, then at most ten times a second,
 * the latest only. However many deliveries stream in, telling of them costs the same.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Log } from '../deps.ts'

export interface RowTellerDeps {
  read(seqs: readonly number[]): Promise<readonly DeliveryRow[]>
  tell(rows: readonly DeliveryRow[]): void
  readonly log: Log
}

export interface RowTeller {
  changed(seqs: readonly number[]): void
  close(): void
}

/** Milliseconds between two readings. */
const PAUSE_MS = 100
/** A list reads again what it shows of the rest. */
const MOST_ROWS = 200

export function createRowTeller({ read, tell, log }: RowTellerDeps): RowTeller {
  let waiting = new Set<number>()
  let timer: NodeJS.Timeout | null = null
  let closed = false

  function flush(): void {
    timer = null
    if (waiting.size === 0 || closed) return
    const seqs = [...waiting]
    waiting = new Set()
    timer = setTimeout(flush, PAUSE_MS)
    read(seqs).then(
      (rows) => {
        if (!closed) tell(rows)
      },
      (error: unknown) => {
        if (!closed) log.bug(error, 'reading described rows')
      },
    )
  }

  return {
    changed(seqs) {
      for (const seq of seqs) {
        // What changed once more is as new as what just changed.
        waiting.delete(seq)
        waiting.add(seq)
      }
      if (waiting.size > MOST_ROWS) waiting = new Set([...waiting].slice(-MOST_ROWS))
      if (timer === null) flush()
    },
    close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
