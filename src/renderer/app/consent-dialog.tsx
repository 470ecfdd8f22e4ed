/** The question for consent: to a remote host, to live environments, or to many requests. */
import { counted, listed } from '../../shared/text/english.ts'
import type { ConsentQuestion } from '../core-data/asking-client.ts'
import { isOfSandbox } from '../core-data/environments.ts'
import { useParts } from '../ui-state/use-app.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useFirstFocus } from '../ui/use-first-focus.ts'

/** Sentences on the data sent to a remote host, by the first part of the command. */
const hostSentences: Readonly<Record<string, string>> = {
  check: 'The check sends valid and forged deliveries there. Make sure that its owner knows.',
  flows: "Flows send signed deliveries there, with your handler's secret.",
  forward: 'Every matching delivery leaves this computer, signed and complete.',
  handlers: 'Countersign connects now and sends nothing.',
  replay: 'Requests are sent there in full, signed.',
  sandbox: 'The sandbox sends validly signed deliveries there.',
}

const REMEMBERED = 'Countersign remembers it. To revoke it, open Settings → Safety.'

interface Words {
  readonly title: string
  readonly headline: string
  readonly action: string
  readonly sentences: readonly string[]
}

function wordsOf(question: ConsentQuestion): Words {
  if (question.about === 'host') {
    const { host, hasAddress, requests, command } = question
    const most = requests === null ? '' : ` Up to ${counted(requests, 'request')}.`
    return {
      title: 'Send to a remote host?',
      headline: `${host} ${hasAddress ? 'is' : "doesn't resolve, so it may be"} a remote host.`,
      action: `Send to ${host}`,
      sentences: [
        `${hostSentences[command.split('.')[0] ?? ''] ?? ''}${most}`,
        `This allows all sends to ${host}. ${REMEMBERED}`,
      ],
    }
  }
  if (question.about === 'live') {
    const { environments, what } = question
    const all = listed(environments, 'and')
    const isReal = !environments.every(isOfSandbox)
    return {
      title: 'Allow live mode?',
      headline: `${all} ${environments.length === 1 ? 'is a live environment' : 'are live environments'}.`,
      action: `Allow ${all} (live)`,
      sentences: [
        `Needed for ${what}. ${isReal ? 'Real cards and money.' : 'Live mode of the sandbox: no real cards or money.'}`,
        `This allows changes in ${all}, and sends with its secrets. ${REMEMBERED}`,
      ],
    }
  }
  const requests = `${question.count.toLocaleString('en')} requests`
  return {
    title: 'Send this many?',
    headline: `${requests} will be sent.`,
    action: `Send ${requests}`,
    sentences: ['You can cancel at any time.'],
  }
}

export function ConsentDialog() {
  const { question, answer } = useParts('consent', 'question', 'answer')
  return (
    <Dialog
      open={question !== null}
      onClose={() => answer(false)}
      title={question === null ? '' : wordsOf(question).title}
    >
      {question !== null && <Question key={question.about} question={question} answer={answer} />}
    </Dialog>
  )
}

function Question({
  question,
  answer,
}: {
  readonly question: ConsentQuestion
  readonly answer: (agreed: boolean) => void
}) {
  const { headline, sentences, action } = wordsOf(question)
  // Pressing Enter twice must not allow a live environment.
  const isCareful = question.about === 'live'
  const focused = useFirstFocus<HTMLButtonElement>()
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium wrap-anywhere">{headline}</p>
      {sentences.map((sentence) => (
        <p key={sentence} className="wrap-anywhere text-muted">
          {sentence}
        </p>
      ))}
      <div className="mt-2 flex justify-end gap-2">
        <Button onClick={() => answer(false)} ref={isCareful ? focused : null}>
          Go back
        </Button>
        <Button kind="primary" onClick={() => answer(true)} ref={isCareful ? null : focused}>
          {action}
        </Button>
      </div>
    </div>
  )
}
