/** How old a signature was when its delivery arrived (section 5.2): judged once, at receipt, by the wall clock. */
import type { Freshness } from '../../shared/model/delivery.ts'
import { REPLAY_WINDOW_MS } from '../../shared/service/limits.ts'

/** The header's value as milliseconds since the epoch, or null where it is not a plain decimal number. */
export function parseTimestamp(value: string | null): number | null {
  return value !== null && /^-?\d{1,17}$/.test(value) ? Number(value) : null
}

/** Judges the timestamp header's value against the time of receipt, in milliseconds since the epoch; both edges of the window are still fresh. */
export function judgeFreshness(timestamp: string | null, receivedAt: number, windowMs: number = REPLAY_WINDOW_MS): Freshness {
  const signedAt = parseTimestamp(timestamp)
  if (signedAt === null) return 'missing'
  const age = receivedAt - signedAt
  if (age > windowMs) return 'stale'
  return age < -windowMs ? 'future' : 'fresh'
}
