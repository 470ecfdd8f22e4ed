/** The state of capture, and the button that sends a sample. */
import { Send } from 'lucide-react'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'

const captureWords = {
  listening: { word: 'Receiving', style: 'bg-ok' },
  paused: { word: 'Paused', style: 'bg-warn' },
  failed: { word: 'Not receiving', style: 'bg-bad' },
  off: { word: 'Not receiving', style: 'bg-edge' },
} as const

/** State of a receiver that listens but can't store: it returns 503. */
const failingCapture = { word: 'Not storing', style: 'bg-bad' } as const

/** State without a connection to the core. */
const unknownCapture = { word: 'Disconnected', style: 'bg-edge' } as const

/** Shows whether deliveries are received and stored. */
export function CaptureState() {
  const { receiver, problem, failing, connected } = useAppParts((state) => ({
    problem: state.core.problem,
    receiver: state.core.lastStatus?.receiver ?? null,
    failing: state.core.lastStatus?.store.state === 'failing',
    connected: state.core.connection.phase === 'open',
  }))
  if (receiver === null)
    return problem === null && <span className="late skeleton h-3 w-20 shrink-0" />
  const { word, style } = !connected
    ? unknownCapture
    : failing && receiver.state === 'listening'
      ? failingCapture
      : captureWords[receiver.state]
  return (
    <span className="inline-flex shrink-0 items-center gap-2 font-medium text-text" title={word}>
      <span className={`size-2 rounded-full ${style}`} aria-hidden />
      <span className="@max-[640px]:sr-only">{word}</span>
    </span>
  )
}

export function SampleButton({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  const { sending, sendSample, canSend } = useAppParts((state) => ({
    sending: state.list.sending,
    sendSample: state.list.sendSample,
    canSend:
      state.core.lastStatus?.receiver.state === 'listening' &&
      state.core.connection.phase === 'open',
  }))
  return (
    <Button
      kind={isPrimary ? 'primary' : 'plain'}
      icon={Send}
      disabled={!canSend || sending}
      onClick={() => void sendSample()}
    >
      <span className={isPrimary ? '' : '@max-[640px]:sr-only'}>
        {sending ? 'Sending…' : 'Send sample'}
      </span>
    </Button>
  )
}
