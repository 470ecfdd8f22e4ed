/** What other features, and the shell, may use of the shrinker. */
import type { PaletteItem } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'

export { ShrinkDialog, ShrinkSend } from './shrink-dialog.tsx'
export { ShrinkFoot } from './shrink-progress.tsx'

/** What the palette offers to do with the body of the delivery that is looked at. */
export function shrinkPalette({ detail: { shown }, shrink }: AppState): readonly PaletteItem[] {
  if (shown === null || shown.delivery.bodySize === 0) return []
  const { delivery } = shown
  return [{ value: 'shrink', label: 'Shrink body of this delivery…', run: () => void shrink.open(delivery) }]
}
