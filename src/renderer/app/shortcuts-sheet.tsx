/** The keys, over the page. */
import { ShortcutTable } from '../features/settings/index.ts'
import { useAppParts } from '../state/use-app.ts'
import { Dialog } from '../ui/dialog.tsx'

export function ShortcutsSheet() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'shortcuts',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Keyboard shortcuts" wide>
      {/* Longer than a low window: it takes the focus, so that the arrows scroll it. */}
      <div tabIndex={0} role="region" aria-label="All shortcuts">
        <ShortcutTable />
      </div>
    </Dialog>
  )
}
