/**
 * Replaces a database's content with its copy, as one transaction of its log: readers continue with the old content, and after a
 * crash the file has either the old or the new. Nobody else can write during it, so it stops on request, which undoes it
 * completely.
 */
import Sqlite from 'better-sqlite3'
import { AppError } from '../../../shared/contract/errors.ts'
import type { FileCopy } from './file-copy.ts'

export interface PutBack {
  /** From 0 to 1. */
  done(): number
  /** Ends it soon; its changes are undone, unless it is complete. */
  stop(): void
  /** The result: `outdated` if somebody has written since the copy began, `busy` if somebody is writing. */
  readonly ended: Promise<'done' | 'stopped' | 'outdated' | 'busy'>
}

/** Pages per step: a step takes a few milliseconds, which a delivery may have to wait for. */
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
          // From the first step on nobody else can write, so data that matches now stays the same.
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
    // The library treats a database that was locked from the start as completely copied.
    if (!begun) return 'busy'
    if (
      now('old.page_count') !== now('main.page_count') ||
      now('old.auto_vacuum') !== now('main.auto_vacuum')
    )
      throw new AppError(
        'STORE_UNAVAILABLE',
        "The database couldn't be compacted. Nothing was changed. Try again.",
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
 * Writes the log, which then contains the whole database, back into the file, and empties it unless it is being read. Others
 * continue reading and writing.
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
