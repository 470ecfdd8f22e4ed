/** Asked before requests leave this machine for a host. */
import { Consent, type ConsentProps } from './consent.tsx'

export interface HostConfirmationProps extends Omit<ConsentProps, 'label' | 'headline'> {
  readonly host: string
}

export function HostConfirmation({ host, ...rest }: HostConfirmationProps) {
  return <Consent label={`Agree to ${host}`} headline={`${host} is not this machine.`} {...rest} />
}
