/**
 * What was passed on a moment ago, by what the receiver sees of it: an endpoint may answer first and pass the delivery on later, and
 * what leads back to the receiver then would go round for ever. Hashes are kept and no bodies, the newest of them alone.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/deps.ts'
import { keyOfOwn, keyOfSeen, type OwnRequest, type Seen } from './seen-request.ts'

export interface PassedOn {
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
