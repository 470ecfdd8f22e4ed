/** What other features, and the shell, may use of the settings. */
export { SettingsScreen } from './settings-screen.tsx'
export { ShortcutTable } from './shortcut-table.tsx'
