/**
 * Database queries for retention and the storage screen: the oldest deliveries without a pin, free space, and returning it to the
 * disk.
 */
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { systemClock } from '../base/system-clock.ts'

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
  readonly pageBytes: number
  /** Whether the file can be shrunk in pieces. */
  readonly incremental: boolean
}

export function fileUse(db: ReadableDb): FileUse {
  const number = (name: string) => db.pragma(name, { simple: true }) as number
  const size = number('page_size')
  const free = number('freelist_count') * size
  return {
    used: number('page_count') * size - free,
    free,
    pageBytes: size,
    incremental: isIncremental(db),
  }
}

// Returns free pages of the database to the disk, a few at a time, so that no acknowledgement waits for all of them. Files are
// created for it (`auto_vacuum = INCREMENTAL`); older files support it after being rewritten (`rewriting/`).

/** Pages moved between two checks of the clock. */
const PAGES_A_LOOK = 16

const INCREMENTAL = 2

/** Whether the file can be shrunk in pieces. */
function isIncremental(db: ReadableDb): boolean {
  return db.pragma('auto_vacuum', { simple: true }) === INCREMENTAL
}

/** Free pages left. */
function freePages(db: ReadableDb): number {
  return db.pragma('freelist_count', { simple: true }) as number
}

/** Returns free pages for about `budgetMs`, at least a few even on a busy computer; returns the number left. */
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

/** Writes the log back into the file, as far as no reader needs it, so that the file shrinks on disk. */
export function writeBackLog(db: WritableDb): void {
  db.pragma('wal_checkpoint(PASSIVE)')
}

/** SQLite's own number of log pages after which a commit writes them back. */
const AUTO_CHECKPOINT_PAGES = 1_000

/**
 * Whether a commit writes a long log back automatically. Not while the log may contain the whole database: that commit would take
 * seconds.
 */
export function setAutoCheckpoint(db: WritableDb, isOn: boolean): void {
  db.pragma(`wal_autocheckpoint = ${isOn ? AUTO_CHECKPOINT_PAGES : 0}`)
}
