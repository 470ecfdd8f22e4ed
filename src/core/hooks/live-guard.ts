/** Guards live environments: every change or send needs consent. */
import { AppError } from '../../shared/contract/errors.ts'
import { type Consent, withoutConsent } from '../../shared/model/consent.ts'
import { listed } from '../../shared/text/english.ts'

/**
 * Throws `CONFIRMATION_REQUIRED`, naming the environments without consent.
 * @param what The action, as a gerund: `deleting a hook`.
 */
export function confirmLive(
  environments: readonly string[],
  consent: Pick<Consent, 'live'>,
  what: string,
): void {
  const missing = withoutConsent(environments, consent)
  if (missing.length === 0) return
  const all = listed(missing, 'and')
  const are = missing.length === 1 ? 'is a live environment' : 'are live environments'
  throw new AppError('CONFIRMATION_REQUIRED', `${all} ${are}. To confirm ${what}, add --live.`, {
    details: { environment: all, environments: missing, what },
  })
}
