/**
 * What retention and the storage screen ask of the database: its oldest deliveries without a pin, its free room, and giving
 * that back.
 */
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { systemClock } from '../base/system-clock.ts'

/** A delivery as far as retention looks at it. */
interface Oldest {
  readonly seq: number
  /** In milliseconds since the epoch. */
  readonly receivedAt: number
  /** Bytes of its body, its headers and its path. */
  readonly bytes: number
}

const IS_SPARED = 'd.seq IN (SELECT seq FROM deleted) OR d.seq IN (SELECT seq FROM marks WHERE pinned = 1)'

/** The oldest deliveries that are neither pinned nor deleted, after a seq, oldest first. */
export function oldestUnpinned(db: ReadableDb, { after, limit }: { readonly after: number; readonly limit: number }): Oldest[] {
  return db
    .prepare<[number, number], Oldest>(
      `SELECT d.seq, d.received_at AS receivedAt, min(d.body_size, coalesce((SELECT length(b.bytes) FROM bodies b WHERE d.truncated = 1 AND b.seq = d.seq), d.body_size))
         + length(d.headers) + coalesce(length(d.path), 0) AS bytes
       FROM deliveries d WHERE d.seq > ? AND NOT (${IS_SPARED}) ORDER BY d.seq LIMIT ?`,
    )
    .all(after, limit)
}

/** How much of the database file is used, and how much of it is free for what comes next, in bytes. */
export interface FileUse {
  readonly used: number
  readonly free: number
  readonly pageBytes: number
  /** Whether the file can be made smaller piece by piece. */
  readonly incremental: boolean
}

export function fileUse(db: ReadableDb): FileUse {
  const number = (name: string) => db.pragma(name, { simple: true }) as number
  const size = number('page_size')
  const free = number('freelist_count') * size
  return { used: number('page_count') * size - free, free, pageBytes: size, incremental: isIncremental(db) }
}

// Returns free pages of the database to the disk, a few at a time, so that no acknowledgement waits for all of them. Files are
// created for it (`auto_vacuum = INCREMENTAL`); an older file becomes so by being rewritten (`rewriting/`).

/** So many pages are moved between two looks at the clock. */
const PAGES_A_LOOK = 16

const INCREMENTAL = 2

/** Whether the file can be made smaller piece by piece. */
function isIncremental(db: ReadableDb): boolean {
  return db.pragma('auto_vacuum', { simple: true }) === INCREMENTAL
}

/** Free pages that are left. */
function freePages(db: ReadableDb): number {
  return db.pragma('freelist_count', { simple: true }) as number
}

/** Gives free pages back for about `budgetMs`, some even where a busy machine has used that up at once; gives the number of those that are left. */
export function compactStep(db: WritableDb, budgetMs: number): number {
  const until = systemClock.monotonic() + budgetMs
  return withRelaxedCommit(db, () => {
    let left: number
    do {
      db.pragma(`incremental_vacuum(${PAGES_A_LOOK})`)
      left = freePages(db)
    } while (left > 0 && systemClock.monotonic() < until)
    return left
  })
}

/** Writes the log back into the file, as far as no reader needs it, so that what was given back is seen on the disk. */
export function writeBackLog(db: WritableDb): void {
  db.pragma('wal_checkpoint(PASSIVE)')
}

/** SQLite's own number of pages in the log after which a commit writes them back. */
const AUTO_CHECKPOINT_PAGES = 1_000

/** Whether a commit writes a long log back by itself. Not while the whole database may stand in it: that commit would take seconds. */
export function setAutoCheckpoint(db: WritableDb, isOn: boolean): void {
  db.pragma(`wal_autocheckpoint = ${isOn ? AUTO_CHECKPOINT_PAGES : 0}`)
}
