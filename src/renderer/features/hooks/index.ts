/** What other features, and the shell, may use of the hooks. */
import type { PaletteItem } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'

export { HookDialogs, HooksScreen } from './hooks-screen.tsx'

/** What the palette offers of hooks. */
export function hookPalette(state: AppState): readonly PaletteItem[] {
  return [
    {
      value: 'register',
      label: 'Register hook…',
      run: () => {
        state.navigation.openOverlay('register-hook')
      },
    },
    {
      value: 'import',
      label: 'Import hook…',
      run: () => {
        state.navigation.openOverlay('import-hook')
      },
    },
  ]
}
