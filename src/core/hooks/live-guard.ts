/** The guard of live environments: what changes or sends there is confirmed by whoever asks for it, or does not happen. */
import { AppError } from '../../shared/contract/errors.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'

/**
 * Throws `CONFIRMATION_REQUIRED`, naming the environment, where it is live and `live` does not confirm it. `what` says what
 * would happen, as the subject of a sentence: `deleting a hook there`.
 */
export function confirmLive(environment: Pick<StoredEnvironment, 'name' | 'mode'>, live: boolean, what: string): void {
  if (environment.mode !== 'live' || live) return
  throw new AppError(
    'CONFIRMATION_REQUIRED',
    `${environment.name} is a live environment: ${what} has to be confirmed, with --live on the command line.`,
    { details: { environment: environment.name } },
  )
}
