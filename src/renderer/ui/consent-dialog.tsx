/** The one question for consent: to a remote host, to live environments, or to a large number of requests. */
import type { ReactNode } from 'react'
import { counted, listed } from '../../shared/text/counted.ts'
import type { ConsentQuestion } from '../data/asking-client.ts'
import { isOfSandbox } from '../state/environments.ts'
import { useParts } from '../state/use-app.ts'
import { Button } from './button.tsx'
import { Dialog, useFirstFocus } from './dialog.tsx'

/** What a command sends to a remote host, by the first part of its name. */
const sent: Readonly<Record<string, string>> = {
  check: 'The check sends valid and forged deliveries there. Make sure that its owner knows.',
  flows: "Flows send signed deliveries there, with your handler's secret.",
  forward: 'Every matching delivery leaves this computer, signed and complete.',
  handlers: 'Countersign connects now and sends nothing.',
  replay: 'Requests are sent there in full, signed.',
  sandbox: 'The sandbox sends validly signed deliveries there.',
}

interface Words {
  readonly title: string
  /** For screen readers. */
  readonly label: string
  readonly headline: string
  readonly about: readonly ReactNode[]
  readonly action: string
}

const KEPT = 'Countersign remembers it. To revoke it, open Settings → Safety.'

function wordsOf(question: ConsentQuestion): Words {
  switch (question.about) {
    case 'host': {
      const { host, hasAddress, requests, command } = question
      const most = requests === null ? '' : `Up to ${counted(requests, 'request')}. `
      return {
        title: 'Send to a remote host?',
        label: `Allow ${host}`,
        headline: hasAddress
          ? `${host} is a remote host.`
          : `${host} doesn't resolve, so it may be a remote host.`,
        about: [
          `${most}${sent[command.split('.')[0] ?? ''] ?? ''}`,
          `This allows all sends to ${host}. ${KEPT}`,
        ],
        action: `Send to ${host}`,
      }
    }
    case 'live': {
      const { environments, what } = question
      const all = listed(environments, 'and')
      return {
        title: environments.length === 1 ? 'Allow a live environment?' : 'Allow live environments?',
        label: `Confirm for ${all}`,
        headline:
          environments.length === 1
            ? `${all} is a live environment.`
            : `${all} are live environments.`,
        about: [
          `Needed for ${what}. ${environments.every(isOfSandbox) ? 'Live mode of the sandbox: no real cards or money.' : 'Real cards and money.'}`,
          `This allows changes to ${all}, and sends with live secrets. ${KEPT}`,
        ],
        action: `Allow ${all} (live)`,
      }
    }
    case 'count': {
      const requests = `${question.count.toLocaleString('en')} requests`
      return {
        title: 'Send this many?',
        label: requests,
        headline: `${requests} will be sent.`,
        about: ['You can cancel at any time.'],
        action: `Send ${requests}`,
      }
    }
  }
}

export function ConsentDialog() {
  const { question, answer } = useParts('consent', 'question', 'answer')
  const words = question === null ? null : wordsOf(question)
  return (
    <Dialog open={words !== null} onClose={() => answer(false)} title={words?.title ?? ''}>
      {question !== null && words !== null && (
        // Pressing Enter twice must not allow a live environment.
        <Question key={words.label} words={words} isCareful={question.about === 'live'} />
      )}
    </Dialog>
  )
}

function Question({
  words: { label, headline, about, action },
  isCareful,
}: {
  readonly words: Words
  readonly isCareful: boolean
}) {
  const { answer } = useParts('consent', 'answer')
  const focused = useFirstFocus<HTMLButtonElement>()
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-2">
      <p className="font-medium wrap-anywhere">{headline}</p>
      {about.map((sentence, index) => (
        <p key={index} className="wrap-anywhere text-muted">
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
