/** Commits that need not wait for the disk: what is lost of them in a power cut can be done again. The deliveries' own always wait. */
import type { WritableDb } from './open.ts'

/**
 * Runs `work`, whose transactions do not wait for the disk. By `exec`: the library's own way to set a pragma makes a statement for
 * it each time, which takes longer than a small transaction.
 */
export function withRelaxedCommit<Result>(db: WritableDb, work: () => Result): Result {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}
