/** Events of the core: those of the contract, which also go to every client, and those that only its own parts hear. */
import { events, type EventName, type PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'

/** A delivery that the receiver just stored, with what it knows of it by then. */
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
  /**
   * Seqs of deliveries that are now described, and so is everything stored up to the last of them.
   */
  readonly 'deliveries.described': readonly number[]
  /** Seqs of deliveries of which something else changed: marks, a cause, a verdict. */
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
