/** The public parts of the hooks feature. */
import type { PaletteItem, Screens } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'
import { HooksScreen } from './hooks-screen.tsx'

export { HookDialogs } from './hooks-screen.tsx'

export const ownScreens: Screens<'hooks'> = {
  hooks: { Screen: HooksScreen, commands: hookPalette },
}

/** Palette entries for hooks. */
function hookPalette(state: AppState): readonly PaletteItem[] {
  return [
    {
      value: 'register',
      label: 'Register hook…',
      run: () => state.navigation.openOverlay('register-hook'),
    },
    {
      value: 'import',
      label: 'Import hook…',
      run: () => state.navigation.openOverlay('import-hook'),
    },
    {
      value: 'sync',
      label: 'Sync hooks with the service…',
      run: () => state.navigation.openOverlay('sync-hooks'),
    },
  ]
}
