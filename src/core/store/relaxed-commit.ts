/** Commits that need not wait for the disk: what is lost of them in a power cut can be done again. The deliveries' own always wait. */
import type { WritableDb } from './open.ts'

/** Runs `work`, whose transactions do not wait for the disk. */
export function withRelaxedCommit<Result>(db: WritableDb, work: () => Result): Result {
  db.pragma('synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.pragma('synchronous = FULL')
  }
}
