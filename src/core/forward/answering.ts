/**
 * Decides, for a delivery that is stored and not yet answered, whether a target has a say in its answer. Asked on the receiver's
 * thread: it looks at what is in memory and at nothing else, and where no target answers it is not asked at all.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'
import { createFilter } from '../../shared/query/matches.ts'
import type { Query } from '../../shared/query/query.ts'
import { guessEvents } from '../../shared/service/payload.ts'
import { type Decision, PLAIN_DECISION } from '../receiver/ruling.ts'
import type { StoredTarget } from '../store/forward-repo.ts'
import type { Claims } from './claims.ts'
import type { Held } from './held.ts'

/** A larger body is not parsed on this thread: its delivery is answered by the rule, and passed on afterwards. */
const LOOKED_INTO_BYTES = 1_048_576

/** Gives what is to be answered in place of the rule's answer; null where that stands. */
export type Answerer = (delivery: SearchedDelivery, rule: Decision) => Promise<Decision> | null

export interface AnsweringDeps {
  readonly claims: Claims
  readonly held: Held
  /** Reads a route. Throws `INVALID_QUERY`. */
  readRoute(query: string): Query
  /** Whether the deliveries of a hook may go to a target: those of a live one only if that was agreed to. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /** Puts a delivery into the queue of a target, as one whose answer is waited for. */
  enqueue(target: StoredTarget, deliverySeq: number): Promise<void>
}

/** The event is known here only where a key proves it: its shape tells it else, as it will be stored in a moment. */
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

/** The first target that the delivery fits answers it; null where none of these could ever. */
export function createAnswerer(targets: readonly StoredTarget[], deps: AnsweringDeps): Answerer | null {
  const answering = targets.filter(({ settings, paused }) => settings.on && !paused && settings.answer !== 'rule')
  if (answering.length === 0) return null

  function isFor(target: StoredTarget, delivery: SearchedDelivery): boolean {
    try {
      return deps.isAgreed(target, delivery.hookId) && fits(deps.readRoute(target.settings.query), delivery)
    } catch (error) {
      // A hook that the route named may be gone: then nothing is of it.
      if (error instanceof AppError) return false
      throw error
    }
  }

  return (received, rule) => {
    if (received.body.length > LOOKED_INTO_BYTES) return null
    const delivery = withEvent(received)
    const target = answering.find((one) => isFor(one, delivery))
    if (target === undefined) return null
    const { id, settings } = target
    if (settings.answer === 'at-once') return Promise.resolve(PLAIN_DECISION)
    if (settings.answer === 'by-hand') return deps.held.hold({ id, name: settings.name }, delivery, rule)
    const answer = deps.claims.make(id, delivery.seq)
    deps.enqueue(target, delivery.seq).catch((error: unknown) => {
      deps.claims.get(id, delivery.seq)?.fail((error as Error).message)
    })
    return answer
  }
}
