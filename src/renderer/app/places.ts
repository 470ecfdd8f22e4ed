/** The places of the window, by key and by name. */
import { compareKeys } from '../features/compare/index.ts'
import { always, type RunKey } from '../state/key-action.ts'
import { keysOf, type KeyAction } from '../state/key-map.ts'
import type { Screen } from '../state/navigation-slice.ts'
import type { PaletteItem } from '../state/palette.ts'
import type { AppStore } from '../state/store.ts'

const go = (screen: Screen) =>
  always((state) => {
    state.navigation.go(screen)
  })

/** The screen of the hooks has two halves. */
const goToHooks = (forward: boolean) =>
  always((state) => {
    state.forward.show(forward)
    state.navigation.go('hooks')
  })

export const placeKeys = {
  'go-deliveries': go('deliveries'),
  'go-compare': compareKeys['go-compare'],
  'go-hooks': goToHooks(false),
  'go-flows': go('flows'),
  'go-check': go('check'),
  'go-sandbox': go('sandbox'),
  'go-settings': go('settings'),
} satisfies Partial<Record<KeyAction, RunKey>>

type PlaceKey = keyof typeof placeKeys

export function placeCommands(store: AppStore): readonly PaletteItem[] {
  const place = (label: string, action: PlaceKey): PaletteItem => ({
    value: action,
    label: `Go to ${label}`,
    keys: keysOf(action),
    run: () => void placeKeys[action](store),
  })
  return [
    place('Deliveries', 'go-deliveries'),
    place('Compare', 'go-compare'),
    { value: 'go-forward', label: 'Go to Forward', run: () => void goToHooks(true)(store) },
    place('Hooks', 'go-hooks'),
    place('Flows', 'go-flows'),
    place('Check', 'go-check'),
    place('Sandbox', 'go-sandbox'),
    place('Settings', 'go-settings'),
  ]
}
