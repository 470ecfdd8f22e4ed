/** A file that keeps space for deletions on a full disk, which need it for the log. */
import {
  closeSync,
  fstatSync,
  openSync,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { WritableDb } from './database.ts'
import { isFull } from './sqlite-errors.ts'
import { truncateLog } from './commit-modes.ts'

/** Bytes of the reserve, as many as SQLite's log usually takes. */
const RESERVE_BYTES = 4 * 1_048_576
/** Free bytes above which no reserve is needed. */
const LITTLE_SPACE = 256 * 1_048_576
const RESERVE_STEP = Buffer.alloc(65_536, 1)

const reserveFileOf = (file: string) => join(dirname(file), 'space.reserve')

export function fillReserve({ name, memory }: Database): void {
  if (memory) return
  try {
    const { bavail, bsize } = statfsSync(name)
    if (bavail * bsize > LITTLE_SPACE) return
    const reserve = openSync(reserveFileOf(name), 'a', 0o600)
    try {
      for (let size = fstatSync(reserve).size; size < RESERVE_BYTES; size += RESERVE_STEP.length)
        writeSync(reserve, RESERVE_STEP)
    } finally {
      closeSync(reserve)
    }
  } catch {
    // A full disk leaves a smaller reserve.
  }
}

export function releaseReserve(file: string): boolean {
  const reserve = reserveFileOf(file)
  if ((statSync(reserve, { throwIfNoEntry: false })?.size ?? 0) === 0) return false
  truncateSync(reserve)
  return true
}

/** Runs work that frees space, with the reserve if needed. */
export function withReserve<Result>(db: WritableDb, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!isFull(error) || db.memory || !releaseReserve(db.name)) throw error
  }
  try {
    truncateLog(db)
    return work()
  } finally {
    truncateLog(db)
    fillReserve(db)
  }
}
