/** Guards live environments: every change or send needs confirmation. */
import { AppError } from '../../shared/contract/errors.ts'
import { listed } from '../../shared/text/counted.ts'
import type { StoredEnvironment } from '../store/hooks.ts'

/** The error for an unconfirmed action. `what` is a gerund, such as `deleting a hook`. */
export function liveRefusal(environments: readonly string[], what: string): AppError {
  const all = listed(environments, 'and')
  const are = environments.length === 1 ? 'is a live environment' : 'are live environments'
  return new AppError('CONFIRMATION_REQUIRED', `${all} ${are}. To confirm ${what}, add --live.`, {
    details: { environment: all, environments },
  })
}

/** Throws `CONFIRMATION_REQUIRED`, naming the environment, if it is live and `live` doesn't confirm `what`. */
export function confirmLive(
  environment: Pick<StoredEnvironment, 'name' | 'mode'>,
  live: boolean,
  what: string,
): void {
  if (environment.mode === 'live' && !live) throw liveRefusal([environment.name], what)
}
