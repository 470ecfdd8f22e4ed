/** What has to be agreed to before anything is sent again: how many requests that is, and that some are of a live environment. */
import { AppError } from '../../shared/contract/errors.ts'
import { confirmLive } from '../hooks/live-guard.ts'

/** So many sends can stand in one job. */
const MOST_SENDS = 1_000_000

/**
 * `most` is what was agreed to; null: as many as there are. Throws `CONFIRMATION_REQUIRED` where it is more, and `INVALID_INPUT`
 * where no job can have so many.
 */
export function checkCount(count: number, most: number | null): void {
  if (count > MOST_SENDS)
    throw new AppError('INVALID_INPUT', `These are ${count.toLocaleString('en')} sends: a replay has a million at most.`)
  if (most === null || count <= most) return
  throw new AppError('CONFIRMATION_REQUIRED', `${count.toLocaleString('en')} requests would be sent: confirm the count.`, {
    details: { count },
  })
}

/**
 * `names` are those of the live environments that deliveries are of, null for one that is not known any more; one consent is for
 * all of them, so all are named. Throws `CONFIRMATION_REQUIRED` where there are some and `live` is not given.
 */
export function confirmLiveOnes(names: readonly (string | null)[], live: boolean): void {
  if (names.length === 0) return
  const all = [...new Set(names)].map((name) => name ?? 'The environment of these deliveries')
  confirmLive({ name: all.join(' and '), mode: 'live' }, live, 'sending its deliveries again')
}
