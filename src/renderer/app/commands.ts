/**
 * The items of the palette and the action of each shortcut: navigation, the features' commands, and keys that depend on the screen.
 */
import { compareKeys } from '../features/compare/index.ts'
import { detailKeys } from '../features/detail/index.ts'
import { transferPalette } from '../features/transfer/index.ts'
import { leaveTour, tourCommands, tourHasFocus } from '../features/tour/index.ts'
import { FLOW_SEARCH_ID, flowKeys, flowPalette, leaveFlow } from '../features/flows/index.ts'
import { hookPalette } from '../features/hooks/index.ts'
import {
  byIdCommands,
  focusFilter,
  leaveDeliveries,
  listCommands,
  listKeys,
  ofHookCommands,
  viewPalette,
} from '../features/list/index.ts'
import { replayKeys, replayPalette } from '../features/replay/index.ts'
import { OBJECT_FILTER_ID, sandboxKeys, sandboxPalette } from '../features/sandbox/index.ts'
import { lookCommands, SETTINGS_SEARCH_ID } from '../features/settings/index.ts'
import {
  always,
  arrangePalette,
  type PaletteGroup,
  type PaletteItem,
  type RunKey,
} from '../state/commands.ts'
import { deliveryKeys, deliveryPalette } from '../state/delivery-actions.ts'
import { type KeyAction, keysOf } from '../state/key-map.ts'
import type { Screen } from '../state/navigation-slice.ts'
import type { AppState, AppStore } from '../state/store.ts'
import { focusNextPane } from '../ui/split-panes.tsx'

const go = (screen: Screen) => always((state) => state.navigation.go(screen))

/** Navigation by key and by name. */
const placeKeys = {
  'go-deliveries': go('deliveries'),
  'go-compare': compareKeys['go-compare'],
  'go-flows': go('flows'),
  'go-handlers': go('handlers'),
  'go-forward': go('forward'),
  'go-hooks': go('hooks'),
  'go-check': go('check'),
  'go-sandbox': go('sandbox'),
  'go-settings': go('settings'),
} satisfies Partial<Record<KeyAction, RunKey>>

type PlaceKey = keyof typeof placeKeys

function placeCommands(store: AppStore): readonly PaletteItem[] {
  const place = (label: string, action: PlaceKey): PaletteItem => ({
    value: action,
    label: `Go to ${label}`,
    keys: keysOf(action),
    run: () => void placeKeys[action](store),
  })
  return [
    place('Deliveries', 'go-deliveries'),
    place('Compare', 'go-compare'),
    place('Flows', 'go-flows'),
    place('Handlers', 'go-handlers'),
    place('Forward', 'go-forward'),
    place('Hooks', 'go-hooks'),
    place('Check', 'go-check'),
    place('Sandbox', 'go-sandbox'),
    place('Settings', 'go-settings'),
    {
      value: 'history-back',
      label: 'Back',
      keys: keysOf('history-back'),
      run: () => void actions['history-back'](store),
    },
    {
      value: 'history-forward',
      label: 'Forward',
      keys: keysOf('history-forward'),
      run: () => void actions['history-forward'](store),
    },
  ]
}

/** The commands of the shown screen come first. */
function commandsOf(state: AppState): readonly PaletteItem[] {
  const paused = state.core.status?.receiver.state === 'paused'
  const sample = {
    value: 'sample',
    label: 'Send sample',
    note: 'from the sandbox',
    keys: keysOf('send-sample'),
    run: () => void state.list.sendSample(),
  }
  const capture = {
    value: 'capture',
    label: paused ? 'Resume capture' : 'Pause capture',
    run: () => void state.list.pauseOrResume(!paused),
  }
  const parts: readonly (readonly [Screen | null, readonly PaletteItem[]])[] = [
    ['deliveries', [sample, ...replayPalette(state), capture]],
    ['hooks', hookPalette(state)],
    ['sandbox', sandboxPalette(state)],
    ['deliveries', [...listCommands(state), ...transferPalette(state)]],
    ['settings', lookCommands(state)],
    [null, tourCommands(state)],
  ]
  const { screen } = state.navigation
  const own = parts.filter(([of]) => of === screen)
  return [...own, ...parts.filter(([of]) => of !== screen)].flatMap(([, items]) => items)
}

/** The palette's groups for the typed text; the palette filters them by words. */
export function paletteGroups(store: AppStore, typed: string): readonly PaletteGroup[] {
  const state = store.getState()
  const shortcuts: PaletteItem = {
    value: 'shortcuts',
    label: 'Keyboard shortcuts',
    keys: keysOf('shortcuts'),
    run: () => state.navigation.openOverlay('shortcuts'),
  }
  const failures: PaletteItem = {
    value: 'failures',
    label: 'Recent failures',
    run: () => state.navigation.openOverlay('failures'),
  }
  return arrangePalette(
    {
      byId: byIdCommands(state, typed),
      selected:
        state.navigation.screen === 'deliveries' || typed !== ''
          ? deliveryPalette(state, typed)
          : [],
      places: placeCommands(store),
      commands: [...commandsOf(state), shortcuts, failures],
      views: viewPalette(state),
      flows: flowPalette(state),
      hooks: ofHookCommands(state),
      recent: state.preferences.recent,
    },
    typed,
  )
}

/** The search field of the current screen, or else the delivery filter. */
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
        : screen === 'settings'
          ? SETTINGS_SEARCH_ID
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
  ...deliveryKeys,
  ...listKeys,
  ...detailKeys,
  ...replayKeys,
  ...compareKeys,
  ...flowKeys,
  ...sandboxKeys,
  palette: always((state) => state.navigation.openOverlay('palette')),
  shortcuts: always((state) => state.navigation.openOverlay('shortcuts')),
  filter: focusSearch,
  'history-back': always(() => history.back()),
  'history-forward': always(() => history.forward()),
  'next-pane': always(() => focusNextPane(1)),
  'previous-pane': always(() => focusNextPane(-1)),
  // One thing at a time: the tour if it has the focus, then the screen's content, then the tour.
  back: (store) => (tourHasFocus() && leaveTour(store)) || leaveShown(store) || leaveTour(store),
  // The composer is an overlay and handles its own key.
  'composer-send': () => false,
}

/** Runs an action. Returns false if it doesn't apply here, so that the key keeps its usual meaning. */
export function runAction(action: KeyAction, store: AppStore): boolean {
  return actions[action](store)
}
