/** Whether deliveries are received, and the button that sends one. */
import { Send } from 'lucide-react'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'

const captureWords = {
  listening: { word: 'Receiving', look: 'bg-ok' },
  paused: { word: 'Paused', look: 'bg-warn' },
  failed: { word: 'Not receiving', look: 'bg-bad' },
  off: { word: 'Not receiving', look: 'bg-edge' },
} as const

/** The receiver listens, but returns 503: nothing is stored. */
const failingCapture = { word: 'Not storing', look: 'bg-bad' } as const

/** Without a connection, the receiver's last known state is unreliable. */
const unknownCapture = { word: 'Disconnected', look: 'bg-edge' } as const

/** Whether deliveries are received and stored. */
export function CaptureState() {
  const { receiver, failing, connected } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    failing: state.core.status?.store.state === 'failing',
    connected: state.core.connection.phase === 'open',
  }))
  if (receiver === null) return <span className="late skeleton h-3 w-20 shrink-0" />
  const { word, look } = !connected
    ? unknownCapture
    : failing && receiver.state === 'listening'
      ? failingCapture
      : captureWords[receiver.state]
  return (
    <span className="inline-flex shrink-0 items-center gap-2 font-medium text-text" title={word}>
      <span className={`size-2 rounded-full ${look}`} aria-hidden />
      <span className="@max-[640px]:sr-only">{word}</span>
    </span>
  )
}

export function SampleButton({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  const { sending, sendSample, canSend } = useAppParts((state) => ({
    sending: state.list.sending,
    sendSample: state.list.sendSample,
    canSend:
      state.core.status?.receiver.state === 'listening' && state.core.connection.phase === 'open',
  }))
  return (
    <Button
      kind={isPrimary ? 'primary' : 'plain'}
      icon={<Send size={13} aria-hidden />}
      disabled={!canSend || sending}
      onClick={() => void sendSample()}
    >
      <span className={isPrimary ? '' : '@max-[640px]:sr-only'}>
        {sending ? 'Sending…' : 'Send sample'}
      </span>
    </Button>
  )
}
