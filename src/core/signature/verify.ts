/** Verifies deliveries in constant time (section 5.2, step 4). Never throws. */
import { createHmac, timingSafeEqual, type Hmac, type KeyObject } from 'node:crypto'
import { hmacBase64, signDelivery } from './sign.ts'
import type { Freshness } from '../../shared/model/delivery.ts'
import { REPLAY_WINDOW_MS } from '../../shared/service/limits.ts'

export interface Candidate {
  readonly hookId: string
  readonly url: string
  readonly key: KeyObject
}

/** Compares two texts byte by byte in constant time. */
export function equalBytes(left: string, right: string): boolean {
  const a = Buffer.from(left, 'utf8')
  const b = Buffer.from(right, 'utf8')
  // The length of a digest isn't secret.
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Whether the candidate's secret produces the signature. */
export function isSignedBy(
  { key, url }: Pick<Candidate, 'key' | 'url'>,
  body: Uint8Array,
  timestamp: string,
  received: string,
): boolean {
  return equalBytes(signDelivery({ body, url, timestamp, key }).signature, received)
}

/** Verification of a body that is too large to keep. */
export interface StreamedVerification {
  update(chunk: Uint8Array): void
  /** Returns the matching candidate, if any; call it once. */
  finish(timestamp: string, received: string): Candidate | null
}

export function createStreamedVerification(candidates: readonly Candidate[]): StreamedVerification {
  const streams: { candidate: Candidate; hmac: Hmac }[] = candidates.map((candidate) => ({
    candidate,
    hmac: createHmac('sha256', candidate.key),
  }))
  return {
    update(chunk) {
      for (const { hmac } of streams) hmac.update(chunk)
    },
    finish(timestamp, received) {
      for (const { candidate, hmac } of streams) {
        const inner = hmac.update(candidate.url).update(timestamp).digest('base64')
        if (equalBytes(hmacBase64(candidate.key, [inner]), received)) return candidate
      }
      return null
    },
  }
}

/** Parses milliseconds since the epoch; null unless a plain decimal number. */
export function parseTimestamp(value: string | null): number | null {
  return value !== null && /^-?\d{1,17}$/.test(value) ? Number(value) : null
}

/** Compares the timestamp with the receipt, in milliseconds. Both edges of the window are fresh. */
export function judgeFreshness(
  timestamp: string | null,
  receivedAt: number,
  windowMs: number = REPLAY_WINDOW_MS,
): Exclude<Freshness, 'unknown'> {
  const signedAt = parseTimestamp(timestamp)
  if (signedAt === null) return 'missing'
  const age = receivedAt - signedAt
  if (age > windowMs) return 'stale'
  return age < -windowMs ? 'future' : 'fresh'
}
