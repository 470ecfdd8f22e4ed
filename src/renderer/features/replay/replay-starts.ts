/** Starts replays: asks for missing consent, then prepares up to a million requests, which takes seconds and can be cancelled. */
import type { StoreApi } from 'zustand/vanilla'
import type { InputOf, OutputOf, PayloadOf } from '../../../shared/contract/contract.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { questionOf, type ConsentQuestion } from '../../state/consent-question.ts'

export interface ReplayStarts {
  /** How many requests are prepared; null if preparing is quick. */
  readonly starting: Pick<PayloadOf<'replay.preparing'>, 'written' | 'total'> | null
  preparing(told: PayloadOf<'replay.preparing'>): void
  /** Cancels the preparation before any request is sent. */
  giveUpStart(): void
}

interface StartsOfReplays {
  readonly state: ReplayStarts
  /** Cancels all preparations; false if there are none. */
  giveUp(): boolean
  /** Calls `replay.start`; null if cancelled. */
  start(input: Omit<InputOf<'replay.start'>, 'startId'>): Promise<OutputOf<'replay.start'> | null>
}

export function createReplayStarts(
  client: Client,
  set: StoreApi<ReplayStarts>['setState'],
): StartsOfReplays {
  const starts = new Map<string, AbortController>()

  function giveUp(): boolean {
    for (const givingUp of starts.values()) givingUp.abort()
    return starts.size > 0
  }

  return {
    giveUp,
    state: {
      starting: null,
      preparing({ startId, written, total }) {
        if (starts.has(startId)) set({ starting: { written, total } })
      },
      giveUpStart: giveUp,
    },
    async start(input) {
      const startId = crypto.randomUUID()
      const givingUp = new AbortController()
      starts.set(startId, givingUp)
      try {
        return await client.call('replay.start', { ...input, startId }, { signal: givingUp.signal })
      } catch (error) {
        if (givingUp.signal.aborted) return null
        throw error
      } finally {
        starts.delete(startId)
        set({ starting: null })
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
