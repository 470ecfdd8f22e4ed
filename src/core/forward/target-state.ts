/** How a target does, by what came of the sends to it: its light, and when it is tried again where nobody is there. */
import type { ForwardLight } from '../../shared/model/forward.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from '../outgoing/send.ts'
import { backOff, lightOf, type ForwardVerdict } from './health.ts'

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
