import type { PaletteItem, Screens } from '../../ui-state/commands.ts'
import type { AppState } from '../../ui-state/store.ts'
import { HooksScreen } from './hooks-screen.tsx'

export { HookDialogs } from './hook-dialogs.tsx'

const forms = [
  ['register', 'Register hook…', 'register-hook'],
  ['import', 'Import hook…', 'import-hook'],
  ['sync', 'Sync hooks with the service…', 'sync-hooks'],
] as const

function hookPalette({ navigation }: AppState): readonly PaletteItem[] {
  return forms.map(([value, label, overlay]) => ({
    value,
    label,
    run: () => navigation.openOverlay(overlay),
  }))
}

export const ownScreens: Screens<'hooks'> = {
  hooks: { Screen: HooksScreen, commands: hookPalette },
}
