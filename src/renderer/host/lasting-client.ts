/**
 * A client that outlives its connections: listeners stay, and calls made while there is no connection are refused at once.
 * What was missed in between is for the owner of the snapshots to load again.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
import type { Client } from '../../shared/rpc/client.ts'

export interface LastingClient extends Client {
  /** Uses a new connection from now on. */
  attach(client: Client): void
}

interface Subscription {
  readonly event: EventName
  readonly listener: (payload: never) => void
  stop: (() => void) | null
}

export function createLastingClient(): LastingClient {
  let current: Client | null = null
  const subscriptions = new Set<Subscription>()
  const gapListeners = new Set<() => void>()

  const gone = () => new AppError('DISCONNECTED', 'There is no connection to Countersign at the moment. It is being tried again.')
  const gap = () => {
    for (const listener of gapListeners) listener()
  }
  const subscribe = (client: Client, subscription: Subscription) => {
    subscription.stop = client.on(subscription.event, subscription.listener as (payload: PayloadOf<EventName>) => void)
  }

  return {
    call: (command, input, options) => current?.call(command, input, options) ?? Promise.reject(gone()),
    callNative: (command, input) => current?.callNative(command, input) ?? Promise.reject(gone()),
    on(event, listener) {
      const subscription: Subscription = { event, listener, stop: null }
      subscriptions.add(subscription)
      if (current !== null) subscribe(current, subscription)
      return () => {
        subscriptions.delete(subscription)
        subscription.stop?.()
      }
    },
    onGap(listener) {
      gapListeners.add(listener)
      return () => {
        gapListeners.delete(listener)
      }
    },
    disconnect(reason) {
      current?.disconnect(reason)
      current = null
      for (const subscription of subscriptions) subscription.stop = null
    },
    attach(client) {
      current = client
      for (const subscription of subscriptions) subscribe(client, subscription)
      client.onGap(gap)
    },
  }
}
