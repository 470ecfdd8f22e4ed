/**
 * What came of a try says of a target: whether it is up, answers but does not acknowledge, or is not there at all; and what becomes
 * of the delivery.
 */
import type { ForwardLight } from '../../shared/model/forward.ts'
import type { SendResult } from '../outgoing/send.ts'

/** `again`: the same delivery is tried again, it counts as a try. `wait`: nobody is there; everything waits. */
export type ForwardVerdict = 'passed' | 'again' | 'wait'

/** No connection came about, so the delivery did not arrive. */
const NOBODY_THERE: ReadonlySet<string> = new Set(['refused', 'unknown-host', 'certificate', 'tls', 'not-allowed'])
/** What a proxy answers in front of a handler that is not running. */
const NOBODY_BEHIND: ReadonlySet<number> = new Set([502, 503, 504])

/** As often as the service itself tries (section 6.4). */
export const MOST_TRIES = 3
/** How long is waited before the second and the third try, in milliseconds. */
export const TRY_WAITS_MS = [1_000, 2_000] as const
const FIRST_BACK_OFF_MS = 500
const LONGEST_BACK_OFF_MS = 30_000

/** How long nothing is sent to a target that was not there so many times in a row, in milliseconds. */
export function backOff(times: number): number {
  return Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.min(times - 1, 10))
}

export function judgeForward(result: SendResult, acknowledged: boolean): ForwardVerdict {
  if (acknowledged) return 'passed'
  const { status, failure } = result
  if (status === null && failure !== null && NOBODY_THERE.has(failure.kind)) return 'wait'
  return failure === null && status !== null && NOBODY_BEHIND.has(status) ? 'wait' : 'again'
}

/** What a target's light says of the last try, and in a sentence what is the matter; null where nothing is. */
export function lightOf(
  verdict: ForwardVerdict,
  { status, failure }: SendResult,
  host: string,
): { light: Extract<ForwardLight, 'up' | 'failing' | 'down'>; problem: string | null } {
  if (verdict === 'passed') return { light: 'up', problem: null }
  const problem = failure?.message ?? `${host} answered ${status ?? 'nothing'}, which does not acknowledge the delivery.`
  return { light: verdict === 'wait' ? 'down' : 'failing', problem }
}
