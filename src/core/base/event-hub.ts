/** Events of the core: those of the contract, which also go to every client, and those that only its own parts hear. */
import { events, type EventName, type PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { StoreStatus } from '../../shared/model/status.ts'
import { throttle } from './async.ts'

/** Events that clients don't get. Listeners run in the order of their subscription, before `emit` returns. */
export interface InnerEvents {
  /** A received delivery is stored, and gets its response next. */
  readonly 'delivery.stored': DeliveryRow
  /** A delivery that wasn't received is stored. */
  readonly 'delivery.imported': DeliveryRow
  /** The response of a stored delivery; `status` is null if none was sent. */
  readonly 'delivery.answered': {
    readonly row: DeliveryRow
    readonly status: number | null
    readonly ms: number
  }
  /** Everything stored up to the last of these is described. */
  readonly 'deliveries.described': readonly DeliveryRow[]
  /** Something else about them changed: marks, a cause, a verdict. */
  readonly 'deliveries.updated': readonly DeliveryRow[]
  /** A hook was imported into one of the sandbox's environments. The import ends after what a listener asks it to wait for. */
  readonly 'hook.imported': {
    readonly hook: Hook
    readonly secret: string
    waitFor(work: Promise<void>): void
  }
  /** A hook has another URL or one more secret: other signatures are valid now. */
  readonly 'hook.keyed': Hook
  readonly 'sandbox.started': { readonly url: string }
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

/**
 * Reports new and changed deliveries to user interfaces, at most ten times per second however many arrive. The first change after a
 * quiet moment is reported immediately. Returns the function that ends it.
 */
export function reportDeliveries(hub: EventHub, total: () => number): () => void {
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
    hub.emit('deliveries.changed', change)
  }

  const changed = throttle(tellNow, { first: 'next-turn' })

  const onAdded = (row: DeliveryRow) => {
    added.push(row)
    if (added.length > MOST_ROWS) {
      // The newest are kept, because a list shows them first.
      skipped += added.length - MOST_ROWS
      added = added.slice(-MOST_ROWS)
    }
    changed()
  }
  const onUpdated = (rows: readonly DeliveryRow[]) => {
    for (const row of rows) updated.set(row.seq, row)
    // A list reloads the rest of its visible rows.
    if (updated.size > MOST_ROWS) updated = new Map([...updated].slice(-MOST_ROWS))
    if (updated.size > 0) changed()
  }
  hub.on('delivery.stored', onAdded)
  hub.on('delivery.imported', onAdded)
  hub.on('deliveries.described', onUpdated)
  hub.on('deliveries.updated', onUpdated)
  return changed.stop
}

/** Delay from a storage change to the event with the new size, in milliseconds. */
const STATUS_PAUSE_MS = 2_000

/**
 * Reports the store's status after deliveries were added or removed, at most once per pause, because the size on disk changes with
 * them. Returns the function that ends it.
 */
export function reportStorage(hub: EventHub, status: () => Promise<StoreStatus>): () => void {
  const tell = async () => {
    hub.emit('store.changed', await status())
  }
  const changed = throttle(() => void tell(), { everyMs: STATUS_PAUSE_MS, first: 'later' })
  hub.on('deliveries.changed', changed)
  hub.on('deliveries.deleted', changed)
  hub.on('deliveries.restored', changed)
  return changed.stop
}
