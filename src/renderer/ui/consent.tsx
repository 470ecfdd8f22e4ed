/** Confirmations by name: the question, the consequence, and a way back. */
import type { ReactNode } from 'react'
import { listed } from '../../shared/text/counted.ts'
import { Button } from './button.tsx'
import type { Consents, FormQuestion } from './use-consents.ts'
import { FormFoot, useFirstFocus } from './dialog.tsx'
import { ProblemView } from './problem-view.tsx'
import type { Form } from './use-form.ts'

interface ConsentProps {
  /** The group's label for screen readers. */
  readonly label: string
  readonly headline: string
  /** The consequence, as a sentence. */
  readonly children: ReactNode
  readonly action: string
  readonly busy: boolean
  /** Which button gets the focus: the confirmation, or the way back if pressing Enter twice must not confirm. */
  readonly first: 'action' | 'back'
  readonly onConfirm: () => void
  readonly onBack: () => void
}

export function ConsentBox({
  label,
  headline,
  children,
  action,
  busy,
  first,
  onConfirm,
  onBack,
}: ConsentProps) {
  const focused = useFirstFocus<HTMLButtonElement>(!busy)
  return (
    <div
      role="group"
      aria-label={label}
      className="rounded-control border border-warn bg-warn-wash p-3"
    >
      <p className="font-medium wrap-anywhere">{headline}</p>
      <p className="mt-0.5 wrap-anywhere text-muted">{children}</p>
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={onBack} ref={first === 'back' ? focused : null}>
          Go back
        </Button>
        <Button
          kind="primary"

          disabled={busy}
          onClick={onConfirm}
          ref={first === 'action' ? focused : null}
        >
          {action}
        </Button>
      </div>
    </div>
  )
}

interface HostConfirmationProps extends Omit<ConsentProps, 'label' | 'headline' | 'first'> {
  readonly host: string
  /** False if the name doesn't resolve, so it can't be shown to be this computer. */
  readonly hasAddress?: boolean
}

/** Asked before requests are sent to a remote host. */
export function HostConfirmation({ host, hasAddress = true, ...rest }: HostConfirmationProps) {
  return (
    <ConsentBox
      label={`Allow ${host}`}
      headline={
        hasAddress
          ? `${host} is a remote host.`
          : `${host} doesn't resolve, so it may be a remote host.`
      }
      first="action"
      {...rest}
    />
  )
}

interface LiveConfirmationProps extends Omit<ConsentProps, 'label' | 'headline' | 'first'> {
  /** One environment, or all that are affected. */
  readonly environment: string | readonly string[]
}

/** Asked before each call that changes something in a live environment. */
export function LiveConfirmation({ environment, ...rest }: LiveConfirmationProps) {
  const names = typeof environment === 'string' ? [environment] : environment
  const all = listed(names, 'and')
  const headline =
    names.length === 1 ? `${all} is a live environment.` : `${all} are live environments.`
  return <ConsentBox label={`Confirm for ${all}`} headline={headline} first="back" {...rest} />
}

/** The end of a dialog's form: why its call failed, and its buttons or, for a live environment, the confirmation by name. */
export function FormEnd<Draft extends object>({
  form: { busy, problem, confirming, send, back },
  live,
  covered = [],
  action,
  busyWords,
  children,
  ...foot
}: {
  readonly form: Form<Draft>
  /** The live environments that are changed, or null. */
  readonly live: string | readonly string[] | null
  /** Fields that show their findings themselves. */
  readonly covered?: readonly string[]
  readonly action: string
  readonly busyWords: string
  readonly onCancel: (() => void) | null
  readonly disabled?: boolean
  readonly aside?: ReactNode
  /** The consequence in a live environment, as a sentence. */
  readonly children?: ReactNode
}) {
  const words = live === null ? action : `${action} (live)`
  return (
    <>
      {problem !== null && <ProblemView problem={problem} covered={covered} />}
      {confirming && live !== null ? (
        <LiveConfirmation
          environment={live}
          action={busy ? busyWords : words}
          busy={busy}
          onConfirm={send}
          onBack={back}
        >
          {children}
        </LiveConfirmation>
      ) : (
        <FormFoot action={words} busyWords={busyWords} busy={busy} {...foot} />
      )}
    </>
  )
}

interface AskedConsentProps {
  readonly consents: Consents
  /** The button's label and the consequence, as a sentence. */
  readonly words: (question: FormQuestion) => { readonly action: string; readonly what: ReactNode }
}

/** The confirmation that a call needs before it sends, with its button. Renders nothing if none is needed. */
export function AskedConsent({
  consents: { question, busy, agree, clear },
  words,
}: AskedConsentProps) {
  if (question === null) return null
  const { action, what } = words(question)
  const common = { action, busy, onConfirm: agree, onBack: clear, children: what }
  return question.about === 'host' ? (
    <HostConfirmation
      key="host"
      host={question.host}
      hasAddress={question.hasAddress}
      {...common}
    />
  ) : (
    <LiveConfirmation key="live" environment={question.environments} {...common} />
  )
}

/** A confirmation and what went wrong, above a screen's content. Renders nothing if there is neither. */
export function ConsentBand({
  className,
  ...asked
}: AskedConsentProps & { readonly className: string }) {
  const { question, problem } = asked.consents
  if (question === null && problem === null) return null
  return (
    <div className={className}>
      {problem !== null && <ProblemView problem={problem} />}
      <AskedConsent {...asked} />
    </div>
  )
}
