/** Signers of deliveries, right and with faults; `core/sandbox` makes faults of order and time. */
import type { KeyObject } from 'node:crypto'
import { signedUrlOf } from '../../shared/model/replay-edits.ts'
import type { Fault } from '../../shared/model/notification.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { alterBody } from './alter-body.ts'
import { secretKey, signDelivery } from './sign.ts'

/** Signed parts of an attempt; a fault may change the body afterwards. */
export interface SignedAttempt {
  readonly body: Uint8Array
  readonly timestamp: string
  readonly signature: string
}

/** Signer of one attempt; each has a new timestamp (section 5.2). */
export type Signer = (body: Uint8Array, url: string, wallTime: number) => SignedAttempt

function validSigner(key: KeyObject): Signer {
  return (body, url, wallTime) => {
    const timestamp = String(Math.trunc(wallTime))
    return { body, timestamp, signature: signDelivery({ body, url, timestamp, key }).signature }
  }
}

/** Age of a stale signature in milliseconds, twice the limit that section 5.2 recommends. */
const STALE_BY_MS = 600_000
/** Delay of a late delivery after its event in milliseconds. */
export const LATE_BY_MS = 86_400_000

export function signerFor(fault: Fault | null, key: KeyObject): Signer {
  const valid = validSigner(key)
  switch (fault) {
    case 'wrong-secret':
      return validSigner(secretKey('not-the-secret-of-this-hook'))
    case 'single-pass':
      return (body, url, wallTime) => {
        const timestamp = String(Math.trunc(wallTime))
        return { body, timestamp, signature: signDelivery({ body, url, timestamp, key }).inner }
      }
    case 'stale':
      return (body, url, wallTime) => valid(body, url, wallTime - STALE_BY_MS)
    case 'altered-body':
      return (body, url, wallTime) => ({ ...valid(body, url, wallTime), body: alterBody(body) })
    case 'duplicate':
    case 'out-of-order':
    case 'late':
    case null:
      return valid
  }
}

const faultByTamper: Partial<Record<Tamper, Fault>> = {
  body: 'altered-body',
  secret: 'wrong-secret',
  stale: 'stale',
  'single-pass': 'single-pass',
}

/** Signs a tampered request; the caller leaves out headers. */
export function signTampered(
  { key, url }: { readonly key: KeyObject; readonly url: string },
  body: Uint8Array,
  tamper: Tamper | null,
  wallTime: number,
): SignedAttempt {
  const signedUrl = signedUrlOf(url, tamper)
  if (tamper === 'future') return validSigner(key)(body, signedUrl, wallTime + STALE_BY_MS)
  return signerFor(tamper === null ? null : (faultByTamper[tamper] ?? null), key)(
    body,
    signedUrl,
    wallTime,
  )
}
