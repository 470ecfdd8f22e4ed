/** Modes of a commit: without a wait for the disk, or with deleted bytes overwritten. */
import type { WritableDb } from './database.ts'

/** Runs transactions that don't wait for the disk. */
export function withRelaxedCommit<Result>(db: WritableDb, work: () => Result): Result {
  // `exec` is faster than `pragma`.
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

/** Changes data and overwrites deleted bytes, which may be secrets. */
export function withSecureDelete<Result>(db: WritableDb, change: () => Result): Result {
  db.pragma('secure_delete = ON')
  try {
    return db.transaction(change).immediate()
  } finally {
    db.pragma('secure_delete = OFF')
  }
}

/** Truncates the write-ahead log; false if a reader still uses it. */
export function truncateLog(db: WritableDb): boolean {
  const timeout = db.pragma('busy_timeout', { simple: true }) as number
  db.pragma('busy_timeout = 0')
  try {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return result?.busy === 0
  } finally {
    db.pragma(`busy_timeout = ${timeout}`)
  }
}
