/** Decides which target responds to a stored delivery: the first whose filter matches it. */
import type { Query } from '../../shared/query/query.ts'
import { guessEvents } from '../../shared/service/payload.ts'
import { type Responder, PLAIN_DECISION } from '../receiver/responses.ts'
import type { RouteSearch } from '../store/forward-routes.ts'
import type { StoredTarget } from '../store/forward-targets.ts'
import { BAD_GATEWAY, type Leases, substituteResponse } from './leases.ts'

/** Bytes above which a body isn't parsed on this thread. */
const MAX_PARSED_BYTES = 1_048_576

interface ResponderDeps {
  readonly leases: Leases
  filterOf(target: StoredTarget): Query | null
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  findRoute(search: RouteSearch): Promise<string | null>
  enqueue(target: StoredTarget, deliverySeq: number): Promise<void>
}

/** Creates the function that decides which target responds; null if none can. */
export function createTargetResponder(
  targets: readonly StoredTarget[],
  deps: ResponderDeps,
): Responder | null {
  const respondingTargets = targets.filter(
    ({ settings, paused }) => settings.on && !paused && settings.answer !== 'rule',
  )
  if (respondingTargets.length === 0) return null

  return async ({ seq, event, hookId }, body) => {
    if (body.length > MAX_PARSED_BYTES) return null
    const routes = respondingTargets.flatMap((target) => {
      const query = deps.isAgreed(target, hookId) ? deps.filterOf(target) : null
      return query === null ? [] : [{ targetId: target.id, query }]
    })
    const matchingId = await deps.findRoute({
      seq,
      events: event === null ? guessEvents(body) : [],
      routes,
    })
    const target = respondingTargets.find(({ id }) => id === matchingId)
    if (target === undefined) return null
    if (target.settings.answer === 'at-once') return PLAIN_DECISION
    const response = deps.leases.create(target.id, seq)
    deps.enqueue(target, seq).catch((error: unknown) => {
      deps.leases
        .get(target.id, seq)
        ?.respond(substituteResponse(BAD_GATEWAY, (error as Error).message))
    })
    return response
  }
}
