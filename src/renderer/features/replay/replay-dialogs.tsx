/** The replay dialogs: target, composer, results and consent. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { listed } from '../../../shared/text/counted.ts'
import type { ConsentQuestion } from '../../state/consent-question.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Dialog, useFirstFocus } from '../../ui/dialog.tsx'
import { eventWord } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { Composer } from './composer.tsx'
import type { ReplaySource } from './replay-slice.ts'
import { ReplaysPanel } from './replays-panel.tsx'
import { TargetForm } from './target-form.tsx'

const titles = {
  host: 'Send to a remote host?',
  live: 'Send live deliveries?',
  count: 'Send this many?',
} as const

/** Asks for consent: once per host, by name for live environments, with the count for large replays. */
function ConsentDialog() {
  const { question, answerQuestion: answer } = useParts('replay', 'question', 'answerQuestion')
  return (
    <Dialog
      open={question !== null}
      onClose={() => answer(false)}
      title={question === null ? '' : titles[question.about]}
    >
      {question !== null && <Question key={question.about} question={question} onAnswer={answer} />}
    </Dialog>
  )
}

function Question({
  question,
  onAnswer,
}: {
  readonly question: ConsentQuestion
  readonly onAnswer: (agreed: boolean) => void
}) {
  const first = useFirstFocus<HTMLButtonElement>()
  const back = () => onAnswer(false)
  const go = () => onAnswer(true)
  if (question.about === 'live') {
    return (
      <LiveConfirmation
        environment={question.environments}
        action={`Send deliveries of ${listed(question.environments, 'and')} (live)`}
        busy={false}
        onConfirm={go}
        onBack={back}
      >
        These deliveries involve real cards and money. Your endpoint will process valid ones.
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
            ? 'is not on this computer. Requests are sent there in full.'
            : "doesn't resolve right now. Correct it, or allow sending full requests to wherever it resolves."}{' '}
          You won't be asked again for this host until you quit Countersign.
        </p>
      ) : (
        <p>{count} requests will be sent. You can cancel at any time.</p>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button className="h-8" onClick={back}>
          Go back
        </Button>
        <Button kind="primary" className="h-8" onClick={go} ref={first}>
          <span className="max-w-72 truncate">
            {question.about === 'host'
              ? `Send to ${visibleText(question.host)}`
              : `Send ${count} requests`}
          </span>
        </Button>
      </div>
    </>
  )
}

/** The title of a replay. */
function titleOf(source: ReplaySource): string {
  if (source.kind === 'query')
    return source.query === '' ? 'Replay all deliveries' : 'Replay matching deliveries'
  return source.rows.length === 1
    ? 'Replay with changes'
    : `Replay ${source.rows.length.toLocaleString('en')} deliveries`
}

/** The target dialog's words for one or several deliveries and hooks. For a query, both numbers are unknown. */
export function whereWords(source: ReplaySource): {
  readonly title: string
  readonly description: string
} {
  const isOne = source.kind === 'rows' && source.rows.length === 1
  const isOfOneHook =
    source.kind === 'rows' && new Set(source.rows.map(({ hookId }) => hookId)).size === 1
  return {
    title: `Choose where to send ${isOne ? 'it' : 'them'}`,
    description: `Later replays for ${isOfOneHook ? 'this hook' : 'these hooks'} go there directly.`,
  }
}

export function ReplayDialogs() {
  const { overlay, closeOverlay } = useParts('navigation', 'overlay', 'closeOverlay')
  const source = useApp((state) => state.replay.source)
  const only = source?.kind === 'rows' && source.rows.length === 1 ? source.rows[0] : undefined
  return (
    <>
      <Dialog
        open={overlay === 'replays'}
        onClose={closeOverlay}
        title="Replays"
        description="Deliveries sent again, newest first."
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
        {...(only === undefined
          ? {}
          : { description: `${eventWord(only).text} ${shortIdOf(only.id)}` })}
        large
      >
        {source !== null && <Composer source={source} onDone={closeOverlay} />}
      </Dialog>
      <ConsentDialog />
    </>
  )
}
