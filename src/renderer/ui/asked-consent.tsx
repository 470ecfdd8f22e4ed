/** What a call asks before it sends, with the button that agrees to it by name. Nothing where it asks nothing. */
import type { ReactNode } from 'react'
import { HostConfirmation } from './host-confirmation.tsx'
import { LiveConfirmation } from './live-confirmation.tsx'
import type { Consents, FormQuestion } from './use-consents.ts'

export interface AskedConsentProps {
  readonly consents: Consents
  /** The words of the button, and what would happen, as a sentence. */
  readonly words: (question: FormQuestion) => { readonly action: string; readonly what: ReactNode }
}

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
