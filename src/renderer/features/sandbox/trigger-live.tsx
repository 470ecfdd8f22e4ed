/** Asks once more, by name, before an event of the live side is sent. */
import { useAppParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LiveConfirmation } from '../../ui/live-confirmation.tsx'

/** The button that sends; `Mod+Enter` presses it. */
export const SEND_ID = 'sandbox-send'

export function TriggerLiveDialog({ onConfirm }: { readonly onConfirm: () => void }) {
  const { open, event, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'trigger-live',
    event: state.sandbox.triggerDraft.event,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Send an event">
      <LiveConfirmation
        environment="sandbox-live"
        action={`Send ${event} in sandbox-live (live)`}
        busy={false}
        onConfirm={() => {
          closeOverlay()
          onConfirm()
        }}
        onBack={closeOverlay}
      >
        The sandbox sends {event} to every live hook of it. It is the live side of the sandbox: no real cards or money.
      </LiveConfirmation>
    </Dialog>
  )
}
