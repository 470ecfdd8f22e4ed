import type { PaletteItem, Screens } from '../../ui-state/commands.ts'
import type { AppState } from '../../ui-state/store.ts'
import { SETTINGS_SEARCH_ID, SettingsScreen } from './settings-screen.tsx'

export { EnvironmentDialog, RemoveEnvironmentDialog } from './environment-dialog.tsx'
export { ShortcutTable } from './setting-list.tsx'
export { UpdateDialog, UpdateFoot } from './update-dialog.tsx'

export const ownScreens: Screens<'settings'> = {
  settings: {
    Screen: SettingsScreen,
    commands: displayCommands,
    searchId: () => SETTINGS_SEARCH_ID,
  },
}

const themes = [
  ['dark', 'Dark theme'],
  ['light', 'Light theme'],
  ['system', 'System theme'],
] as const

/** Palette entries for themes. */
function displayCommands(state: AppState): readonly PaletteItem[] {
  return themes.map(([theme, label]) => ({
    value: `theme-${theme}`,
    label,
    run: () => state.preferences.set('theme', theme),
  }))
}
