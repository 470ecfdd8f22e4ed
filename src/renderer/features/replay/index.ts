/** What other features, and the shell, may use of replays. */
export { replayPalette } from './commands.ts'
export { replayKeys } from './key-actions.ts'
export { ReplayButton } from './replay-button.tsx'
export { ReplayDialogs } from './replay-dialogs.tsx'
export { ReplayProgress } from './replay-progress.tsx'
