import type { Transport } from './transport.ts'

/** Creates two asynchronous transports connected in memory. */
export function createMemoryPair(): [Transport, Transport] {
  const listeners: [Set<(text: string) => void>, Set<(text: string) => void>] = [
    new Set(),
    new Set(),
  ]
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
