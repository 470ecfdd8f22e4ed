/**
 * Ends slow or cancelled reads. SQLite's interrupt can't be called here, so scanning statements ask
 * every 256 deliveries.
 */
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { systemClock } from '../base/system-clock.ts'

/** Milliseconds that a read may block its thread. */
export const READ_LIMIT_MS = 5_000

interface Read {
  readonly limitMs: number
  readonly until: number
  isCancelled(): boolean
}

const reads = new WeakMap<Database, Read>()

/** Begins a read, whose statements end after `limitMs` or if cancelled. */
export function startRead(
  db: Database,
  { limitMs, isCancelled }: Pick<Read, 'limitMs' | 'isCancelled'>,
): void {
  reads.set(db, { limitMs, isCancelled, until: systemClock.monotonic() + limitMs })
}

/** Ends the current read after `ms` at the latest. */
export function endReadWithin(db: Database, ms: number): void {
  const read = reads.get(db)
  if (read !== undefined)
    reads.set(db, { ...read, until: Math.min(read.until, systemClock.monotonic() + ms) })
}

export const isTooSlow = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'TOO_SLOW'

export function defineStillWanted(db: Database): void {
  db.function('still_wanted', { deterministic: false, directOnly: true }, () => {
    const read = reads.get(db)
    if (read === undefined) return 1
    if (read.isCancelled()) throw new AppError('CANCELLED', 'The search was cancelled.')
    if (systemClock.monotonic() >= read.until)
      throw new AppError(
        'TOO_SLOW',
        `This search took longer than ${read.limitMs / 1_000} s. Narrow it, for example with after:2h.`,
      )
    return 1
  })
}

/** Returns a condition, to put first, that throws if the read of scanned seqs must end. */
export const stillWanted = (seq: string): string => `((${seq} & 255) <> 0 OR still_wanted())`
