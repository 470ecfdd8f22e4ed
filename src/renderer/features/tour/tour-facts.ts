/** Derives the tour's facts from the app's state, whether the tour or the user caused them. */
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { AppState } from '../../state/store.ts'
import type { TourFacts } from './stations.ts'
import { WALK_ENVIRONMENT, tourEvents, tourHook, tourUrl } from './tour-calls.ts'

type Known = Pick<AppState['core'], 'hooks' | 'status'> &
  Pick<AppState['tour'], 'rows' | 'seen' | 'othersWait'>

interface Surrounding {
  /** A tour hook points to a URL where the receiver no longer listens. */
  readonly hookMoved: boolean
  /** The user's own hook that also receives the tour's events: a hook without a program receives those of all programs. */
  readonly alsoHears: Hook | null
}

export function factsOf(walk: FirstWalk, state: Known): TourFacts & Surrounding {
  const { hooks, status, rows, seen, othersWait } = state
  const receiver = status?.receiver.url ?? null
  const [auth, clearing] = tourEvents.map((event) => tourHook(walk, hooks, event))
  const made = [auth ?? null, clearing ?? null]
  const registered = made.every((hook) => hook !== null)
  const here = tourEvents.every(
    (event, at) => receiver !== null && made[at]?.url === tourUrl(receiver, event),
  )
  const rowsOf = (event: string) => {
    const ids = hooks
      .filter(({ id, event: own }) => own === event && walk.hookIds.includes(id))
      .map(({ id }) => id)
    // A verdict claimed by a file doesn't advance the tour.
    return rows.filter(
      ({ hookId, verifiedHere }) => verifiedHere && hookId !== null && ids.includes(hookId),
    )
  }
  return {
    hooksReady: registered && here,
    hookMoved: registered && !here && receiver !== null,
    alsoHears: hooks.find((hook) => hearsToo(hook, walk)) ?? null,
    hookId: auth?.id ?? null,
    auth: rowsOf('transaction.auth').find(({ verdict }) => verdict === 'valid') ?? null,
    altered: rowsOf('transaction.auth').find(({ verdict }) => verdict === 'invalid') ?? null,
    clearing: rowsOf('transaction.clearing').find(({ verdict }) => verdict === 'valid') ?? null,
    seen,
    othersWait,
  }
}

function hearsToo({ id, event, programId, environment, status }: Hook, walk: FirstWalk): boolean {
  return (
    status === 'active' &&
    programId === null &&
    environment === WALK_ENVIRONMENT &&
    tourEvents.some((own) => own === event) &&
    !walk.hookIds.includes(id)
  )
}
