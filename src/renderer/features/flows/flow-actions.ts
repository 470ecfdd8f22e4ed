/** What the keys of a flow do with the place that is shown. */
import type { AppStore } from '../../state/store.ts'
import { deliveryOf, focusPlace, isBad, placesOf, shownPlace, type FlowPlace } from './places.ts'

/** The places of what is drawn now. */
export function placesShown(store: AppStore): readonly FlowPlace[] {
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
