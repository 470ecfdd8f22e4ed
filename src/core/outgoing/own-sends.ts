/**
 * Recognizes our own replays when they arrive at this receiver, by what the receiver sees of them. Nothing marks them, because the
 * endpoint must get exactly what the service would send. Most replays go elsewhere, so a body is hashed only if a request with the
 * same signature arrives. Forwarded deliveries are also recognized for a while after they were sent.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/deps.ts'

// Matches the sandbox's attempts with the deliveries they became at this receiver. The receiver sees the same signature, timestamp
// and body that were sent. Only the two requests of a duplicate sent in the same millisecond share these; they are matched in order
// of arrival.

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

/** A request in progress. */
interface ExpectedSend {
  /** Whether it reached this receiver: then no handler responded. */
  cameBack(): boolean
  /** Call when the request has ended. */
  forget(): void
}

export type OwnSends = ReturnType<typeof createOwnSends>

interface OwnSend {
  readonly body: Uint8Array
  readonly deliveryId: string
  cameBack: boolean
}

export function createOwnSends(clock: Pick<Clock, 'monotonic'>) {
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
    /** Announces a request before it starts. */
    expect(request: OwnRequest, deliveryId: string): ExpectedSend {
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
    /** Remembers a forwarded delivery, because it may come back after its request has ended. */
    passedOn: passedOn.remember,
    /** The id of the delivery that this request replays; null if the request isn't ours. Call once per request. */
    replayOf: (seen: Seen): string | null => underWayAs(seen) ?? passedOn.leadsBack(seen),
  }
}

interface Gone {
  readonly deliveryId: string
  readonly until: number
  /** More requests than this with the same signature and body may be another sender's. */
  copiesLeft: number
}

const KEPT_MS = 600_000
const MOST_KEPT = 5_000
/**
 * An unchanged delivery that returns looks like a copy by its sender, so this many count as ours. A retry of the service doesn't,
 * because it has its own signature.
 */
const MOST_COPIES = 30

const hashed = (key: string) => hash('sha256', key, 'base64')

/**
 * Recently forwarded deliveries, as the receiver sees them. An endpoint may respond first and send the delivery back here later,
 * which would loop forever. Keeps only hashes, and only the latest ones.
 */
export function createPassedOn(clock: Pick<Clock, 'monotonic'>) {
  /** Oldest first. */
  const kept = new Map<string, Gone>()

  function forgetOld(now: number): void {
    for (const [key, { until }] of kept) {
      if (until > now && kept.size < MOST_KEPT) return
      kept.delete(key)
    }
  }

  return {
    /** Remembers a forwarded delivery. `signedAnew`: the signature is ours, so no other request has it. */
    remember(
      request: OwnRequest,
      deliveryId: string,
      { signedAnew }: { readonly signedAnew: boolean },
    ) {
      // Without a signature, identical requests look the same.
      if (request.signature === null) return
      const now = clock.monotonic()
      forgetOld(now)
      const key = hashed(keyOfOwn(request))
      if (!kept.has(key))
        kept.set(key, {
          deliveryId,
          until: now + KEPT_MS,
          copiesLeft: signedAnew ? 0 : MOST_COPIES,
        })
    },
    /** The id of the returned forwarded delivery; null if this is or may be another one. Call once per request. */
    leadsBack(seen: Seen): string | null {
      if (kept.size === 0 || seen.signature === null) return null
      const found = kept.get(hashed(keyOfSeen(seen)))
      if (found === undefined || found.until <= clock.monotonic()) return null
      if (found.copiesLeft === 0) return found.deliveryId
      found.copiesLeft--
      return null
    },
  }
}

interface Seen {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly bodySha256: string
}

/** A request before it is sent. */
interface OwnRequest {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly body: Uint8Array
}

/** A request's signature data: two requests with the same data differ in their bodies at most. */
function proofOf({ signature, timestamp }: Pick<Seen, 'signature' | 'timestamp'>): string {
  return `${signature ?? ''}\n${timestamp ?? ''}`
}

/** The parts of a request that its receiver sees, enough to recognize our own. */
function bodySha256Of(body: Uint8Array): string {
  return hash('sha256', body, 'hex')
}

/** A request's key, the same before it is sent and after it arrives. */
function keyOfSeen(seen: Seen): string {
  return `${proofOf(seen)}\n${seen.bodySha256}`
}

function keyOfOwn(request: OwnRequest): string {
  return `${proofOf(request)}\n${bodySha256Of(request.body)}`
}
