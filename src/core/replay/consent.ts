/** The most sends a replay may have: the limit of a job, or the number confirmed if that is lower. */
import { AppError } from '../../shared/contract/errors.ts'

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
