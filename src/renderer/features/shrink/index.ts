/** What other features, and the shell, may use of the shrinker; a failed send opens it with `openShrink` of the store. */
export { ShrinkButton } from './shrink-button.tsx'
export { ShrinkDialog } from './shrink-dialog.tsx'
