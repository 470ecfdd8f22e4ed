/** The public parts of the hooks feature. */
import type { PaletteItem } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'

export { HookDialogs, HooksScreen } from './hooks-screen.tsx'

/** Palette entries for hooks. */
export function hookPalette(state: AppState): readonly PaletteItem[] {
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
