/** Asks before something that is agreed to by name: what it is about, what would happen, and the way back. */
import type { ReactNode } from 'react'
import { listed } from '../state/consent-question.ts'
import { Button } from './button.tsx'
import type { Consents, FormQuestion } from './use-consents.ts'
import { useFirstFocus } from './dialog.tsx'

interface ConsentProps {
  /** Of the group, for those who do not see it. */
  readonly label: string
  readonly headline: string
  /** What would happen, as a sentence. */
  readonly children: ReactNode
  readonly action: string
  readonly busy: boolean
  /** What has the focus first: what agrees, or, where Enter twice must not do it, the way back. */
  readonly first: 'action' | 'back'
  readonly onConfirm: () => void
  readonly onBack: () => void
}

function Consent({ label, headline, children, action, busy, first, onConfirm, onBack }: ConsentProps) {
  const focused = useFirstFocus<HTMLButtonElement>(!busy)
  return (
    <div role="group" aria-label={label} className="rounded-control border border-warn bg-warn-wash p-3">
      <p className="font-medium wrap-anywhere">{headline}</p>
      <p className="mt-0.5 wrap-anywhere text-muted">{children}</p>
      <div className="mt-3 flex justify-end gap-2">
        <Button className="h-8" onClick={onBack} ref={first === 'back' ? focused : null}>
          Go back
        </Button>
        <Button kind="primary" className="h-8" disabled={busy} onClick={onConfirm} ref={first === 'action' ? focused : null}>
          {action}
        </Button>
      </div>
    </div>
  )
}

interface HostConfirmationProps extends Omit<ConsentProps, 'label' | 'headline' | 'first'> {
  readonly host: string
  /** False of a name that leads nowhere just now: nothing shows that it is this machine. */
  readonly hasAddress?: boolean
}

/** Asked before requests leave this machine for a host. */
export function HostConfirmation({ host, hasAddress = true, ...rest }: HostConfirmationProps) {
  return (
    <Consent
      label={`Allow ${host}`}
      headline={hasAddress ? `${host} is a remote host.` : `${host} doesn’t resolve, so it may be a remote host.`}
      first="action"
      {...rest}
    />
  )
}

interface LiveConfirmationProps extends Omit<ConsentProps, 'label' | 'headline' | 'first'> {
  /** One, or all that are meant. */
  readonly environment: string | readonly string[]
}

/** Asked before each call that changes something in a live environment. */
export function LiveConfirmation({ environment, ...rest }: LiveConfirmationProps) {
  const names = typeof environment === 'string' ? [environment] : environment
  const all = listed(names)
  const headline = names.length === 1 ? `${all} is a live environment.` : `${all} are live environments.`
  return <Consent label={`Confirm for ${all}`} headline={headline} first="back" {...rest} />
}

interface AskedConsentProps {
  readonly consents: Consents
  /** The words of the button, and what would happen, as a sentence. */
  readonly words: (question: FormQuestion) => { readonly action: string; readonly what: ReactNode }
}

/** What a call asks before it sends, with the button that agrees to it by name. Nothing where it asks nothing. */
export function AskedConsent({ consents: { question, busy, agree, clear }, words }: AskedConsentProps) {
  if (question === null) return null
  const { action, what } = words(question)
  const common = { action, busy, onConfirm: agree, onBack: clear, children: what }
  return question.about === 'host' ? (
    <HostConfirmation key="host" host={question.host} hasAddress={question.hasAddress} {...common} />
  ) : (
    <LiveConfirmation key="live" environment={question.environments} {...common} />
  )
}
