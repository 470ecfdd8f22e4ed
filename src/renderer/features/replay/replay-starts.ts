/** Starts of replays: there may be a million sends to write down before the first goes, which takes seconds and can be given up. */
import type { StoreApi } from 'zustand/vanilla'
import type { InputOf, OutputOf, PayloadOf } from '../../../shared/contract/contract.ts'
import type { Client } from '../../../shared/rpc/client.ts'

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
