/** The dialogs of replays: target, composer, sends, and the consent questions. */
import { listed, type ConsentQuestion } from '../../state/consent-question.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Dialog, useFirstFocus } from '../../ui/dialog.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { Composer } from './composer.tsx'
import type { ReplaySource } from './replay-slice.ts'
import { ReplaysPanel } from './replays-panel.tsx'
import { TargetForm } from './target-form.tsx'

const titles = { host: 'Send to another machine?', live: 'Send live deliveries?', count: 'Send that many?' } as const

/** Asks for what a replay needs to be agreed to: once per host, by name for a live environment, with the count for many. */
function ConsentDialog() {
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

/** What a replay is of, in words. */
function titleOf(source: ReplaySource): string {
  if (source.kind === 'query') return source.query === '' ? 'Replay all deliveries' : 'Replay what the filter finds'
  return source.rows.length === 1 ? 'Replay with changes' : `Replay ${source.rows.length.toLocaleString('en')} deliveries`
}

/** The question where to, of one delivery or several, of one hook or several; of a search neither number is known. */
export function whereWords(source: ReplaySource): { readonly title: string; readonly description: string } {
  const isOne = source.kind === 'rows' && source.rows.length === 1
  const isOfOneHook = source.kind === 'rows' && new Set(source.rows.map(({ hookId }) => hookId)).size === 1
  return {
    title: `Where to send ${isOne ? 'it' : 'them'}?`,
    description: `Later replays of ${isOfOneHook ? 'this hook' : 'these hooks'} go there at once.`,
  }
}

export function ReplayDialogs() {
  const { overlay, closeOverlay } = useParts('navigation', 'overlay', 'closeOverlay')
  const source = useApp((state) => state.replay.source)
  return (
    <>
      <Dialog
        open={overlay === 'replays'}
        onClose={closeOverlay}
        title="Replays"
        description="What was sent again, newest first."
        large
      >
        <ReplaysPanel onLeave={closeOverlay} />
      </Dialog>
      <Dialog
        open={overlay === 'replay-target' && source !== null}
        onClose={closeOverlay}
        {...(source === null ? { title: '' } : whereWords(source))}
      >
        {source !== null && <TargetForm source={source} onDone={closeOverlay} />}
      </Dialog>
      <Dialog
        open={overlay === 'replay-composer' && source !== null}
        onClose={closeOverlay}
        title={source === null ? '' : titleOf(source)}
        large
      >
        {source !== null && <Composer source={source} onDone={closeOverlay} />}
      </Dialog>
      <ConsentDialog />
    </>
  )
}
