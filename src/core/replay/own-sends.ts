/**
 * The sends that are under way, by what the receiver sees of them: so a delivery that is our own replay is known as one, though
 * nothing marks it on its way (the endpoint gets exactly what it would get from the service). Most go elsewhere: a body is hashed
 * only where a request comes that has the same proof.
 */
import { bodySha256Of, proofOf, type OwnRequest, type Seen } from '../dispatch/seen-request.ts'

export interface OwnSends {
  /** Tells of a send before it goes; returns the function that forgets it. */
  expect(request: OwnRequest, deliveryId: string): () => void
  /** The id of the delivery that a request is the replay of; null where it is none of ours. */
  replayOf(seen: Seen): string | null
}

interface OwnSend {
  readonly body: Uint8Array
  readonly deliveryId: string
}

export function createOwnSends(): OwnSends {
  const underWay = new Map<string, readonly OwnSend[]>()
  return {
    expect(request, deliveryId) {
      const proof = proofOf(request)
      const mine: OwnSend = { body: request.body, deliveryId }
      underWay.set(proof, [...(underWay.get(proof) ?? []), mine])
      return () => {
        const left = (underWay.get(proof) ?? []).filter((one) => one !== mine)
        if (left.length === 0) underWay.delete(proof)
        else underWay.set(proof, left)
      }
    },
    replayOf(seen) {
      if (underWay.size === 0) return null
      const alike = underWay.get(proofOf(seen)) ?? []
      return alike.find(({ body }) => bodySha256Of(body) === seen.bodySha256)?.deliveryId ?? null
    },
  }
}
