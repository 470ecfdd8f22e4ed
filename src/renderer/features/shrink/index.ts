/** What other features, and the shell, may use of the shrinker. */
export { ShrinkDialog } from './shrink-dialog.tsx'
export { ShrinkSend } from './shrink-send.tsx'
