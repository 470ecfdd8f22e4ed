/** Limits of the service (section 8) and its retries (section 6.4). Times are in milliseconds. */

export const MAX_HOOKS_PER_EVENT = 10
export const MAX_CUSTOM_HEADERS = 5
export const MAX_HEADER_NAME_LENGTH = 64
export const MAX_HEADER_VALUE_LENGTH = 1_000
/** Time without a response after which a delivery has failed. */
export const ACKNOWLEDGE_TIMEOUT_MS = 20_000
export const NO_RESPONSE_IN_TIME = `no response within ${ACKNOWLEDGE_TIMEOUT_MS / 1_000} s`
/** Waits after the first and the second failure. */
export const ATTEMPT_WAITS_MS = [60_000, 120_000] as const
export const MAX_ATTEMPTS = ATTEMPT_WAITS_MS.length + 1
/** Age from which receivers should reject signatures (section 5.2). */
export const REPLAY_WINDOW_MS = 300_000

/** Whether a status acknowledges: 200 per the spec, or any 2xx. */
export function acknowledges(status: number, rule: '200' | '2xx'): boolean {
  return rule === '200' ? status === 200 : status >= 200 && status < 300
}

/** Whether the service gives up (section 6.4), after the last attempt. */
export function isExhausted(
  {
    attempt,
    answer: { status, ms },
  }: {
    readonly attempt: number
    readonly answer: { readonly status: number | null; readonly ms: number | null }
  },
  rule: '200' | '2xx',
): boolean {
  const isFailed = status === null ? ms !== null : !acknowledges(status, rule)
  return isFailed && attempt >= MAX_ATTEMPTS
}

/** Bytes stored of the receiver's own response. */
export const KEPT_RESPONSE_BYTES = 65_536
