/** Lets the sandbox send the event of one of its hooks, in live once confirmed. */
import { Send } from 'lucide-react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LiveConfirmation } from '../../ui/live-confirmation.tsx'
import { visibleText } from '../../ui/visible-text.ts'

export function SendEventButton({ hook, kind }: { readonly hook: Hook; readonly kind: 'primary' | 'plain' }) {
  const { sending, sendEventOf, openOverlay, listening } = useAppParts((state) => ({
    sending: state.hooks.sendingEvent,
    sendEventOf: state.hooks.sendEventOf,
    openOverlay: state.navigation.openOverlay,
    listening: state.core.status?.sandbox !== null && state.core.connection.phase === 'open',
  }))
  return (
    <Button
      kind={kind}
      icon={<Send size={13} aria-hidden />}
      disabled={sending || !listening}
      onClick={() => {
        if (hook.mode === 'live') openOverlay('send-live')
        else void sendEventOf(hook, false)
      }}
    >
      {sending ? 'Sending…' : `Send ${visibleText(hook.event)}`}
    </Button>
  )
}

export function SendLiveDialog() {
  const { hook, closeOverlay, sendEventOf } = useAppParts((state) => ({
    hook:
      state.navigation.overlay === 'send-live'
        ? (state.core.hooks.find(({ id }) => id === state.hooks.selectedId) ?? null)
        : null,
    closeOverlay: state.navigation.closeOverlay,
    sendEventOf: state.hooks.sendEventOf,
  }))
  return (
    <Dialog open={hook !== null} onClose={closeOverlay} title="Send an event">
      {hook !== null && (
        <LiveConfirmation
          environment={hook.environment}
          action={`Send ${hook.event} in ${hook.environment} (live)`}
          busy={false}
          onConfirm={() => {
            closeOverlay()
            void sendEventOf(hook, true)
          }}
          onBack={closeOverlay}
        >
          The sandbox sends {hook.event} to every live hook of this event.
        </LiveConfirmation>
      )}
    </Dialog>
  )
}
