/** Events of the core, sent to every listener; changes of deliveries at most ten times a second. */
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { throttle } from './throttle.ts'

type AnyListener = <K extends EventName>(event: K, payload: PayloadOf<K>) => void

export interface EventHub {
  emit: AnyListener
  on<K extends EventName>(event: K, listener: (payload: PayloadOf<K>) => void): () => void
  /** Hears every event, as a connection does. */
  onAny(listener: AnyListener): () => void
}

export function createEventHub(): EventHub {
  const listeners = new Set<AnyListener>()
  const onAny = (listener: AnyListener) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
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

/** A burst tells this many rows; a list reads the others for itself. */
const MOST_ROWS = 200

export interface ChangeFeed {
  added(row: DeliveryRow): void
  updated(rows: readonly DeliveryRow[]): void
  close(): void
}

/**
 * Tells user interfaces what came and what changed, at most ten times a second however many deliveries arrive. The first
 * change after a quiet moment is told at once.
 */
export function createChangeFeed(total: () => number, tell: (change: PayloadOf<'deliveries.changed'>) => void): ChangeFeed {
  let added: DeliveryRow[] = []
  let skipped = 0
  let updated = new Map<number, DeliveryRow>()

  function tellNow(): void {
    // A delivery that came and changed since is sent as it is now: a list looks for changed rows among those that it has.
    const rows = added.toReversed().map((row) => updated.get(row.seq) ?? row)
    const change = { added: rows, skipped, updated: [...updated.values()], total: total() }
    added = []
    skipped = 0
    updated = new Map()
    tell(change)
  }

  const changed = throttle(tellNow, { first: 'next-turn' })

  return {
    added(row) {
      added.push(row)
      if (added.length > MOST_ROWS) {
        // The newest are kept: they are what a list shows first.
        skipped += added.length - MOST_ROWS
        added = added.slice(-MOST_ROWS)
      }
      changed()
    },
    updated(rows) {
      for (const row of rows) updated.set(row.seq, row)
      // A list reads again what it shows of the rest.
      if (updated.size > MOST_ROWS) updated = new Map([...updated].slice(-MOST_ROWS))
      if (updated.size > 0) changed()
    },
    close: changed.stop,
  }
}
