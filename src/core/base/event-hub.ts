/** Events of the core, sent to every listener; changes of deliveries at most ten times per second. */
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { throttle } from './async.ts'

type AnyListener = <K extends EventName>(event: K, payload: PayloadOf<K>) => void

export interface EventHub {
  emit: AnyListener
  on<K extends EventName>(event: K, listener: (payload: PayloadOf<K>) => void): () => void
  /** Receives every event, like a connection. */
  onAny(listener: AnyListener): () => void
}

export function createEventHub(): EventHub {
  const listeners = new Set<AnyListener>()
  const onAny = (listener: AnyListener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    emit(event, payload) {
      for (const listener of listeners) listener(event, payload)
    },
    on: (wanted, listener) =>
      onAny((event, payload) => {
        if ((event as string) === wanted) (listener as (payload: unknown) => void)(payload)
      }),
    onAny,
  }
}

/** A burst reports this many rows; a list reads the others itself. */
const MOST_ROWS = 200

export type ChangeFeed = ReturnType<typeof createChangeFeed>

/**
 * Reports new and changed deliveries to user interfaces, at most ten times per second however many arrive. The first change after a
 * quiet moment is reported immediately.
 */
export function createChangeFeed(
  total: () => number,
  tell: (change: PayloadOf<'deliveries.changed'>) => void,
) {
  let added: DeliveryRow[] = []
  let skipped = 0
  let updated = new Map<number, DeliveryRow>()

  function tellNow(): void {
    // A delivery that arrived and changed since is sent in its current state: a list looks for changed rows among those it has.
    const rows = added.toReversed().map((row) => updated.get(row.seq) ?? row)
    const change = { added: rows, skipped, updated: [...updated.values()], total: total() }
    added = []
    skipped = 0
    updated = new Map()
    tell(change)
  }

  const changed = throttle(tellNow, { first: 'next-turn' })

  return {
    added(row: DeliveryRow) {
      added.push(row)
      if (added.length > MOST_ROWS) {
        // The newest are kept, because a list shows them first.
        skipped += added.length - MOST_ROWS
        added = added.slice(-MOST_ROWS)
      }
      changed()
    },
    updated(rows: readonly DeliveryRow[]) {
      for (const row of rows) updated.set(row.seq, row)
      // A list reloads the rest of its visible rows.
      if (updated.size > MOST_ROWS) updated = new Map([...updated].slice(-MOST_ROWS))
      if (updated.size > 0) changed()
    },
    close: changed.stop,
  }
}
