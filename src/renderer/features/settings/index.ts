import type { PaletteItem, Screens } from '../../ui-state/commands.ts'
import type { AppState } from '../../ui-state/store.ts'
import { SettingsScreen } from './settings-screen.tsx'
import { SETTINGS_SEARCH_ID } from './section-list.tsx'

export { EnvironmentDialog, RemoveEnvironmentDialog } from './environment-dialog.tsx'
export { ShortcutTable } from './shortcut-table.tsx'
export { UpdateDialog, UpdateFoot } from './update-dialog.tsx'

export const ownScreens: Screens<'settings'> = {
  settings: {
    Screen: SettingsScreen,
    commands: themeCommands,
    searchId: () => SETTINGS_SEARCH_ID,
  },
}

const themes = [
  ['dark', 'Dark theme'],
  ['light', 'Light theme'],
  ['system', 'System theme'],
] as const

function themeCommands(state: AppState): readonly PaletteItem[] {
  return themes.map(([theme, label]) => ({
    value: `theme-${theme}`,
    label,
    run: () => state.preferences.set('theme', theme),
  }))
}
