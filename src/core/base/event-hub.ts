/** Events of the core, told to whoever listens. */
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'

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
