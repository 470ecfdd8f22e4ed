/**
 * Deliveries that a flow leaves without an answer on purpose, so that the service gives up on them after 20 seconds (section 6.4). At
 * real or any finite speed these are seconds of the wall clock. As fast as possible nobody waits for them: once such a delivery
 * has arrived, the clock of the run leaps by what is left of its 20 seconds, and only then the attempt at it times out. No other
 * attempt is cut short, however busy the machine is.
 */
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { RunHook } from './run-hooks.ts'
import type { RunTime } from './run-time.ts'

export interface HeldAnswers {
  /** For an attempt at a URL that begins now: ends its wait as though its time had run out. */
  timeOutOf(url: string): AbortSignal
  /** A delivery has arrived: holds it where the flow wants that. `leaps`: the run goes as fast as possible. */
  arrived(hook: RunHook, leaps: boolean): Promise<void>
  /** From now on the run goes as fast as possible: what is held leaps too. */
  leap(): Promise<void>
}

interface Held {
  readonly url: string
  /** When it arrived, by the clock of the run. */
  readonly since: number
}

export interface HeldAnswersDeps {
  readonly time: Pick<RunTime, 'now'>
  /** Lets so many milliseconds of business time pass at once. */
  jump(ms: number): Promise<void>
  /** From now on deliveries of this hook are answered 200. */
  answerPlainly(hook: RunHook): Promise<void>
}

export function createHeldAnswers({ time, jump, answerPlainly }: HeldAnswersDeps): HeldAnswers {
  const counts = new Map<string, number>()
  /** Of each URL, the attempts that have begun and may time out, the oldest first. */
  const attempts = new Map<string, AbortController[]>()
  let held: readonly Held[] = []

  async function giveUp({ url, since }: Held): Promise<void> {
    await jump(Math.max(0, since + ACKNOWLEDGE_TIMEOUT_MS - time.now()))
    attempts.get(url)?.shift()?.abort()
  }

  return {
    timeOutOf(url) {
      const attempt = new AbortController()
      attempts.set(url, [...(attempts.get(url) ?? []), attempt])
      return attempt.signal
    },
    async arrived(hook, leaps) {
      const { id, url, wanted } = hook
      const most = wanted?.answers?.holdFirst ?? 0
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      // It is answered, so it needs no end.
      if (count > most) {
        attempts.get(url)?.shift()
        return
      }
      if (count === most) await answerPlainly(hook)
      const one: Held = { url, since: time.now() }
      if (leaps) await giveUp(one)
      else held = [...held, one]
    },
    async leap() {
      const now = held
      held = []
      for (const one of now) await giveUp(one)
    },
  }
}
