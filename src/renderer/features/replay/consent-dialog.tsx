/** Asks for what a replay needs to be agreed to: once per host, by name for a live environment, with the count for many. */
import { listed, type ConsentQuestion } from '../../state/consent-question.ts'
import { useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LiveConfirmation } from '../../ui/live-confirmation.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'
import { visibleText } from '../../ui/visible-text.ts'

const titles = { host: 'Send to another machine?', live: 'Send live deliveries?', count: 'Send that many?' } as const

export function ConsentDialog() {
  const { question, answerQuestion: answer } = useParts('replay', 'question', 'answerQuestion')
  return (
    <Dialog
      open={question !== null}
      onClose={() => {
        answer(false)
      }}
      title={question === null ? '' : titles[question.about]}
    >
      {question !== null && <Question key={question.about} question={question} onAnswer={answer} />}
    </Dialog>
  )
}

function Question({ question, onAnswer }: { readonly question: ConsentQuestion; readonly onAnswer: (agreed: boolean) => void }) {
  const first = useFirstFocus<HTMLButtonElement>()
  const back = () => {
    onAnswer(false)
  }
  const go = () => {
    onAnswer(true)
  }
  if (question.about === 'live') {
    return (
      <LiveConfirmation
        environment={question.environments}
        action={`Send deliveries of ${listed(question.environments)} (live)`}
        busy={false}
        onConfirm={go}
        onBack={back}
      >
        Its deliveries are about real cards and money. The endpoint takes genuine ones for real.
      </LiveConfirmation>
    )
  }
  const count = question.about === 'count' ? question.count.toLocaleString('en') : ''
  return (
    <>
      {question.about === 'host' ? (
        <p className="wrap-anywhere">
          <span className="data font-medium">{visibleText(question.host)}</span>{' '}
          {question.hasAddress
            ? 'is not this machine. What is sent goes there whole.'
            : 'has no address just now. Correct it, or agree: what is sent goes whole to wherever it leads then.'}{' '}
          Until Countersign is closed, you are not asked again for this host.
        </p>
      ) : (
        <p>{count} requests would be sent. They can be cancelled while they go.</p>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button className="h-8" onClick={back}>
          Go back
        </Button>
        <Button kind="primary" className="h-8" onClick={go} ref={first}>
          <span className="max-w-72 truncate">
            {question.about === 'host' ? `Send to ${visibleText(question.host)}` : `Send ${count} requests`}
          </span>
        </Button>
      </div>
    </>
  )
}
