/**
 * Matches the sandbox's attempts with the deliveries they became at this receiver. The receiver sees the same signature, timestamp
 * and body that were sent. Only the two requests of a duplicate sent in the same millisecond share these; they are matched in order
 * of arrival.
 */
import { keyOfOwn, keyOfSeen, type OwnRequest, type Seen } from './own-sends.ts'

export type Arrivals = ReturnType<typeof createArrivals>

interface Awaited {
  deliveryId: string | null
}

export function createArrivals() {
  const underWay = new Map<string, Awaited[]>()
  return {
    /** Announces an attempt. The returned function ends the wait and returns the delivery's id, or null if none arrived. */
    expect(request: OwnRequest): () => string | null {
      const key = keyOfOwn(request)
      const mine: Awaited = { deliveryId: null }
      underWay.set(key, [...(underWay.get(key) ?? []), mine])
      return () => {
        const left = (underWay.get(key) ?? []).filter((one) => one !== mine)
        if (left.length === 0) underWay.delete(key)
        else underWay.set(key, left)
        return mine.deliveryId
      }
    },
    /** Call for every delivery once it is stored. */
    arrived(seen: Seen, deliveryId: string) {
      if (underWay.size === 0) return
      const first = underWay.get(keyOfSeen(seen))?.find((one) => one.deliveryId === null)
      if (first !== undefined) first.deliveryId = deliveryId
    },
  }
}
