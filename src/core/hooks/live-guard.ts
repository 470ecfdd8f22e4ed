/** The guard of live environments: what changes or sends there is confirmed by whoever asks for it, or does not happen. */
import { AppError } from '../../shared/contract/errors.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'

/** The refusal of what was not confirmed for live environments. `what` names it as a gerund: `deleting a hook there`. */
export function liveRefusal(environments: readonly string[], what: string): AppError {
  const all = new Intl.ListFormat('en').format(environments)
  const are = environments.length === 1 ? 'is a live environment' : 'are live environments'
  return new AppError('CONFIRMATION_REQUIRED', `${all} ${are}. To confirm ${what}, add --live.`, {
    details: { environment: all, environments },
  })
}

/** Throws `CONFIRMATION_REQUIRED`, naming the environment, if it is live and `live` does not confirm `what` (`liveRefusal`). */
export function confirmLive(environment: Pick<StoredEnvironment, 'name' | 'mode'>, live: boolean, what: string): void {
  if (environment.mode === 'live' && !live) throw liveRefusal([environment.name], what)
}
