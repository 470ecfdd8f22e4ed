/** Asked before requests leave this machine for a host. */
import { Consent, type ConsentProps } from './consent.tsx'

export interface HostConfirmationProps extends Omit<ConsentProps, 'label' | 'headline' | 'first'> {
  readonly host: string
  /** False of a name that leads nowhere just now: nothing shows that it is this machine. */
  readonly hasAddress?: boolean
}

export function HostConfirmation({ host, hasAddress = true, ...rest }: HostConfirmationProps) {
  return (
    <Consent
      label={`Agree to ${host}`}
      headline={hasAddress ? `${host} is not this machine.` : `${host} has no address just now: it may be any machine.`}
      first="action"
      {...rest}
    />
  )
}
