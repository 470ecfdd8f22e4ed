/** What each key does: the actions of the features, the places, and what means something else on each screen. */
import { compareKeys } from '../features/compare/index.ts'
import { detailKeys } from '../features/detail/index.ts'
import { leaveWalk, walkHasFocus } from '../features/first-walk/index.ts'
import { FLOW_SEARCH_ID, flowKeys, leaveFlow } from '../features/flows/index.ts'
import { focusFilter, leaveDeliveries, listKeys } from '../features/list/index.ts'
import { replayKeys } from '../features/replay/index.ts'
import { OBJECT_FILTER_ID, sandboxKeys } from '../features/sandbox/index.ts'
import { always, type RunKey } from '../state/key-action.ts'
import type { KeyAction } from '../state/key-map.ts'
import type { AppStore } from '../state/store.ts'
import { focusNextPane } from '../ui/panes.ts'
import { placeKeys } from './places.ts'

/** The search of what is shown; where it has none, the filter of the list. */
function focusSearch(store: AppStore): boolean {
  const {
    navigation: { screen },
    sandbox: { view: sandboxView },
    flows: { opened: openedFlow },
  } = store.getState()
  const own =
    screen === 'sandbox' && sandboxView === 'objects'
      ? OBJECT_FILTER_ID
      : screen === 'flows' && openedFlow === null
        ? FLOW_SEARCH_ID
        : null
  if (own === null) return focusFilter(store)
  document.getElementById(own)?.focus()
  return true
}

function leaveShown(store: AppStore): boolean {
  const {
    navigation: { screen },
  } = store.getState()
  if (screen === 'flows') return leaveFlow(store)
  return screen === 'deliveries' && leaveDeliveries(store)
}

const actions: Readonly<Record<KeyAction, RunKey>> = {
  ...placeKeys,
  ...listKeys,
  ...detailKeys,
  ...replayKeys,
  ...compareKeys,
  ...flowKeys,
  ...sandboxKeys,
  palette: always((state) => {
    state.navigation.openOverlay('palette')
  }),
  shortcuts: always((state) => {
    state.navigation.openOverlay('shortcuts')
  }),
  filter: focusSearch,
  'next-pane': always(() => {
    focusNextPane(1)
  }),
  'previous-pane': always(() => {
    focusNextPane(-1)
  }),
  // One thing at a time: the tour if it has the focus, then what the screen shows, then the tour.
  back: (store) => (walkHasFocus() && leaveWalk(store)) || leaveShown(store) || leaveWalk(store),
  // The composer lies over the page, and hears of its own key.
  'composer-send': () => false,
}

/** Runs an action; false where it does nothing here, so that the key keeps its usual meaning. */
export function runAction(action: KeyAction, store: AppStore): boolean {
  return actions[action](store)
}
