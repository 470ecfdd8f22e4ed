/** What the palette offers of hooks. */
import type { PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'

export function hookPalette(state: AppState): readonly PaletteItem[] {
  return [
    {
      value: 'register',
      label: 'Register a hook…',
      run: () => {
        state.navigation.openOverlay('register-hook')
      },
    },
    {
      value: 'import',
      label: 'Import a hook…',
      run: () => {
        state.navigation.openOverlay('import-hook')
      },
    },
  ]
}
