/**
 * Recognizes our own requests when they arrive here, without a mark, because the endpoint must get
 * exactly what the service would send.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/deps.ts'

/** Duplicates sent in the same millisecond are matched in order of arrival. */
function createUnderWay<State>() {
  const underWay = new Map<
    string,
    readonly { readonly body: Uint8Array; readonly state: State }[]
  >()
  return {
    /** Announces a request; returns the function to call when it has ended. */
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
    find(seen: Seen, fits: (state: State) => boolean): State | undefined {
      if (underWay.size === 0) return undefined
      return underWay
        .get(proofOf(seen))
        ?.find(({ body, state }) => fits(state) && sha256Of(body) === seen.bodySha256)?.state
    },
  }
}

export type Arrivals = ReturnType<typeof createArrivals>

/** Matches the sandbox's attempts with the deliveries they became here. */
export function createArrivals() {
  const underWay = createUnderWay<{ deliveryId: string | null }>()
  return {
    /**
     * Announces an attempt; returns the function that ends the wait with the delivery's ID, or
     * null.
     */
    expect(request: OwnRequest): () => string | null {
      const mine: { deliveryId: string | null } = { deliveryId: null }
      const forget = underWay.add(request, mine)
      return () => {
        forget()
        return mine.deliveryId
      }
    },
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
    /** Announces a request. If it `wasReturned` here, no handler responded. */
    expect(request: OwnRequest, deliveryId: string) {
      const mine = { deliveryId, wasReturned: false }
      return { wasReturned: () => mine.wasReturned, forget: underWay.add(request, mine) }
    },
    passedOn: passedOn.remember,
    /** Returns the ID of the delivery that this request replays. Call once per request. */
    replayOf(seen: Seen): string | null {
      const ownRequest = underWay.find(seen, () => true)
      if (ownRequest === undefined) return passedOn.leadsBack(seen)
      ownRequest.wasReturned = true
      return ownRequest.deliveryId
    },
  }
}

interface Gone {
  readonly deliveryId: string
  readonly until: number
  /** Further requests that may be another sender's. */
  copiesLeft: number
}

const KEPT_MS = 600_000
const MOST_KEPT = 5_000
/** Copies that may be the sender's own; a retry has its own signature. */
const MOST_COPIES = 30

/**
 * Keeps hashes of forwarded deliveries: an endpoint may send one back later, which would loop
 * forever.
 */
export function createPassedOn(clock: Pick<Clock, 'monotonic'>) {
  const kept = new Map<string, Gone>()

  function forgetOld(now: number): void {
    for (const [key, { until }] of kept) {
      if (until > now && kept.size < MOST_KEPT) return
      kept.delete(key)
    }
  }

  return {
    /** `signedAnew`: the signature is ours, so no other request has it. */
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
    /**
     * Returns the ID of the returned delivery, null if it may be another. Call once per request.
     */
    leadsBack(seen: Seen): string | null {
      if (kept.size === 0 || seen.signature === null) return null
      const forwarded = kept.get(keyOf(seen))
      if (forwarded === undefined || forwarded.until <= clock.monotonic()) return null
      if (forwarded.copiesLeft === 0) return forwarded.deliveryId
      forwarded.copiesLeft--
      return null
    },
  }
}

interface Seen {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly bodySha256: string
}

interface OwnRequest {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly body: Uint8Array
}

/** Returns a key that only requests with different bodies share. */
function proofOf({ signature, timestamp }: Pick<Seen, 'signature' | 'timestamp'>): string {
  return `${signature ?? ''}\n${timestamp ?? ''}`
}

const sha256Of = (body: Uint8Array) => hash('sha256', body, 'hex')

/** Returns a key that is equal before sending and after arrival. */
const keyOf = (seen: Seen) => hash('sha256', `${proofOf(seen)}\n${seen.bodySha256}`, 'base64')
