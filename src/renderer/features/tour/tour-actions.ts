/** Actions of the tour's buttons: the same commands and screens as anywhere else in the app. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { WalkStation } from '../../../shared/model/first-walk.ts'
import type { AppState, AppStore } from '../../state/store.ts'
import { focusShownPane } from '../../ui/split-panes.tsx'
import type { TourAct } from './stations.ts'
import { factsOf } from './tour-facts.ts'

/** Goes to a station's screen and opens its subject, if available. */
export function showStation(station: WalkStation, store: AppStore): void {
  const state = store.getState()
  const walk = state.core.settings.firstWalk
  if (walk === null) return
  const { auth, altered, clearing, hookId } = factsOf(walk, { ...state.core, ...state.tour })
  if (station === 'hook') {
    state.hooks.select(hookId)
    state.navigation.go('hooks')
  } else if (station === 'payment') showList(state)
  else if (station === 'signature') {
    const row = altered ?? auth
    if (row === null) showList(state)
    else showDelivery(state, row, 'signature')
  } else if (station === 'clearing') {
    if (clearing !== null && auth !== null) showDelivery(state, auth, 'lifecycle')
    else state.navigation.go('sandbox')
  }
}

/** Runs a step's action. */
export function actTour(act: TourAct, store: AppStore): void {
  const state = store.getState()
  const walk = state.core.settings.firstWalk
  if (walk === null) return
  const { auth, altered, clearing } = factsOf(walk, { ...state.core, ...state.tour })
  switch (act) {
    case 'register':
      void state.tour.registerHooks().then(() => {
        if (walk.station === 'hook') showStation('hook', store)
      })
      return
    case 'pay':
      showList(state)
      if (walk.station !== 'payment') state.tour.setFollows('auth')
      void state.tour.pay()
      return
    case 'open-auth':
      if (auth !== null) showDelivery(state, auth, 'signature')
      return
    case 'alter':
      if (auth !== null) void state.tour.alter(auth.id)
      return
    case 'open-altered':
      if (altered !== null) showDelivery(state, altered, 'signature')
      return
    case 'leap':
      void state.tour.leap()
      return
    case 'open-purchase':
      if (auth !== null && clearing !== null) showDelivery(state, auth, 'lifecycle')
      return
  }
}

/** Compares the valid delivery with the altered one. */
export function compareTour(store: AppStore): void {
  const state = store.getState()
  const walk = state.core.settings.firstWalk
  if (walk === null) return
  const { auth, altered } = factsOf(walk, { ...state.core, ...state.tour })
  if (auth === null || altered === null) return
  // The difference is in an id, and ids are ignored by default.
  state.compare.setIgnoreVolatile(false)
  state.compare.setTab('structure')
  void state.compare.start({ kind: 'delivery', id: auth.id }, { kind: 'delivery', id: altered.id })
}

/** The panel. While it has the focus, Esc leaves the tour first. */
export const WALK_ID = 'first-walk'

export function tourHasFocus(): boolean {
  return document.getElementById(WALK_ID)?.contains(document.activeElement) === true
}

/** Hides the tour, keeping its place; false if it isn't shown. */
export function leaveTour(store: AppStore): boolean {
  const hadFocus = tourHasFocus()
  if (!store.getState().tour.leave()) return false
  if (hadFocus) focusShownPane()
  return true
}

/** A filter could hide new deliveries. */
function showList(state: AppState): void {
  state.navigation.go('deliveries')
  if (state.detail.mode !== 'closed') state.detail.close()
  if (state.filter.applied !== '' || state.filter.draft !== '') state.filter.clear()
  state.list.jumpToNewest()
}

function showDelivery(state: AppState, row: DeliveryRow, tab: 'signature' | 'lifecycle'): void {
  state.navigation.go('deliveries')
  state.detail.setTab(tab)
  state.list.show(row)
  // The focus stays with the tour, so that Enter continues.
  state.detail.open(row.id, false)
}
