/** What the palette offers to do with the body of the delivery that is looked at. */
import type { PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'

export function shrinkPalette({ detail: { shown }, shrink: { open: openShrink } }: AppState): readonly PaletteItem[] {
  if (shown === null || shown.delivery.bodySize === 0) return []
  const { delivery } = shown
  return [{ value: 'shrink', label: 'Shrink the body of this delivery…', run: () => void openShrink(delivery) }]
}
