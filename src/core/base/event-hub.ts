/** Events of the core: those of the contract, which also go to every client, and those that only its own parts hear. */
import { events, type EventName, type PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { StoreStatus } from '../../shared/model/status.ts'
import { createMutex, throttle } from './async.ts'

/** What the receiver knows of a delivery that it just stored. */
export type ReceivedDelivery = Pick<
  DeliveryRow,
  'seq' | 'id' | 'receivedAt' | 'bodySize' | 'event' | 'hookId' | 'verdict' | 'freshness'
>

/** Events that clients don't get. Listeners run in the order of their subscription, before `emit` returns. */
export interface InnerEvents {
  /** A received delivery is stored, and gets its response next. */
  readonly 'delivery.stored': ReceivedDelivery
  /** A delivery that wasn't received is stored, by seq. */
  readonly 'delivery.imported': number
  /** The response of a stored delivery; `status` is null if none was sent. */
  readonly 'delivery.answered': {
    readonly delivery: ReceivedDelivery
    readonly status: number | null
    readonly ms: number
  }
  /** Everything stored up to the last of these is described. Seqs. */
  readonly 'deliveries.described': readonly number[]
  /** Something else about them changed: marks, a cause, a verdict. Seqs. */
  readonly 'deliveries.updated': readonly number[]
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

interface ReportDeps {
  readonly hub: EventHub
  /** Reads rows by seq, newest first. */
  read(seqs: readonly number[]): Promise<readonly DeliveryRow[]>
  /** How many deliveries are stored. */
  total(): number
}

/**
 * Reports new and changed deliveries to user interfaces, at most ten times per second however many
 * arrive. The first change after a quiet moment is reported immediately. Returns the function that
 * ends it.
 */
export function reportDeliveries({ hub, read, total }: ReportDeps): () => void {
  const exclusive = createMutex()
  let added = new Set<number>()
  let updated = new Set<number>()
  let skipped = 0
  let isStopped = false

  async function tell(): Promise<void> {
    const changes = { added, updated, skipped }
    added = new Set()
    updated = new Set()
    skipped = 0
    // Rows that can't be read are left to the list, which says why.
    const rows = await read([...changes.added.union(changes.updated)]).catch(() => [])
    if (isStopped) return
    hub.emit('deliveries.changed', {
      added: rows.filter(({ seq }) => changes.added.has(seq)),
      skipped: changes.skipped + (rows.length === 0 ? changes.added.size : 0),
      updated: rows.filter(({ seq }) => changes.updated.has(seq)),
      total: total(),
    })
  }

  const changed = throttle(() => void exclusive(tell), { first: 'next-turn' })

  const onAdded = (seq: number) => {
    added.add(seq)
    // The newest are kept, because a list shows them first.
    skipped += Math.max(0, added.size - MOST_ROWS)
    added = newestOf(added)
    changed()
  }
  const onUpdated = (seqs: readonly number[]) => {
    // A list reloads the rest of its visible rows.
    updated = newestOf(new Set([...updated, ...seqs]))
    if (updated.size > 0) changed()
  }
  hub.on('delivery.stored', ({ seq }) => {
    onAdded(seq)
  })
  hub.on('delivery.imported', onAdded)
  hub.on('deliveries.described', onUpdated)
  hub.on('deliveries.updated', onUpdated)
  return () => {
    isStopped = true
    changed.stop()
  }
}

/** Returns the last of the seqs. */
function newestOf(seqs: Set<number>): Set<number> {
  return seqs.size <= MOST_ROWS ? seqs : new Set([...seqs].slice(-MOST_ROWS))
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
