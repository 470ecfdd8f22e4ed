/**
 * Database queries for retention and the storage screen: the oldest deliveries without a pin, free space, and returning it to the
 * disk.
 */
import { statSync } from 'node:fs'
import { AppError } from '../../shared/contract/errors.ts'
import {
  databaseFileOf,
  openForWriting,
  type ReadableDb,
  type WritableDb,
  withRelaxedCommit,
} from './open.ts'
import { systemClock } from '../base/system-clock.ts'
import { emptyLog } from './seals-repo.ts'

/** A delivery as retention needs it. */
interface Oldest {
  readonly seq: number
  /** In milliseconds since the epoch. */
  readonly receivedAt: number
  /** Bytes of its body, headers and path. */
  readonly bytes: number
}

const IS_SPARED =
  'd.seq IN (SELECT seq FROM deleted) OR d.seq IN (SELECT seq FROM marks WHERE pinned = 1)'

/** The oldest deliveries that are neither pinned nor deleted, after a seq, oldest first. */
export function oldestUnpinned(
  db: ReadableDb,
  { after, limit }: { readonly after: number; readonly limit: number },
): Oldest[] {
  return db
    .prepare<[number, number], Oldest>(
      `SELECT d.seq, d.received_at AS receivedAt, min(d.body_size, coalesce((SELECT length(b.bytes) FROM bodies b WHERE d.truncated = 1 AND b.seq = d.seq), d.body_size))
         + length(d.headers) + coalesce(length(d.path), 0) AS bytes
       FROM deliveries d WHERE d.seq > ? AND NOT (${IS_SPARED}) ORDER BY d.seq LIMIT ?`,
    )
    .all(after, limit)
}

/** How much of the database file is used and how much is free for new data, in bytes. */
export interface FileUse {
  readonly used: number
  readonly free: number
}

export function fileUse(db: ReadableDb): FileUse {
  const number = (name: string) => db.pragma(name, { simple: true }) as number
  const size = number('page_size')
  const free = number('freelist_count') * size
  return { used: number('page_count') * size - free, free }
}

/** Pages returned between two checks of the clock. */
const PAGES_A_LOOK = 16

/**
 * Returns free pages of the file to the disk for about `budgetMs`, so that no acknowledgement waits for all of them. Returns
 * whether more are left.
 */
export function returnPages(db: WritableDb, budgetMs: number): boolean {
  const until = systemClock.monotonic() + budgetMs
  const count = () => db.pragma('freelist_count', { simple: true }) as number
  return withRelaxedCommit(db, () => {
    const before = count()
    let left = before
    do {
      db.pragma(`incremental_vacuum(${PAGES_A_LOOK})`)
      left = count()
    } while (left > 0 && systemClock.monotonic() < until)
    return left > 0 && left < before
  })
}

/** Writes the log back into the file, as far as no reader needs it, so that the file shrinks on disk. */
export function writeBackLog(db: WritableDb): void {
  db.pragma('wal_checkpoint(PASSIVE)')
}

/**
 * Rewrites the whole file without free pages and without remains of deleted data. Nothing can be written meanwhile. Returns whether
 * the log is empty too; a reader may still need it.
 */
export function vacuum(db: WritableDb): boolean {
  db.exec('VACUUM')
  return emptyLog(db)
}

/**
 * Rewrites the database of a folder that no other process has open. Returns the bytes freed and the file's new size. If it fails, it
 * throws an `AppError` and nothing has changed.
 */
export function vacuumFile(dataFolder: string): {
  readonly freed: number
  readonly database: number
} {
  const file = databaseFileOf(dataFolder)
  const db = openForWriting(file)
  const before = statSync(file).size
  try {
    // A file of an early version can't return pages in pieces until it is rewritten.
    db.pragma('auto_vacuum = INCREMENTAL')
    vacuum(db)
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
