/** The dialog for consent that a call outside of a form needs (`consent-slice.ts`). */
import { listed } from '../../shared/text/counted.ts'
import { useParts } from '../state/use-app.ts'
import { Consent, HostConfirmation, LiveConfirmation } from './consent.tsx'
import { Dialog } from './dialog.tsx'
import { visibleText } from './visible-text.ts'

const titles = {
  host: 'Send to a remote host?',
  live: 'Send live deliveries?',
  count: 'Send this many?',
} as const

export function ConsentDialog() {
  const { question } = useParts('consent', 'question')
  const { answer } = useParts('consent', 'answer')
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
  const { question, words, answer } = useParts('consent', 'question', 'words', 'answer')
  if (question === null) return null
  const buttons = { busy: false, onConfirm: () => answer(true), onBack: () => answer(false) }
  if (question.about === 'host') {
    const { host, hasAddress } = question
    return (
      <HostConfirmation
        host={visibleText(host)}
        hasAddress={hasAddress}
        action={`Send to ${visibleText(host)}`}
        {...buttons}
      >
        {words === null
          ? "Requests are sent there in full. You won't be asked again for this host until you quit Countersign."
          : 'The sandbox sends it validly signed deliveries. You will be asked again the next time.'}
      </HostConfirmation>
    )
  }
  if (question.about === 'live')
    return (
      <LiveConfirmation
        environment={question.environments}
        action={`${words?.action ?? `Send deliveries of ${listed(question.environments, 'and')}`} (live)`}
        {...buttons}
      >
        {words?.what ??
          'These deliveries involve real cards and money. Your endpoint will process valid ones.'}
      </LiveConfirmation>
    )
  const requests = `${question.count.toLocaleString('en')} requests`
  return (
    <Consent
      label={requests}
      headline={`${requests} will be sent.`}
      action={`Send ${requests}`}
      first="action"
      {...buttons}
    >
      You can cancel at any time.
    </Consent>
  )
}
