/**
 * Gives free pages of the database back to the disk, a few at a time, so that an acknowledgement never waits for the whole. Files
 * are made for it (`auto_vacuum = INCREMENTAL`); one that was not is made so by being written anew (`rewriting/`).
 */
import { systemClock } from '../base/system-clock.ts'
import type { ReadableDb, WritableDb } from './open.ts'
import { withRelaxedCommit } from './relaxed-commit.ts'

/** So many pages are moved between two looks at the clock. */
const PAGES_A_LOOK = 16

const INCREMENTAL = 2

/** Whether the file can be made smaller piece by piece. */
export function isIncremental(db: ReadableDb): boolean {
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
