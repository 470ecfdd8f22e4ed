/** What the keys of a flow do: move from step to step and actor to actor, and act on the step that is shown. */
import { actorOrder } from '../../../shared/flow-diagram/words.ts'
import type { FlowActor } from '../../../shared/model/flow.ts'
import type { AppStore } from '../../state/store.ts'
import { deliveryOf, focusPlace, isBad, movePlace, placesOf, shownPlace, type FlowPlace } from './places.ts'

/** The places of what is drawn now. */
function placesShown(store: AppStore): readonly FlowPlace[] {
  const {
    flows: { opened: openedFlow, run: flowRun },
  } = store.getState()
  const drawn = flowRun ?? openedFlow?.plan
  return drawn === undefined ? [] : placesOf(drawn)
}

/** Opens the delivery of the place in Deliveries; false where it has none. */
export function openShownDelivery(store: AppStore): boolean {
  const state = store.getState()
  const place = shownPlace(placesShown(store), state.flows.place, state.flows.run?.current ?? 0)
  const id = place === undefined ? null : deliveryOf(place)
  if (id === null) return false
  state.navigation.go('deliveries')
  void state.detail.goTo(id)
  return true
}

/** Goes to the first place that failed; false where none did. */
export function goToFirstFailed(store: AppStore): boolean {
  const found = placesShown(store).find(isBad)
  if (found === undefined) return false
  store.getState().flows.selectPlace(found.id)
  return focusPlace(found.id)
}

/** Leaves the comparison, then the flow; the focus goes to its row in the list. False where the list is shown already. */
export function leaveFlow(store: AppStore): boolean {
  const name = store.getState().flows.opened?.plan.name
  if (!store.getState().flows.leave()) return false
  requestAnimationFrame(() =>
    document.querySelectorAll<HTMLElement>('[data-flow-row]').forEach((row) => {
      if (row.dataset['flowRow'] === name) row.focus()
    }),
  )
  return true
}

/** Who takes part in a place: from whom to whom. */
function actorsOf(place: FlowPlace): readonly [FlowActor, FlowActor] {
  return place.kind === 'stray' ? ['service', 'receiver'] : [place.step.from, place.step.to]
}

/** Where the next actor to the left (-1) or right (1) of the one looked at takes part: the same place, else the nearest one, rather a later. */
export function besideActor(
  places: readonly FlowPlace[],
  shown: FlowPlace,
  from: FlowActor,
  way: -1 | 1,
): { readonly actor: FlowActor; readonly place: FlowPlace } | null {
  const taking = actorOrder.filter((actor) => places.some((place) => actorsOf(place).includes(actor)))
  const actor = taking[taking.indexOf(from) + way]
  if (actor === undefined) return null
  const at = places.indexOf(shown)
  const near = places
    .map((place, index) => ({ place, distance: Math.abs(index - at) - (index > at ? 0.5 : 0) }))
    .filter(({ place }) => actorsOf(place).includes(actor))
    .toSorted((one, other) => one.distance - other.distance)
  const place = near[0]?.place
  return place === undefined ? null : { actor, place }
}

/** Looks at the next actor on that side, and goes to where it takes part. False where there is none. */
export function moveActor(store: AppStore, way: -1 | 1): boolean {
  const state = store.getState()
  const places = placesShown(store)
  const shown = shownPlace(places, state.flows.place, state.flows.run?.current ?? 0)
  if (shown === undefined) return false
  const found = besideActor(places, shown, state.flows.actor ?? actorsOf(shown)[1], way)
  if (found === null) return false
  focusPlace(found.place.id)
  store.getState().flows.lookAtActor(found.actor, found.place.id)
  return true
}

/** What an arrow key, and its like, does in the drawing or the list. */
export function moveWith(store: AppStore, key: string): boolean {
  if (key === 'ArrowLeft') return moveActor(store, -1)
  if (key === 'ArrowRight') return moveActor(store, 1)
  const by = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[key]
  return by !== undefined && movePlace(by)
}
