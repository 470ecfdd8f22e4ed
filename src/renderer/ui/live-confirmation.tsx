/** Asked before each call that changes something in a live environment. */
import { Consent, type ConsentProps } from './consent.tsx'

export interface LiveConfirmationProps extends Omit<ConsentProps, 'label' | 'headline'> {
  readonly environment: string
}

export function LiveConfirmation({ environment, ...rest }: LiveConfirmationProps) {
  return <Consent label={`Confirm for ${environment}`} headline={`${environment} is a live environment.`} {...rest} />
}
