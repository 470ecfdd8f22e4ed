/**
 * Puts the copy of a database in the place of what it was made from, as one transaction of its log: whoever reads goes on reading
 * what was there, and a crash at any moment leaves the one or the other. Nobody else can write meanwhile, so it gives way when it is
 * told to, which takes it back as a whole.
 */
import Sqlite from 'better-sqlite3'
import { AppError } from '../../../shared/contract/errors.ts'
import type { FileCopy } from './file-copy.ts'

export interface PutBack {
  /** From 0 to 1. */
  done(): number
  /** Ends it soon; what it did is taken back, unless it is over. */
  stop(): void
  /** How it ended: `outdated` where somebody has written since the copy began, `busy` where somebody writes just then. */
  readonly ended: Promise<'done' | 'stopped' | 'outdated' | 'busy'>
}

/** Pages of a step: it takes some milliseconds, which is what a delivery may have to wait for. */
const PAGES_A_STEP = 200

class Taken extends Error {
  readonly reason: 'stopped' | 'outdated'
  constructor(reason: 'stopped' | 'outdated') {
    super(reason)
    this.reason = reason
  }
}

export function startPutBack({ db, version }: FileCopy, file: string): PutBack {
  let done = 0
  let stopped = false
  let begun = false
  const now = (pragma: string) => db.pragma(pragma, { simple: true }) as number

  async function put(): Promise<Awaited<PutBack['ended']>> {
    try {
      await db.backup(file, {
        progress({ totalPages, remainingPages }) {
          // From the first step on nobody else can write: what is the same now stays so.
          if (!begun && now('old.data_version') !== version) throw new Taken('outdated')
          begun = true
          if (stopped) throw new Taken('stopped')
          done = 1 - remainingPages / totalPages
          return PAGES_A_STEP
        },
      })
    } catch (error) {
      if (error instanceof Taken) return error.reason
      throw error
    }
    // The library takes a database that was locked from the first moment for one that is all copied.
    if (!begun) return 'busy'
    if (now('old.page_count') !== now('main.page_count') || now('old.auto_vacuum') !== now('main.auto_vacuum'))
      throw new AppError(
        'STORE_UNAVAILABLE',
        'The database was not written anew as it should have been; it is as it was. Try again.',
      )
    return 'done'
  }

  return {
    done: () => done,
    stop() {
      stopped = true
    },
    ended: put(),
  }
}

/**
 * Writes the log, which holds the whole database then, back into the file, and empties it where nobody reads it just then. Others go
 * on reading and writing.
 */
export function writeBackAll(file: string): void {
  const db = new Sqlite(file, { fileMustExist: true, timeout: 0 })
  try {
    db.pragma('synchronous = FULL')
    db.pragma('fullfsync = ON')
    db.pragma('wal_checkpoint(PASSIVE)')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}
