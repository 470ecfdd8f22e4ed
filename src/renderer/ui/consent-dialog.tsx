/** The dialog for consent that a call outside of a form needs (`consent-slice.ts`). */
import { listed } from '../../shared/text/counted.ts'
import { useApp } from '../state/use-app.ts'
import { ConsentBox, HostConfirmation, LiveConfirmation } from './consent.tsx'
import { Dialog } from './dialog.tsx'

const titles = {
  host: 'Send to a remote host?',
  live: 'Send live deliveries?',
  count: 'Send this many?',
} as const

export function ConsentDialog() {
  const { question, answer } = useApp((state) => state.consent)
  return (
    <Dialog
      open={question !== null}
      onClose={() => answer(false)}
      title={question === null ? '' : titles[question.about]}
    >
      {question !== null && <Question key={question.about} />}
    </Dialog>
  )
}

function Question() {
  const { question, action, answer } = useApp((state) => state.consent)
  const buttons = { busy: false, onConfirm: () => answer(true), onBack: () => answer(false) }
  switch (question?.about) {
    case 'host':
      return (
        <HostConfirmation {...question} {...buttons} action={`Send to ${question.host}`}>
          {action === null
            ? "Requests are sent there in full. You won't be asked again for this host until you quit Countersign."
            : 'The sandbox sends validly signed deliveries there. This allows one attempt, no retries.'}
        </HostConfirmation>
      )
    case 'live': {
      const { environments } = question
      const label = action ?? `Send deliveries of ${listed(environments, 'and')}`
      return (
        <LiveConfirmation environment={environments} {...buttons} action={`${label} (live)`}>
          {action === null
            ? 'These deliveries involve real cards and money. Your endpoint will process valid ones.'
            : 'Sends to your live hooks. Live mode of the sandbox: no real cards or money.'}
        </LiveConfirmation>
      )
    }
    case 'count': {
      const requests = `${question.count.toLocaleString('en')} requests`
      return (
        <ConsentBox
          label={requests}
          headline={`${requests} will be sent.`}
          action={`Send ${requests}`}
          first="action"
          {...buttons}
        >
          You can cancel at any time.
        </ConsentBox>
      )
    }
    case undefined:
      return null
  }
}
