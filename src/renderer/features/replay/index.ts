/** The public parts of the replay feature. */
export { replayKeys, replayPalette } from './commands.ts'
export { ReplayButton } from './replay-button.tsx'
export { ReplayDialogs } from './replay-dialogs.tsx'
export { ReplayProgress } from './replay-button.tsx'
