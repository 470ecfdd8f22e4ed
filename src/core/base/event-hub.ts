/** Events of the core: those of the contract, which also go to every client, and those that only its own parts hear. */
import { events, type EventName, type PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { throttle } from './async.ts'

/** Events that clients don't get. Listeners run in the order of their subscription, before `emit` returns. */
export interface InnerEvents {
  /** A received delivery is stored, and gets its response next. */
  readonly 'delivery.stored': DeliveryRow
  /** The response of a stored delivery; `status` is null if none was sent. */
  readonly 'delivery.answered': {
    readonly row: DeliveryRow
    readonly status: number | null
    readonly ms: number
  }
}

type ClientListener = <K extends EventName>(event: K, payload: PayloadOf<K>) => void
type Emit = ClientListener &
  (<K extends keyof InnerEvents>(event: K, payload: InnerEvents[K]) => void)
type On = (<K extends EventName>(
  event: K,
  listener: (payload: PayloadOf<K>) => void,
) => () => void) &
  (<K extends keyof InnerEvents>(
    event: K,
    listener: (payload: InnerEvents[K]) => void,
  ) => () => void)

export type EventHub = ReturnType<typeof createEventHub>

export function createEventHub() {
  const listeners = new Map<string, Set<(payload: unknown) => void>>()
  const clients = new Set<ClientListener>()
  const emit: Emit = (event: EventName | keyof InnerEvents, payload: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(payload)
    if (!(event in events)) return
    for (const client of clients) client(event as EventName, payload as PayloadOf<EventName>)
  }
  const on: On = (event: string, listener: (payload: never) => void) => {
    const those = listeners.get(event) ?? new Set()
    listeners.set(event, those.add(listener as (payload: unknown) => void))
    return () => those.delete(listener as (payload: unknown) => void)
  }
  return {
    emit,
    on,
    /** Receives every event of the contract. */
    onAny(client: ClientListener): () => void {
      clients.add(client)
      return () => clients.delete(client)
    },
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
