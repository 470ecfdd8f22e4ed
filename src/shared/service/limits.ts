/**
 * The limits of the service (section 8), the waits of its deliveries and which responses acknowledge one (section 6.4). Times
 * in milliseconds.
 */
import type { Environment } from '../model/environment.ts'

/** Hooks per event type and program. */
export const MAX_HOOKS_PER_EVENT = 10
export const MAX_CUSTOM_HEADERS = 5
/** Characters; the least is 1 for both. */
export const MAX_HEADER_NAME_LENGTH = 64
export const MAX_HEADER_VALUE_LENGTH = 1_000
/** A delivery that is not answered within this time has failed. */
export const ACKNOWLEDGE_TIMEOUT_MS = 20_000
/** How long the service waits after the first and after the second failure: three attempts in all. */
export const ATTEMPT_WAITS_MS = [60_000, 120_000] as const
export const MAX_ATTEMPTS = ATTEMPT_WAITS_MS.length + 1
/** The age above which a receiver is advised to refuse a signature (section 5.2). */
export const REPLAY_WINDOW_MS = 300_000

/** Whether a status acknowledges: 200 only, as the interface says, or any 2xx where the environment's rule is that. */
export function acknowledges(status: number, rule: Environment['ack']): boolean {
  return rule === '200' ? status === 200 : status >= 200 && status < 300
}
