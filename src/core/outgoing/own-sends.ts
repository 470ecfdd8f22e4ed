/**
 * Recognizes our own requests when they arrive here, without a mark, because the endpoint must get
 * exactly what the service would send.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/deps.ts'

interface ArrivedRequest {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly bodySha256: string
}

interface OwnRequest {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly body: Uint8Array
}

export type Arrivals = ReturnType<typeof createArrivals>

/** Matches the sandbox's attempts with the deliveries they became here. */
export function createArrivals() {
  const inProgress = createRequestsInProgress<{ deliveryId: string | null }>()
  return {
    /**
     * Announces an attempt; returns the function that ends the wait with the delivery's ID, or
     * null.
     */
    expectDelivery(request: OwnRequest): () => string | null {
      const entry: { deliveryId: string | null } = { deliveryId: null }
      const forget = inProgress.add(request, entry)
      return () => {
        forget()
        return entry.deliveryId
      }
    },
    arrived(arrivedRequest: ArrivedRequest, deliveryId: string) {
      const first = inProgress.find(arrivedRequest, (one) => one.deliveryId === null)
      if (first !== undefined) first.deliveryId = deliveryId
    },
  }
}

export type OwnSends = ReturnType<typeof createOwnSends>

export function createOwnSends(clock: Pick<Clock, 'monotonic'>) {
  const inProgress = createRequestsInProgress<{
    readonly deliveryId: string
    wasReturned: boolean
  }>()
  const forwarded = createForwardedMemory(clock)
  return {
    /**
     * Announces a request; `wasReturned` if it arrived at this receiver, so no handler responded.
     */
    announce(request: OwnRequest, deliveryId: string) {
      const entry = { deliveryId, wasReturned: false }
      return { wasReturned: () => entry.wasReturned, forget: inProgress.add(request, entry) }
    },
    rememberForwarded: forwarded.remember,
    /** Returns the ID of the delivery that this request replays. Call once per request. */
    takeReplayed(arrivedRequest: ArrivedRequest): string | null {
      const ownRequest = inProgress.find(arrivedRequest, () => true)
      if (ownRequest === undefined) return forwarded.takeReturned(arrivedRequest)
      ownRequest.wasReturned = true
      return ownRequest.deliveryId
    },
  }
}

interface ForwardedDelivery {
  readonly deliveryId: string
  readonly until: number
  /** Number of equal requests that still count as the original sender's copies. */
  copiesLeft: number
}

const KEPT_MS = 600_000
const MAX_KEPT = 5_000
/** Maximum number of such copies; the original sender's retries have new signatures. */
const MAX_COPIES = 30

/**
 * Creates a memory of forwarded deliveries, as hashes: an endpoint may send one back later, which
 * would loop forever.
 */
export function createForwardedMemory(clock: Pick<Clock, 'monotonic'>) {
  const kept = new Map<string, ForwardedDelivery>()

  function forgetOld(now: number): void {
    for (const [key, { until }] of kept) {
      if (until > now && kept.size < MAX_KEPT) return
      kept.delete(key)
    }
  }

  return {
    /**
     * Remembers a forwarded request; if it was `signedAnew`, no other request has its signature.
     */
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
          copiesLeft: signedAnew ? 0 : MAX_COPIES,
        })
    },
    /**
     * Returns the ID of the forwarded delivery that returned; null if it may be another sender's.
     * Call once per request.
     */
    takeReturned(arrivedRequest: ArrivedRequest): string | null {
      if (kept.size === 0 || arrivedRequest.signature === null) return null
      const forwarded = kept.get(keyOf(arrivedRequest))
      if (forwarded === undefined || forwarded.until <= clock.monotonic()) return null
      if (forwarded.copiesLeft === 0) return forwarded.deliveryId
      forwarded.copiesLeft--
      return null
    },
  }
}

/**
 * Creates a table of requests in progress; duplicates of one millisecond are matched in order of
 * arrival.
 */
function createRequestsInProgress<State>() {
  const inProgress = new Map<
    string,
    readonly { readonly body: Uint8Array; readonly state: State }[]
  >()
  return {
    /** Announces a request; returns the function to call when it has ended. */
    add(request: OwnRequest, state: State): () => void {
      const key = signatureKey(request)
      const entry = { body: request.body, state }
      inProgress.set(key, [...(inProgress.get(key) ?? []), entry])
      return () => {
        const left = (inProgress.get(key) ?? []).filter((one) => one !== entry)
        if (left.length === 0) inProgress.delete(key)
        else inProgress.set(key, left)
      }
    },
    find(arrivedRequest: ArrivedRequest, fits: (state: State) => boolean): State | undefined {
      if (inProgress.size === 0) return undefined
      return inProgress
        .get(signatureKey(arrivedRequest))
        ?.find(({ body, state }) => fits(state) && sha256Of(body) === arrivedRequest.bodySha256)
        ?.state
    },
  }
}

/** Returns signature and timestamp as a key; requests that share it differ in their bodies. */
function signatureKey({
  signature,
  timestamp,
}: Pick<ArrivedRequest, 'signature' | 'timestamp'>): string {
  return `${signature ?? ''}\n${timestamp ?? ''}`
}

const sha256Of = (body: Uint8Array) => hash('sha256', body, 'hex')

/** Returns a key that is equal before sending and after arrival. */
const keyOf = (arrivedRequest: ArrivedRequest) =>
  hash('sha256', `${signatureKey(arrivedRequest)}\n${arrivedRequest.bodySha256}`, 'base64')
