/** Events of the core: those of the contract for clients, and its own. */
import { events, type EventName, type PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'

export type ReceivedDelivery = Pick<
  DeliveryRow,
  'seq' | 'id' | 'receivedAt' | 'bodySize' | 'event' | 'hookId' | 'verdict' | 'freshness'
>

/** Events that stay in the core. Listeners run in order, before `emit` returns. */
export interface InnerEvents {
  /** Stored delivery whose response is sent next. */
  readonly 'delivery.stored': ReceivedDelivery
  /** Seq of a stored delivery that wasn't received. */
  readonly 'delivery.imported': number
  /** Response; `status` is null if none was sent. */
  readonly 'delivery.answered': {
    readonly delivery: ReceivedDelivery
    readonly status: number | null
    readonly ms: number
  }
  /** Seqs of described deliveries, with all earlier ones. */
  readonly 'deliveries.described': readonly number[]
  readonly 'deliveries.updated': readonly number[]
  /** Hook imported into a sandbox; its import ends after the work in `waitFor`. */
  readonly 'hook.imported': {
    readonly hook: Hook
    readonly secret: string
    waitFor(work: Promise<void>): void
  }
  /** Hook with a new secret or URL, so that stored deliveries may now verify. */
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
    const subscribed = listeners.get(event) ?? new Set()
    listeners.set(event, subscribed.add(listener as (payload: unknown) => void))
    return () => subscribed.delete(listener as (payload: unknown) => void)
  }
  return {
    emit,
    on,
    onAny(client: ClientListener): () => void {
      clients.add(client)
      return () => clients.delete(client)
    },
  }
}
