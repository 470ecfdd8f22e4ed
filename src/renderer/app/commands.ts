/** Palette items and shortcut actions: navigation, features' commands, and keys of the screen. */
import { compareKeys } from '../features/compare/index.ts'
import { detailKeys } from '../features/detail/index.ts'
import { leaveTour, tourCommands, tourHasFocus } from '../features/tour/index.ts'
import { flowKeys, flowPalette } from '../features/flows/index.ts'
import {
  byIdCommands,
  focusFilter,
  listKeys,
  ofHookCommands,
  viewPalette,
} from '../features/list/index.ts'
import { replayKeys } from '../features/replay/index.ts'
import { sandboxKeys } from '../features/sandbox/index.ts'
import { screenNames, screens, type Screen } from '../screens.ts'
import {
  always,
  type PaletteGroup,
  type PaletteItem,
  type RunKey,
  type ScreenParts,
} from '../ui-state/commands.ts'
import { type KeyAction, keysOf } from '../key-map.ts'
import type { AppState, AppStore } from '../ui-state/store.ts'
import { focusNextPane } from '../ui/pane-focus.ts'
import { deliveryPalette } from '../ui-state/delivery-palette.ts'
import { deliveryKeys } from '../ui-state/delivery-keys.ts'
import { arrangePalette } from '../ui-state/palette.ts'

const modules = import.meta.glob<{ readonly ownScreens?: object }>(
  ['../features/*/index.ts', './*-screen.tsx'],
  { eager: true },
)

/** Parts of each screen, exported by its folder as `ownScreens`. */
export const screenParts = Object.assign(
  {},
  ...Object.values(modules).map(({ ownScreens }) => ownScreens),
) as Readonly<Record<Screen, ScreenParts>>

/** Actions of the keys that go to a screen or through the history. */
const placeKeys = {
  ...(Object.fromEntries(
    screenNames.map((screen) => [`go-${screen}`, always((state) => state.navigation.go(screen))]),
  ) as Readonly<Record<`go-${Screen}`, RunKey>>),
  'history-back': always(() => history.back()),
  'history-forward': always(() => history.forward()),
  // Compares the open delivery if nothing is compared yet.
  'go-compare': compareKeys['go-compare'],
} satisfies Partial<Record<KeyAction, RunKey>>

function placeCommands(store: AppStore): readonly PaletteItem[] {
  const place = (label: string, action: keyof typeof placeKeys): PaletteItem => ({
    value: action,
    label,
    keys: keysOf(action),
    run: () => void placeKeys[action](store),
  })
  return [
    ...screenNames.map((screen) => place(`Go to ${screens[screen].title}`, `go-${screen}`)),
    place('Back', 'history-back'),
    place('Forward', 'history-forward'),
  ]
}

/** Returns all commands, those of the shown screen first. */
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
  const { screen: shown } = state.navigation
  const commandsOn = (screen: Screen) => [
    ...(screen === 'deliveries' ? [sample, capture] : []),
    ...(screenParts[screen].commands?.(state) ?? []),
  ]
  const others = screenNames.filter((screen) => screen !== shown)
  return [...commandsOn(shown), ...others.flatMap(commandsOn), ...tourCommands(state)]
}

/** Returns the palette's groups for the typed text; the palette itself filters them by words. */
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

/** Focuses the screen's search field, else the delivery filter. */
function focusSearch(store: AppStore): boolean {
  const state = store.getState()
  const fieldId = screenParts[state.navigation.screen].searchId?.(state) ?? null
  if (fieldId === null) return focusFilter(store)
  document.getElementById(fieldId)?.focus()
  return true
}

const leaveShown: RunKey = (store) =>
  screenParts[store.getState().navigation.screen].leave?.(store) === true

const actions: Readonly<Record<KeyAction, RunKey>> = {
  ...deliveryKeys,
  ...listKeys,
  ...detailKeys,
  ...replayKeys,
  ...compareKeys,
  ...placeKeys,
  ...flowKeys,
  ...sandboxKeys,
  palette: always((state) => state.navigation.openOverlay('palette')),
  shortcuts: always((state) => state.navigation.openOverlay('shortcuts')),
  filter: focusSearch,
  'next-pane': always(() => focusNextPane(1)),
  'previous-pane': always(() => focusNextPane(-1)),
  // Esc leaves one thing at a time: the focused tour, the screen's content, then the tour.
  back: (store) => (tourHasFocus() && leaveTour(store)) || leaveShown(store) || leaveTour(store),
  // The composer is an overlay and handles its own key.
  'composer-send': () => false,
}

/**
 * Runs an action; returns false if it doesn't apply here, so that the key keeps its usual meaning.
 */
export function runAction(action: KeyAction, store: AppStore): boolean {
  return actions[action](store)
}
