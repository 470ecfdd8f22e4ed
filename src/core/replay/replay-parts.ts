/**
 * Replays that are wished for as one and go to several endpoints, each in a job of its own: what has to be agreed to, and what is
 * refused, is found out of all of them before the first goes. Else half would have gone by the time that the rest is asked about.
 */
import { checkTargetCa, type Guard } from '../dispatch/guarded-sender.ts'
import { checkTarget } from '../dispatch/target-policy.ts'
import type { Store } from '../store/store.ts'
import { checkCount, confirmLiveOnes } from './consent.ts'
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
  readonly allowHosts: readonly string[]
  /** Confirms what is of a live environment. */
  readonly live: boolean
}

export interface ReplayPartsDeps extends ReplayRequestsDeps {
  readonly store: ReplayRequestsDeps['store'] & Pick<Store, 'search' | 'settled'>
  readonly guard: Pick<Guard, 'policyFor'>
}

/**
 * Gives what looks at all of them. It rejects with what the start of one of them would be refused for, `CONFIRMATION_REQUIRED` being
 * about all of them together; nothing is sent.
 */
export function createReplayParts(deps: ReplayPartsDeps): (input: CheckParts, signal: AbortSignal) => Promise<void> {
  const { store, guard } = deps
  const requests = createReplayRequests(deps)
  return async ({ parts, most, allowHosts, live }, signal) => {
    const policy = guard.policyFor(allowHosts)
    const targets = new Set<string>()
    const liveOnes: (string | null)[] = []
    let count = 0
    for (const { ids, to, targetCa } of parts) {
      checkTargetCa(targetCa)
      const { seqs, kinds } = await selectDeliveries(store, { ids, query: undefined }, signal)
      count += seqs.length
      liveOnes.push(...kinds.filter(({ mode }) => mode === 'live').map(({ environment }) => environment))
      for (const target of requests.targetsOf(kinds, { to, hookId: null })) targets.add(target)
    }
    checkCount(count, most)
    confirmLiveOnes(liveOnes, live)
    for (const target of targets) await checkTarget(new URL(target), policy)
  }
}
