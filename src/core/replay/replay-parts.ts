/**
 * Replays that are wished for as one and go to several endpoints, each in a job of its own: what has to be agreed to, and what is
 * refused, is found out of all of them before the first goes. Else half would have gone by the time that the rest is asked about.
 */
import { confirmCount, REPLAYING, type Admission, type Consent } from '../outgoing/admit.ts'
import type { Store } from '../store/store.ts'
import { createReplayRequests, type ReplayRequestsDeps } from './replay-requests.ts'
import { selectDeliveries } from './select-deliveries.ts'

export interface ReplayPart {
  readonly ids: readonly string[]
  /** Null: the registered URL of each delivery's hook. */
  readonly to: string | null
  readonly targetCa: string | null
}

export interface CheckParts {
  readonly parts: readonly ReplayPart[]
  /** More sends than so many, all together, are refused; null: as many as there are. */
  readonly most: number | null
  readonly consent: Consent
}

export interface ReplayPartsDeps extends ReplayRequestsDeps {
  readonly store: ReplayRequestsDeps['store'] & Pick<Store, 'search' | 'settled'>
  readonly admit: Admission['admit']
}

/**
 * Gives what looks at all of them. It rejects with what the start of one of them would be refused for, `CONFIRMATION_REQUIRED` being
 * about all of them together; nothing is sent.
 */
export function createReplayParts(deps: ReplayPartsDeps): (input: CheckParts, signal: AbortSignal) => Promise<void> {
  const { store, admit } = deps
  const requests = createReplayRequests(deps)
  return async ({ parts, most, consent }, signal) => {
    const targets = new Set<string>()
    const hookIds = new Set<string | null>()
    let count = 0
    for (const { ids, to, targetCa } of parts) {
      await admit({ targets: [], targetCa, signers: {}, what: REPLAYING }, consent)
      const { seqs, kinds } = await selectDeliveries(store, { ids, query: undefined }, signal)
      count += seqs.length
      for (const { hookId } of kinds) hookIds.add(hookId)
      for (const target of requests.targetsOf(kinds, { to, hookId: null })) targets.add(target)
    }
    confirmCount(count, most)
    await admit({ targets: [...targets], targetCa: null, signers: { hookIds: [...hookIds] }, what: REPLAYING }, consent)
  }
}
