/** What other features, and the shell, may use of the settings. */
export { lookCommands } from './commands.ts'
export { EnvironmentDialog } from './environment-dialog.tsx'
export { RemoveEnvironmentDialog } from './remove-environment-dialog.tsx'
export { SettingsScreen } from './settings-screen.tsx'
export { ShortcutTable } from './shortcut-table.tsx'
