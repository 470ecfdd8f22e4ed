/** What other features, and the shell, may use of the hooks. */
export { hookPalette } from './commands.ts'
export { HooksScreen } from './hooks-screen.tsx'
export { HookDialogs } from './hook-dialogs.tsx'
