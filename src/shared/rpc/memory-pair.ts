import type { Transport } from './transport.ts'

type Listeners = Set<(text: string) => void>

/** Creates the two ends of an asynchronous connection in memory. */
export function createMemoryPair(): { readonly client: Transport; readonly core: Transport } {
  const ofClient: Listeners = new Set()
  const ofCore: Listeners = new Set()
  return { client: createEnd(ofClient, ofCore), core: createEnd(ofCore, ofClient) }
}

function createEnd(own: Listeners, other: Listeners): Transport {
  return {
    send(text) {
      queueMicrotask(() => {
        for (const listener of other) listener(text)
      })
    },
    onMessage(listener) {
      own.add(listener)
      return () => {
        own.delete(listener)
      }
    },
  }
}
