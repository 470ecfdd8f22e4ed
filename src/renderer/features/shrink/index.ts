/** What other features, and the shell, may use of the shrinker. */
export { shrinkPalette } from './commands.ts'
export { ShrinkDialog } from './shrink-dialog.tsx'
export { ShrinkFoot } from './shrink-foot.tsx'
export { ShrinkSend } from './shrink-send.tsx'
