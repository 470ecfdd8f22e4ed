/** What other features, and the shell, may use of replays. */
export { replayKeys, replayPalette } from './commands.ts'
export { ReplayButton } from './replay-button.tsx'
export { ReplayDialogs } from './replay-dialogs.tsx'
export { ReplayProgress } from './replay-progress.tsx'
