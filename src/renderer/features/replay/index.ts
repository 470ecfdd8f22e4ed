/** What the shell may use of replays. */
export { ReplayDialogs } from './replay-dialogs.tsx'
export { ReplayProgress } from './replay-progress.tsx'
