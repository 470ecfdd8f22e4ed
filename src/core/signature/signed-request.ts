/** A delivery as it goes out: signed at this moment over the registered URL, with the hook's custom headers (sections 4.4 and 5.2). */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { signDelivery } from './sign.ts'

/** What one attempt sends: the body may differ from the one signed where a fault asks for that. */
export interface SignedAttempt {
  readonly body: Uint8Array
  readonly timestamp: string
  readonly signature: string
}

/** Makes an attempt's signature; called anew for each attempt, because a retry has a new timestamp (section 5.2). */
export type Signer = (body: Uint8Array, url: string, wallTime: number) => SignedAttempt

/** Signs as the interface says: the present wall-clock time in milliseconds, HMAC-SHA-256 with Base-64 twice. */
export function genuineSigner(key: KeyObject): Signer {
  return (body, url, wallTime) => {
    const timestamp = String(Math.trunc(wallTime))
    return { body, timestamp, signature: signDelivery({ body, url, timestamp, key }).signature }
  }
}

export function deliveryHeaders(prefix: string, attempt: SignedAttempt, custom: Readonly<Record<string, string>>): RawHeaders {
  const names = headerNames(prefix)
  return [
    ['content-type', 'application/json'],
    [names.signature, attempt.signature],
    [names.timestamp, attempt.timestamp],
    ...Object.entries(custom),
  ]
}
