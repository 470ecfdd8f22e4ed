/** Asks once more, by name, before the clock is moved while something of the live side waits for it. */
import { useAppParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LiveConfirmation } from '../../ui/live-confirmation.tsx'

export function ClockLiveDialog() {
  const { open, change, changeClock, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'clock-live',
    change: state.sandbox.clockToConfirm,
    changeClock: state.sandbox.changeClock,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Move the clock">
      <LiveConfirmation
        environment="sandbox-live"
        action="Move the clock (live)"
        busy={false}
        onConfirm={() => {
          closeOverlay()
          if (change !== null) void changeClock(change, true)
        }}
        onBack={closeOverlay}
      >
        Test and live have one clock, and something of the live side waits for it: what falls due is sent to its hooks. No real
        cards or money.
      </LiveConfirmation>
    </Dialog>
  )
}
