/** Starts replays: asks for missing consent, then selects up to a million deliveries, which takes seconds and can be cancelled. */
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { questionOf, type ConsentQuestion } from '../../state/consent-question.ts'

export function createReplayStarts(client: Client) {
  const starts = new Set<AbortController>()
  return {
    /** Cancels all starts before any request is sent; false if there are none. */
    giveUp(): boolean {
      for (const givingUp of starts) givingUp.abort()
      return starts.size > 0
    },
    /** Calls `replay.start`; null if cancelled. */
    async start(input: InputOf<'replay.start'>): Promise<OutputOf<'replay.start'> | null> {
      const givingUp = new AbortController()
      starts.add(givingUp)
      try {
        return await client.call('replay.start', input, { signal: givingUp.signal })
      } catch (error) {
        if (givingUp.signal.aborted) return null
        throw error
      } finally {
        starts.delete(givingUp)
      }
    },
  }
}

/** Replays up to this size need no confirmation. */
const UNASKED = 25

/** Given consent. Hosts are remembered for the window, the rest for one replay. */
export interface ReplayConsent {
  readonly allowHosts: string[]
  readonly live: boolean
  readonly most: number
}

/** Repeats the call until no consent is missing. Null if denied; rejects on other errors. Adds allowed hosts to `hosts`. */
export async function withConsent<T>(
  hosts: Set<string>,
  ask: (question: ConsentQuestion) => Promise<boolean>,
  call: (consent: ReplayConsent) => Promise<T>,
): Promise<T | null> {
  let live = false
  let most = UNASKED
  for (;;) {
    try {
      return await call({ allowHosts: [...hosts], live, most })
    } catch (error) {
      const question = questionOf(error)
      if (question === null) throw error
      if (!(await ask(question))) return null
      if (question.about === 'host') hosts.add(question.host)
      else if (question.about === 'live') live = true
      else most = question.count
    }
  }
}
