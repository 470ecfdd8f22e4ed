/** How a target does, by what came of the sends to it: its light, and when it is tried again where nobody is there. */
import type { ForwardLight } from '../../shared/model/forward.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from '../outgoing/send.ts'

/** What is shown of it, beside what waits for it. */
export interface QueueState {
  readonly light: Exclude<ForwardLight, 'paused' | 'off'>
  readonly problem: string | null
  /** By the wall clock, in milliseconds; null where it is not down. */
  readonly nextTryAt: number | null
  readonly passed: number
  readonly failed: number
  readonly lastSentAt: number | null
}

export interface TargetState {
  shown(): QueueState
  /** Nothing is sent there now: nobody was there, and the next try is not due. */
  isWaiting(): boolean
  /** A send to it begins. */
  sent(): void
  /** What came of a send to `url`. `waits`: whether everything waits where nobody was there. */
  heard(url: string, result: SendResult, verdict: ForwardVerdict, waits: boolean): void
  /** A delivery is through with it. */
  counted(passed: boolean): void
  /** Something of our own went wrong: it is tried again as where nobody is there. */
  stumbled(problem: string): void
  /** It is elsewhere than before: nothing is known of it. */
  begin(): void
  /** The next try is due now. */
  tryNow(): void
  /** Nothing becomes due any more. */
  stop(): void
}

/** `onDue` hears that the next try is due by itself. */
export function createTargetState(clock: Pick<Clock, 'now' | 'sleep'>, onDue: () => void): TargetState {
  let light: QueueState['light'] = 'new'
  let problem: string | null = null
  let nextTryAt: number | null = null
  /** Times in a row that nobody was there. */
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

  function tryNow(): void {
    timer?.abort()
    nextTryAt = null
  }

  return {
    shown: () => ({ light, problem, nextTryAt, passed, failed, lastSentAt }),
    isWaiting: () => nextTryAt !== null,
    sent() {
      lastSentAt = clock.now()
    },
    heard(url, result, verdict, waits) {
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
    counted(isPassed) {
      if (isPassed) passed++
      else failed++
    },
    stumbled(sentence) {
      problem = sentence
      waitForTry()
    },
    begin() {
      light = 'new'
      problem = null
      absences = 0
      tryNow()
    },
    tryNow,
    stop() {
      timer?.abort()
    },
  }
}

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
function backOff(times: number): number {
  return Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.min(times - 1, 10))
}

/**
 * What came of a try says of a target: whether it is up, answers but does not acknowledge, or is not there at all; and what becomes
 * of the delivery.
 */
export function judgeForward(result: SendResult, acknowledged: boolean): ForwardVerdict {
  if (acknowledged) return 'passed'
  const { status, failure } = result
  if (status === null && failure !== null && NOBODY_THERE.has(failure.kind)) return 'wait'
  return failure === null && status !== null && NOBODY_BEHIND.has(status) ? 'wait' : 'again'
}

/** What a target's light says of the last try, and in a sentence what is the matter; null where nothing is. */
function lightOf(
  verdict: ForwardVerdict,
  { status, failure }: SendResult,
  host: string,
): { light: Extract<ForwardLight, 'up' | 'failing' | 'down'>; problem: string | null } {
  if (verdict === 'passed') return { light: 'up', problem: null }
  const problem = failure?.message ?? `${host} returned ${status ?? 'no response'}, so the delivery isn't acknowledged.`
  return { light: verdict === 'wait' ? 'down' : 'failing', problem }
}
