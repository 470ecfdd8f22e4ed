/** What the palette offers: places, the commands of each feature, saved views, flows, hooks, and a delivery by its id. */
import { exchangePalette } from '../features/exchange/index.ts'
import { walkCommands } from '../features/first-walk/index.ts'
import { flowPalette } from '../features/flows/index.ts'
import { hookPalette } from '../features/hooks/index.ts'
import { byIdCommands, listCommands, ofHookCommands, viewPalette } from '../features/list/index.ts'
import { replayPalette } from '../features/replay/index.ts'
import { sandboxPalette } from '../features/sandbox/index.ts'
import { lookCommands } from '../features/settings/index.ts'
import { shrinkPalette } from '../features/shrink/index.ts'
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
    ...replayPalette(state),
    { value: 'capture', label: paused ? 'Resume capture' : 'Pause capture', run: () => void state.list.pauseOrResume(!paused) },
    ...hookPalette(state),
    ...shrinkPalette(state),
    ...sandboxPalette(state),
    ...listCommands(state),
    ...exchangePalette(state),
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
    { value: 'Views', items: viewPalette(state) },
    { value: 'Flows', items: flowPalette(state) },
    { value: 'Hooks', items: ofHookCommands(state) },
  ].filter((group) => group.items.length > 0)
}
