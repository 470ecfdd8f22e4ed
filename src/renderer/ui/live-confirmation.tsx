/** Asked before each call that changes something in a live environment. */
import { listed } from '../state/consent-question.ts'
import { Consent, type ConsentProps } from './consent.tsx'

export interface LiveConfirmationProps extends Omit<ConsentProps, 'label' | 'headline' | 'first'> {
  /** One, or all that are meant. */
  readonly environment: string | readonly string[]
}

export function LiveConfirmation({ environment, ...rest }: LiveConfirmationProps) {
  const names = typeof environment === 'string' ? [environment] : environment
  const all = listed(names)
  const headline = names.length === 1 ? `${all} is a live environment.` : `${all} are live environments.`
  return <Consent label={`Confirm for ${all}`} headline={headline} first="back" {...rest} />
}
