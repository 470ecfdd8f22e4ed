/**
 * Decides whether a target responds to a stored delivery. Runs on the receiver's thread, so it reads only memory, and it isn't
 * called if no target responds.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'
import { createFilter } from '../../shared/query/matches.ts'
import type { Query } from '../../shared/query/query.ts'
import { guessEvents } from '../../shared/service/payload.ts'
import { type Decision, PLAIN_DECISION } from '../receiver/ruling.ts'
import type { StoredTarget } from '../store/forward-repo.ts'
import type { Claims } from './claims.ts'

/** A larger body isn't parsed on this thread. The rule responds, and the delivery is forwarded afterwards. */
const LOOKED_INTO_BYTES = 1_048_576

/** The response that replaces the rule's; null to keep the rule's. */
export type Answerer = (delivery: SearchedDelivery) => Promise<Decision> | null

export interface AnsweringDeps {
  readonly claims: Claims
  /** Parses a filter. Throws `INVALID_QUERY`. */
  readRoute(query: string): Query
  /** Whether a hook's deliveries may go to a target. A live hook's need confirmation. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /** Queues a delivery for a target whose response the service waits for. */
  enqueue(target: StoredTarget, deliverySeq: number): Promise<void>
}

/** Here the event is known only if a key proved it. Otherwise it is inferred from the payload, as it will be stored in a moment. */
function withEvent(delivery: SearchedDelivery): SearchedDelivery {
  if (delivery.event !== null) return delivery
  const events = guessEvents(delivery.body)
  return events.length === 1
    ? { ...delivery, event: events[0] ?? null, eventSource: 'payload' }
    : { ...delivery, eventCandidates: [...events] }
}

function fits(query: Query, delivery: SearchedDelivery): boolean {
  return createFilter(query)(delivery)
}

/** The first matching target responds. Null if no target can match. */
export function createAnswerer(
  targets: readonly StoredTarget[],
  deps: AnsweringDeps,
): Answerer | null {
  const answering = targets.filter(
    ({ settings, paused }) => settings.on && !paused && settings.answer !== 'rule',
  )
  if (answering.length === 0) return null

  function isFor(target: StoredTarget, delivery: SearchedDelivery): boolean {
    try {
      return (
        deps.isAgreed(target, delivery.hookId) &&
        fits(deps.readRoute(target.settings.query), delivery)
      )
    } catch (error) {
      // A hook named in the filter may be gone. Then no delivery matches it.
      if (error instanceof AppError) return false
      throw error
    }
  }

  return (received) => {
    if (received.body.length > LOOKED_INTO_BYTES) return null
    const delivery = withEvent(received)
    const target = answering.find((one) => isFor(one, delivery))
    if (target === undefined) return null
    if (target.settings.answer === 'at-once') return Promise.resolve(PLAIN_DECISION)
    const answer = deps.claims.make(target.id, delivery.seq)
    deps.enqueue(target, delivery.seq).catch((error: unknown) => {
      deps.claims.get(target.id, delivery.seq)?.fail((error as Error).message)
    })
    return answer
  }
}
