/** The database file's space: the oldest deliveries, free pages, and their return to the disk. */
import { statfsSync, statSync } from 'node:fs'
import { systemClock } from '../base/system-clock.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { openForWriting } from './open.ts'
import { rowStatement } from './statements.ts'
import { type WritableDb, type ReadableDb, databaseFileOf } from './database.ts'
import { withRelaxedCommit, truncateLog } from './commit-modes.ts'

interface Oldest {
  readonly seq: number
  readonly receivedAt: number
  /** Bytes of its body, headers and path. */
  readonly bytes: number
}

const IS_SPARED =
  'd.seq IN (SELECT seq FROM deleted) OR d.seq IN (SELECT seq FROM marks WHERE pinned = 1)'

/** Reads the oldest deliveries that are neither pinned nor deleted. */
export function oldestUnpinned(
  db: ReadableDb,
  { after, limit }: { readonly after: number; readonly limit: number },
): Oldest[] {
  return rowStatement<Oldest>(
    db,
    `SELECT d.seq, d.received_at AS receivedAt, min(d.body_size, coalesce((SELECT length(b.bytes) FROM bodies b WHERE d.truncated = 1 AND b.seq = d.seq), d.body_size))
         + length(d.headers) + coalesce(length(d.path), 0) AS bytes
       FROM deliveries d WHERE d.seq > ? AND NOT (${IS_SPARED}) ORDER BY d.seq LIMIT ?`,
  ).all(after, limit)
}

/** Bytes in the file, and free ones on the disk. */
export interface FileUse {
  readonly used: number
  readonly free: number
  readonly onDisk: number
}

export function fileUse(db: ReadableDb): FileUse {
  const number = (name: string) => db.pragma(name, { simple: true }) as number
  const size = number('page_size')
  const free = number('freelist_count') * size
  const { bavail, bsize } = statfsSync(db.name)
  return { used: number('page_count') * size - free, free, onDisk: bavail * bsize }
}

const PAGES_PER_CHECK = 16

/** Gives free pages back to the disk; returns whether more are left. */
export function returnPages(db: WritableDb, budgetMs: number): boolean {
  const until = systemClock.monotonic() + budgetMs
  const count = () => db.pragma('freelist_count', { simple: true }) as number
  return withRelaxedCommit(db, () => {
    const before = count()
    let left = before
    do {
      db.pragma(`incremental_vacuum(${PAGES_PER_CHECK})`)
      left = count()
    } while (left > 0 && systemClock.monotonic() < until)
    return left > 0 && left < before
  })
}

export function writeBackLog(db: WritableDb): void {
  db.pragma('wal_checkpoint(PASSIVE)')
}

/** Rewrites the database without free pages; returns bytes. Throws an `AppError`. */
export function vacuumFile(dataFolder: string): {
  readonly freed: number
  readonly database: number
} {
  const file = databaseFileOf(dataFolder)
  const db = openForWriting(file)
  const before = statSync(file).size
  try {
    // A file of an early version can't give pages back before it is rewritten.
    db.pragma('auto_vacuum = INCREMENTAL')
    db.exec('VACUUM')
    truncateLog(db)
  } catch (error) {
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The database couldn't be rewritten (${(error as Error).message}). It is unchanged. It needs free disk space of about twice its size.`,
      { cause: error },
    )
  } finally {
    db.close()
  }
  const database = statSync(file).size
  return { freed: Math.max(0, before - database), database }
}
