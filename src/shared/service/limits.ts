/**
 * The service's limits (section 8), its retry delays and the responses that acknowledge a delivery (section 6.4). Times in
 * milliseconds.
 */

/** Hooks per event type and program. */
export const MAX_HOOKS_PER_EVENT = 10
export const MAX_CUSTOM_HEADERS = 5
/** Maximum characters; the minimum is 1 for both. */
export const MAX_HEADER_NAME_LENGTH = 64
export const MAX_HEADER_VALUE_LENGTH = 1_000
/** A delivery without a response within this time has failed. */
export const ACKNOWLEDGE_TIMEOUT_MS = 20_000
/** The words for it everywhere: `no response within 20 s`. */
export const NO_RESPONSE_IN_TIME = `no response within ${ACKNOWLEDGE_TIMEOUT_MS / 1_000} s`
/** Wait after the first and the second failure: three attempts in total. */
export const ATTEMPT_WAITS_MS = [60_000, 120_000] as const
export const MAX_ATTEMPTS = ATTEMPT_WAITS_MS.length + 1
/** Receivers should reject signatures older than this (section 5.2). */
export const REPLAY_WINDOW_MS = 300_000

/** Whether a status acknowledges: only 200 per the spec, or any 2xx if the environment's rule allows it. */
export function acknowledges(status: number, rule: '200' | '2xx'): boolean {
  return rule === '200' ? status === 200 : status >= 200 && status < 300
}

/** Whether the service gives up (section 6.4): this was the last attempt, and its response doesn't acknowledge it. */
export function isExhausted(
  {
    attempt,
    answer: { status, ms },
  }: {
    readonly attempt: number
    /** Without a status and a time, the connection is still open. */
    readonly answer: { readonly status: number | null; readonly ms: number | null }
  },
  rule: '200' | '2xx',
): boolean {
  const isFailed = status === null ? ms !== null : !acknowledges(status, rule)
  return isFailed && attempt >= MAX_ATTEMPTS
}

/** How many bytes of the receiver's own response are stored. Not in the spec. */
export const KEPT_RESPONSE_BYTES = 65_536
