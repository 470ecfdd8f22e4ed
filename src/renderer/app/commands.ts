/** What the palette offers: places, the commands of each feature, saved views, flows, hooks, and a delivery by its id. */
import { exchangeCommands } from '../features/exchange/index.ts'
import { walkCommands } from '../features/first-walk/index.ts'
import { flowCommands } from '../features/flows/index.ts'
import { hookCommands } from '../features/hooks/index.ts'
import { byIdCommands, listCommands, ofHookCommands, viewCommands } from '../features/list/index.ts'
import { replayCommands } from '../features/replay/index.ts'
import { sandboxCommands } from '../features/sandbox/index.ts'
import { lookCommands } from '../features/settings/index.ts'
import { shrinkCommands } from '../features/shrink/index.ts'
import { keysOf } from '../state/key-map.ts'
import type { PaletteGroup, PaletteItem } from '../state/palette.ts'
import type { AppStore } from '../state/store.ts'
import { placeCommands } from './places.ts'

/** The groups for what is typed; filtering by the words is the palette's. */
export function paletteGroups(store: AppStore, typed: string): readonly PaletteGroup[] {
  const state = store.getState()
  const paused = state.core.status?.receiver.state === 'paused'
  const commands: PaletteItem[] = [
    ...walkCommands(state),
    { value: 'sample', label: 'Send a sample', note: 'from the sandbox', run: () => void state.list.sendSample() },
    ...replayCommands(state),
    { value: 'capture', label: paused ? 'Resume capture' : 'Pause capture', run: () => void state.list.pauseOrResume(!paused) },
    ...hookCommands(state),
    ...shrinkCommands(state),
    ...sandboxCommands(state),
    ...listCommands(state),
    ...exchangeCommands(state),
    ...lookCommands(state),
    {
      value: 'shortcuts',
      label: 'Keyboard shortcuts',
      keys: keysOf('shortcuts'),
      run: () => {
        state.navigation.openOverlay('shortcuts')
      },
    },
  ]
  return [
    { value: 'Delivery', items: byIdCommands(state, typed) },
    { value: 'Places', items: placeCommands(store) },
    { value: 'Commands', items: commands },
    { value: 'Views', items: viewCommands(state) },
    { value: 'Flows', items: flowCommands(state) },
    { value: 'Hooks', items: ofHookCommands(state) },
  ].filter((group) => group.items.length > 0)
}
