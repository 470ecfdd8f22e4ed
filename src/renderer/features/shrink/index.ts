/** The public parts of the shrink feature. */
import type { PaletteItem } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'

export { ShrinkDialog, ShrinkSend } from './shrink-dialog.tsx'
export { ShrinkFoot } from './shrink-progress.tsx'

/** Palette entries for the open delivery's body. */
export function shrinkPalette({ detail: { shown }, shrink }: AppState): readonly PaletteItem[] {
  if (shown === null || shown.delivery.bodySize === 0) return []
  const { delivery } = shown
  return [
    {
      value: 'shrink',
      label: 'Shrink body of this delivery…',
      run: () => void shrink.open(delivery),
    },
  ]
}
