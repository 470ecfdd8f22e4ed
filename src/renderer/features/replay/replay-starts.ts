/** Starting replays: asks for consent until none is missing. Up to a million sends are written down before the first is sent, which takes seconds and can be cancelled. */
import type { StoreApi } from 'zustand/vanilla'
import type { InputOf, OutputOf, PayloadOf } from '../../../shared/contract/contract.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { questionOf, type ConsentQuestion } from '../../state/consent-question.ts'

export interface ReplayStarts {
  /** How many sends of a start are written down; null where none takes long. */
  readonly starting: Pick<PayloadOf<'replay.preparing'>, 'written' | 'total'> | null
  preparing(told: PayloadOf<'replay.preparing'>): void
  /** Nothing of what is being started goes. */
  giveUpStart(): void
}

export interface StartsOfReplays {
  readonly state: ReplayStarts
  /** Gives up all that is being started; false where nothing is. */
  giveUp(): boolean
  /** Calls `replay.start`; null where it was given up. */
  start(input: Omit<InputOf<'replay.start'>, 'startId'>): Promise<OutputOf<'replay.start'> | null>
}

export function createReplayStarts(client: Client, set: StoreApi<ReplayStarts>['setState']): StartsOfReplays {
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

/** So many go without a question. */
const UNASKED = 25

/** What is agreed to; hosts for as long as the window runs, the others for one replay. */
export interface Consent {
  readonly allowHosts: string[]
  readonly live: boolean
  readonly most: number
}

/**
 * Calls until nothing more has to be agreed to. Null where something was not; rejects with any other refusal. `hosts` gains those
 * that were agreed to.
 */
export async function withConsent<T>(
  hosts: Set<string>,
  ask: (question: ConsentQuestion) => Promise<boolean>,
  call: (consent: Consent) => Promise<T>,
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
