/** A target's status from its latest results, and when to retry while it is down. */
import type { ForwardStatus } from '../../shared/model/forward.ts'
import type { Clock } from '../base/deps.ts'
import { NOT_CONNECTED, type SendResult } from '../outgoing/send.ts'

interface QueueState {
  readonly light: Exclude<ForwardStatus, 'paused' | 'off'>
  readonly problem: string | null
  /** Time of the next attempt in milliseconds since the epoch; null if the target isn't down. */
  readonly nextTryAt: number | null
  readonly passed: number
  readonly failed: number
  readonly lastSentAt: number | null
}

/**
 * Verdict of an attempt: `retry` sends this delivery again, `target-down` pauses all until the
 * target is up.
 */
export type ForwardVerdict = 'passed' | 'retry' | 'target-down'

/** Statuses that a proxy returns if the handler behind it isn't running. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

const FIRST_BACK_OFF_MS = 500
const MAX_BACK_OFF_MS = 30_000

function backOff(times: number): number {
  return Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (times - 1))
}

export function judgeForward(
  { status, failure }: SendResult,
  { isSettled }: { readonly isSettled: boolean },
): ForwardVerdict {
  if (isSettled) return 'passed'
  if (status === null && NOT_CONNECTED.has(failure?.kind)) return 'target-down'
  return failure === null && status !== null && GATEWAY_STATUSES.has(status)
    ? 'target-down'
    : 'retry'
}

function statusOf(
  verdict: ForwardVerdict,
  { status, failure }: SendResult,
  host: string,
): { light: Extract<ForwardStatus, 'up' | 'failing' | 'down'>; problem: string | null } {
  if (verdict === 'passed') return { light: 'up', problem: null }
  const problem =
    failure?.message ??
    `${host} returned ${status ?? 'no response'}, so the delivery isn't acknowledged.`
  return { light: verdict === 'target-down' ? 'down' : 'failing', problem }
}

export class TargetState {
  readonly #clock: Pick<Clock, 'now' | 'sleep'>
  readonly #onDue: () => void
  #shown: QueueState = {
    light: 'new',
    problem: null,
    nextTryAt: null,
    passed: 0,
    failed: 0,
    lastSentAt: null,
  }
  #downCount = 0
  #timer = new AbortController()

  constructor(clock: Pick<Clock, 'now' | 'sleep'>, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  get shown(): QueueState {
    return this.#shown
  }

  /** Whether the target is down and its next attempt isn't due. */
  isWaiting(): boolean {
    return this.#shown.nextTryAt !== null
  }

  noteSend(): void {
    this.#change({ lastSentAt: this.#clock.now() })
  }

  /** Records an attempt's result; `pausesQueue` lets all deliveries wait if the target is down. */
  noteResult(
    url: string,
    result: SendResult,
    { verdict, pausesQueue }: { readonly verdict: ForwardVerdict; readonly pausesQueue: boolean },
  ): void {
    this.#change(statusOf(verdict, result, new URL(url).host))
    if (verdict === 'target-down') {
      if (pausesQueue) this.#waitForTry()
      return
    }
    this.#downCount = 0
    this.tryNow()
  }

  count(outcome: 'passed' | 'failed'): void {
    this.#change({ [outcome]: this.#shown[outcome] + 1 })
  }

  /** Shows an internal error and retries as if the target were down. */
  noteError(problem: string): void {
    this.#change({ problem })
    this.#waitForTry()
  }

  reset(): void {
    this.#change({ light: 'new', problem: null })
    this.#downCount = 0
    this.tryNow()
  }

  tryNow(): void {
    this.#timer.abort()
    this.#change({ nextTryAt: null })
  }

  #waitForTry(): void {
    const ms = backOff(++this.#downCount)
    this.#timer.abort()
    const timer = new AbortController()
    this.#timer = timer
    this.#change({ nextTryAt: this.#clock.now() + ms })
    void this.#clock.sleep(ms, timer.signal).then(() => {
      if (timer.signal.aborted) return
      this.#change({ nextTryAt: null })
      this.#onDue()
    })
  }

  #change(changes: Partial<QueueState>): void {
    this.#shown = { ...this.#shown, ...changes }
  }
}
