/**
 * What became of the sandbox's attempts: the delivery that each of them is, where this program's own receiver took it in. The
 * receiver sees the same signature, timestamp and body that the attempt was sent with, and no attempt shares them with another but
 * the two of a duplicate that went out in one millisecond: those are given out in the order in which they came.
 */
import { keyOfOwn, keyOfSeen, type OwnRequest, type Seen } from './own-sends.ts'

export interface Arrivals {
  /** Tells of an attempt before it goes. The function ends the wait, and gives the id of the delivery; null where none came. */
  expect(request: OwnRequest): () => string | null
  /** Tells of a delivery once it is stored. */
  arrived(seen: Seen, deliveryId: string): void
}

interface Awaited {
  deliveryId: string | null
}

export function createArrivals(): Arrivals {
  const underWay = new Map<string, Awaited[]>()
  return {
    expect(request) {
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
    arrived(seen, deliveryId) {
      if (underWay.size === 0) return
      const first = underWay.get(keyOfSeen(seen))?.find((one) => one.deliveryId === null)
      if (first !== undefined) first.deliveryId = deliveryId
    },
  }
}
