/** A target's status from its latest results, and when to retry while it is down. */
import type { ForwardLight } from '../../shared/model/forward.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from '../outgoing/send.ts'

/** The shown state, without pending deliveries. */
export interface QueueState {
  readonly light: Exclude<ForwardLight, 'paused' | 'off'>
  readonly problem: string | null
  /** By the wall clock, in milliseconds; null if the target isn't down. */
  readonly nextTryAt: number | null
  readonly passed: number
  readonly failed: number
  readonly lastSentAt: number | null
}

export type TargetState = ReturnType<typeof createTargetState>

/** `onDue` is called when the next attempt is due. */
export function createTargetState(clock: Pick<Clock, 'now' | 'sleep'>, onDue: () => void) {
  let light: QueueState['light'] = 'new'
  let problem: string | null = null
  let nextTryAt: number | null = null
  /** Consecutive times the target was down. */
  let absences = 0
  let passed = 0
  let failed = 0
  let lastSentAt: number | null = null
  let timer: AbortController | null = null

  function waitForTry(): void {
    const ms = backOff(++absences)
    nextTryAt = clock.now() + ms
    timer?.abort()
    const mine = new AbortController()
    timer = mine
    void clock.sleep(ms, mine.signal).then(() => {
      if (mine.signal.aborted) return
      nextTryAt = null
      onDue()
    })
  }

  /** Makes the next attempt due now. */
  function tryNow(): void {
    timer?.abort()
    nextTryAt = null
  }

  return {
    shown: (): QueueState => ({ light, problem, nextTryAt, passed, failed, lastSentAt }),
    /** The target is down and the next attempt isn't due, so nothing is sent. */
    isWaiting: () => nextTryAt !== null,
    /** Call when a request begins. */
    sent(): void {
      lastSentAt = clock.now()
    },
    /** Call with the result of a request to `url`. `waits`: whether all deliveries wait if the target is down. */
    heard(url: string, result: SendResult, verdict: ForwardVerdict, waits: boolean): void {
      const next = lightOf(verdict, result, new URL(url).host)
      light = next.light
      problem = next.problem
      if (verdict === 'wait') {
        if (waits) waitForTry()
        return
      }
      absences = 0
      tryNow()
    },
    /** Call when a delivery is finished. */
    counted(isPassed: boolean): void {
      if (isPassed) passed++
      else failed++
    },
    /** Call on an internal error. Retries as if the target were down. */
    stumbled(sentence: string): void {
      problem = sentence
      waitForTry()
    },
    /** Call when the URL changed, which resets the status. */
    begin(): void {
      light = 'new'
      problem = null
      absences = 0
      tryNow()
    },
    tryNow,
    /** Cancels the timer. */
    stop(): void {
      timer?.abort()
    },
  }
}

/** `again`: retry this delivery, which counts as an attempt. `wait`: the target is down and everything waits. */
export type ForwardVerdict = 'passed' | 'again' | 'wait'

/** No connection was made, so the delivery didn't arrive. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  'refused',
  'unknown-host',
  'certificate',
  'tls',
  'not-allowed',
])
/** A proxy's status for a handler that isn't running. */
const NOBODY_BEHIND: ReadonlySet<number> = new Set([502, 503, 504])

/** As many attempts as the service makes (section 6.4). */
export const MOST_TRIES = 3
/** Delays before the second and third attempts, in milliseconds. */
export const TRY_WAITS_MS = [1_000, 2_000] as const
const FIRST_BACK_OFF_MS = 500
const LONGEST_BACK_OFF_MS = 30_000

/** How long to pause after this many consecutive failures to connect, in milliseconds. */
function backOff(times: number): number {
  return Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.min(times - 1, 10))
}

/** Classifies a result: the target is up, responds without acknowledging, or is down. Also decides what happens to the delivery. */
export function judgeForward(result: SendResult, acknowledged: boolean): ForwardVerdict {
  if (acknowledged) return 'passed'
  const { status, failure } = result
  if (status === null && failure !== null && NOBODY_THERE.has(failure.kind)) return 'wait'
  return failure === null && status !== null && NOBODY_BEHIND.has(status) ? 'wait' : 'again'
}

/** The status after the last attempt, and the problem in a sentence or null. */
function lightOf(
  verdict: ForwardVerdict,
  { status, failure }: SendResult,
  host: string,
): { light: Extract<ForwardLight, 'up' | 'failing' | 'down'>; problem: string | null } {
  if (verdict === 'passed') return { light: 'up', problem: null }
  const problem =
    failure?.message ??
    `${host} returned ${status ?? 'no response'}, so the delivery isn't acknowledged.`
  return { light: verdict === 'wait' ? 'down' : 'failing', problem }
}
