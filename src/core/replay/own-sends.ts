/**
 * The sends that are under way, by what the receiver sees of them: so a delivery that is our own replay is known as one, though
 * nothing marks it on its way (the endpoint gets exactly what it would get from the service).
 */
import { keyOfOwn, keyOfSeen, type OwnRequest, type Seen } from '../dispatch/seen-request.ts'

export interface OwnSends {
  /** Tells of a send before it goes; returns the function that forgets it. */
  expect(request: OwnRequest, deliveryId: string): () => void
  /** The id of the delivery that a request is the replay of; null where it is none of ours. */
  replayOf(seen: Seen): string | null
}

export function createOwnSends(): OwnSends {
  const underWay = new Map<string, { readonly deliveryId: string }[]>()
  return {
    expect(request, deliveryId) {
      const key = keyOfOwn(request)
      const mine = { deliveryId }
      const there = underWay.get(key)
      if (there === undefined) underWay.set(key, [mine])
      else there.push(mine)
      return () => {
        const left = (underWay.get(key) ?? []).filter((one) => one !== mine)
        if (left.length === 0) underWay.delete(key)
        else underWay.set(key, left)
      }
    },
    replayOf: (seen) => (underWay.size === 0 ? null : (underWay.get(keyOfSeen(seen))?.[0]?.deliveryId ?? null)),
  }
}
