/** Signs deliveries with faults; `core/sandbox` makes those of order, number and time. */
import type { KeyObject } from 'node:crypto'
import { signedUrlOf } from '../../shared/model/replay-edits.ts'
import type { Fault } from '../../shared/model/notification.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { genuineSigner, type SignedAttempt, type Signer } from './signature-headers.ts'
import { secretKey, signDelivery } from './sign.ts'

/** Age of a stale signature in milliseconds, twice the limit that section 5.2 recommends. */
const STALE_BY_MS = 600_000
/** Delay of a late delivery after its event in milliseconds. */
export const LATE_BY_MS = 86_400_000

/** Returns the signer for a fault of the signature, otherwise a correct one. */
export function signerFor(fault: Fault | null, key: KeyObject): Signer {
  const genuine = genuineSigner(key)
  switch (fault) {
    case 'wrong-secret':
      return genuineSigner(secretKey('not-the-secret-of-this-hook'))
    case 'single-pass':
      return (body, url, wallTime) => {
        const timestamp = String(Math.trunc(wallTime))
        return { body, timestamp, signature: signDelivery({ body, url, timestamp, key }).inner }
      }
    case 'stale':
      return (body, url, wallTime) => genuine(body, url, wallTime - STALE_BY_MS)
    case 'altered-body':
      return (body, url, wallTime) => ({ ...genuine(body, url, wallTime), body: alterBody(body) })
    case 'duplicate':
    case 'out-of-order':
    case 'late':
    case null:
      return genuine
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
  if (tamper === 'future') return genuineSigner(key)(body, signedUrl, wallTime + STALE_BY_MS)
  return signerFor(tamper === null ? null : (faultByTamper[tamper] ?? null), key)(
    body,
    signedUrl,
    wallTime,
  )
}

/** Patterns of characters to change: in an id, another value, or any text. */
const CHANGEABLE_PATTERNS = [
  /("id"\s*:\s*")([0-9a-f])/,
  /([:[]\s*"|[:[,]\s*-?(?=\d))([0-9a-z])/i,
  /()([0-9a-z])/i,
]

/** Changes one character of a value; JSON stays valid. */
export function alterBody(body: Uint8Array): Uint8Array {
  // Byte by byte, because the body may not be UTF-8.
  const text = Buffer.from(body).toString('latin1')
  const pattern = CHANGEABLE_PATTERNS.find((candidate) => candidate.test(text))
  const alteredText =
    pattern === undefined
      ? `${text} `
      : text.replace(
          pattern,
          (_, before: string, old: string) => before + (old === '1' ? '2' : '1'),
        )
  return Buffer.from(alteredText, 'latin1')
}
