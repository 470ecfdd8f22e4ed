/**
 * The sends that are under way, by what the receiver sees of them: so a delivery that is our own replay is known as one, though
 * nothing marks it on its way (the endpoint gets exactly what it would get from the service). Most go elsewhere: a body is hashed
 * only where a request comes that has the same proof. What was passed on is known for a while after its end, too.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/deps.ts'

/** A send that is in progress. */
interface ExpectedSend {
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

interface PassedOn {
  /** Tells of a delivery that has gone. `signedAnew`: its signature is ours, and nobody else's request has it. */
  remember(request: OwnRequest, deliveryId: string, options: { readonly signedAnew: boolean }): void
  /** The id of the delivery that a request is, come back; null where it is another one, or may be. Asked once for each request. */
  leadsBack(seen: Seen): string | null
}

interface Gone {
  readonly deliveryId: string
  readonly until: number
  /** So many more requests with the same proof and body may be another sender's. */
  copiesLeft: number
}

const KEPT_MS = 600_000
const MOST_KEPT = 5_000
/**
 * What went as it came is, come back, like a copy that its sender made: so many are taken for that. A retry of the service is none,
 * it has a signature of its own.
 */
const MOST_COPIES = 30

const hashed = (key: string) => hash('sha256', key, 'base64')

/**
 * What was passed on a moment ago, by what the receiver sees of it: an endpoint may answer first and pass the delivery on later, and
 * what leads back to the receiver then would go round for ever. Hashes are kept and no bodies, the newest of them alone.
 */
export function createPassedOn(clock: Pick<Clock, 'monotonic'>): PassedOn {
  /** The oldest first. */
  const kept = new Map<string, Gone>()

  function forgetOld(now: number): void {
    for (const [key, { until }] of kept) {
      if (until > now && kept.size < MOST_KEPT) return
      kept.delete(key)
    }
  }

  return {
    remember(request, deliveryId, { signedAnew }) {
      // Without a signature nothing tells one request from the next that is like it.
      if (request.signature === null) return
      const now = clock.monotonic()
      forgetOld(now)
      const key = hashed(keyOfOwn(request))
      if (!kept.has(key)) kept.set(key, { deliveryId, until: now + KEPT_MS, copiesLeft: signedAnew ? 0 : MOST_COPIES })
    },
    leadsBack(seen) {
      if (kept.size === 0 || seen.signature === null) return null
      const found = kept.get(hashed(keyOfSeen(seen)))
      if (found === undefined || found.until <= clock.monotonic()) return null
      if (found.copiesLeft === 0) return found.deliveryId
      found.copiesLeft--
      return null
    },
  }
}

export interface Seen {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly bodySha256: string
}

/** A request before it goes. */
export interface OwnRequest {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly body: Uint8Array
}

/** What proves a request: two with the same are alike but for their bodies, at most. */
function proofOf({ signature, timestamp }: Pick<Seen, 'signature' | 'timestamp'>): string {
  return `${signature ?? ''}\n${timestamp ?? ''}`
}

/** A request by what its receiver can see of it: enough to know one that this program has sent itself. */
function bodySha256Of(body: Uint8Array): string {
  return hash('sha256', body, 'hex')
}

/** What names a request, the same before it goes and once it has come. */
export function keyOfSeen(seen: Seen): string {
  return `${proofOf(seen)}\n${seen.bodySha256}`
}

export function keyOfOwn(request: OwnRequest): string {
  return `${proofOf(request)}\n${bodySha256Of(request.body)}`
}
