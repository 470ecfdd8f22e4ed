/**
 * Recognizes our own replays when they arrive at this receiver, by what the receiver sees of them. Nothing marks them, because the
 * endpoint must get exactly what the service would send. Most replays go elsewhere, so a body is hashed only if a request with the
 * same signature arrives. Forwarded deliveries are also recognized for a while after they were sent.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/deps.ts'

/**
 * Requests in progress, each with a state. The receiver sees the same signature, timestamp and body that were sent. Only the two
 * requests of a duplicate sent in the same millisecond share these; they are matched in order of arrival.
 */
function createUnderWay<State>() {
  const underWay = new Map<
    string,
    readonly { readonly body: Uint8Array; readonly state: State }[]
  >()
  return {
    /** Announces a request before it starts. Call the returned function when it has ended. */
    add(request: OwnRequest, state: State): () => void {
      const proof = proofOf(request)
      const mine = { body: request.body, state }
      underWay.set(proof, [...(underWay.get(proof) ?? []), mine])
      return () => {
        const left = (underWay.get(proof) ?? []).filter((one) => one !== mine)
        if (left.length === 0) underWay.delete(proof)
        else underWay.set(proof, left)
      }
    },
    /** The first one that this request may be. */
    find(seen: Seen, fits: (state: State) => boolean): State | undefined {
      if (underWay.size === 0) return undefined
      return underWay
        .get(proofOf(seen))
        ?.find(({ body, state }) => fits(state) && sha256Of(body) === seen.bodySha256)?.state
    },
  }
}

export type Arrivals = ReturnType<typeof createArrivals>

/** Matches the sandbox's attempts with the deliveries they became at this receiver. */
export function createArrivals() {
  const underWay = createUnderWay<{ deliveryId: string | null }>()
  return {
    /** Announces an attempt. The returned function ends the wait and returns the delivery's id, or null if none arrived. */
    expect(request: OwnRequest): () => string | null {
      const mine: { deliveryId: string | null } = { deliveryId: null }
      const forget = underWay.add(request, mine)
      return () => {
        forget()
        return mine.deliveryId
      }
    },
    /** Call for every delivery once it is stored. */
    arrived(seen: Seen, deliveryId: string) {
      const first = underWay.find(seen, (one) => one.deliveryId === null)
      if (first !== undefined) first.deliveryId = deliveryId
    },
  }
}

export type OwnSends = ReturnType<typeof createOwnSends>

export function createOwnSends(clock: Pick<Clock, 'monotonic'>) {
  const underWay = createUnderWay<{ readonly deliveryId: string; wasReturned: boolean }>()
  const passedOn = createPassedOn(clock)
  return {
    /**
     * Announces a request before it starts. `wasReturned`: whether it reached this receiver; then no handler responded. Call `forget`
     * when it has ended.
     */
    expect(request: OwnRequest, deliveryId: string) {
      const mine = { deliveryId, wasReturned: false }
      return { wasReturned: () => mine.wasReturned, forget: underWay.add(request, mine) }
    },
    /** Remembers a forwarded delivery, because it may come back after its request has ended. */
    passedOn: passedOn.remember,
    /** The id of the delivery that this request replays; null if the request isn't ours. Call once per request. */
    replayOf(seen: Seen): string | null {
      const found = underWay.find(seen, () => true)
      if (found === undefined) return passedOn.leadsBack(seen)
      found.wasReturned = true
      return found.deliveryId
    },
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
      const key = keyOf({ ...request, bodySha256: sha256Of(request.body) })
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
      const found = kept.get(keyOf(seen))
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

const sha256Of = (body: Uint8Array) => hash('sha256', body, 'hex')

/** A short key of a request, the same before it is sent and after it arrives. */
const keyOf = (seen: Seen) => hash('sha256', `${proofOf(seen)}\n${seen.bodySha256}`, 'base64')
