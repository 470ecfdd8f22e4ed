/** Two transports joined in memory, for tests and for a command that runs its own core. Delivery is asynchronous, as on a wire. */
import type { Transport } from './transport.ts'

export function createMemoryPair(): [Transport, Transport] {
  const listeners: [Set<(text: string) => void>, Set<(text: string) => void>] = [new Set(), new Set()]
  const end = (own: 0 | 1, other: 0 | 1): Transport => ({
    send(text) {
      queueMicrotask(() => {
        for (const listener of listeners[other]) listener(text)
      })
    },
    onMessage(listener) {
      listeners[own].add(listener)
      return () => {
        listeners[own].delete(listener)
      }
    },
  })
  return [end(0, 1), end(1, 0)]
}
