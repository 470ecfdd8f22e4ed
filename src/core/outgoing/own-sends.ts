/**
 * The sends that are under way, by what the receiver sees of them: so a delivery that is our own replay is known as one, though
 * nothing marks it on its way (the endpoint gets exactly what it would get from the service). Most go elsewhere: a body is hashed
 * only where a request comes that has the same proof. What was passed on is known for a while after its end, too.
 */
import type { Clock } from '../base/deps.ts'
import { bodySha256Of, proofOf, type OwnRequest, type Seen } from './seen-request.ts'
import { createPassedOn, type PassedOn } from './passed-on.ts'

/** A send that is in progress. */
export interface ExpectedSend {
  /** Whether it reached this program's own receiver: then no handler responded. */
  cameBack(): boolean
  /** Call when the send has ended. */
  forget(): void
}

export interface OwnSends {
  /** Announces a send before it starts. */
  expect(request: OwnRequest, deliveryId: string): ExpectedSend
  /** Tells of a forwarded delivery that has gone: it may lead back after its send has ended. */
  readonly passedOn: PassedOn['remember']
  /** The id of the delivery that a request is the replay of; null where it is none of ours. Asked once for each request. */
  replayOf(seen: Seen): string | null
}

interface OwnSend {
  readonly body: Uint8Array
  readonly deliveryId: string
  cameBack: boolean
}

export function createOwnSends(clock: Pick<Clock, 'monotonic'>): OwnSends {
  const underWay = new Map<string, readonly OwnSend[]>()
  const passedOn = createPassedOn(clock)

  function underWayAs(seen: Seen): string | null {
    if (underWay.size === 0) return null
    const alike = underWay.get(proofOf(seen)) ?? []
    const found = alike.find(({ body }) => bodySha256Of(body) === seen.bodySha256)
    if (found === undefined) return null
    found.cameBack = true
    return found.deliveryId
  }

  return {
    expect(request, deliveryId) {
      const proof = proofOf(request)
      const mine: OwnSend = { body: request.body, deliveryId, cameBack: false }
      underWay.set(proof, [...(underWay.get(proof) ?? []), mine])
      return {
        cameBack: () => mine.cameBack,
        forget() {
          const left = (underWay.get(proof) ?? []).filter((one) => one !== mine)
          if (left.length === 0) underWay.delete(proof)
          else underWay.set(proof, left)
        },
      }
    },
    passedOn: passedOn.remember,
    replayOf: (seen) => underWayAs(seen) ?? passedOn.leadsBack(seen),
  }
}
