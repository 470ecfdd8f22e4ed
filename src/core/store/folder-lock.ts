/**
 * The lock of a data folder: a transaction on its own file, which ends with the process.
 * Countersign reserves the file, open databases read it, a repair needs it exclusively.
 */
import { closeSync, existsSync, lstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { DATABASE_HEADER_BYTES, databaseFileOf } from './database.ts'
import { isBusy, folderInUse } from './sqlite-errors.ts'

/** Time to wait for another command on the folder, in milliseconds. */
export const FOLDER_WAIT_MS = 5_000

function lockFileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.lock')
}

/** Creates an empty file for this user only, unless it exists. */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    // Opening an existing file again would end this process's lock.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Whether any process has the database open. Opening a file without a header would delete its log.
 */
export function isDatabaseOpen(dataFolder: string, timeoutMs: number): boolean {
  const file = databaseFileOf(dataFolder)
  let db: Database | undefined
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < DATABASE_HEADER_BYTES) return false
    db = new Sqlite(file, { timeout: timeoutMs })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    db?.close()
  }
}

/** Begins a transaction on the lock file; returns its end, or null if the file is locked. */
function beginOnLock(dataFolder: string, timeoutMs: number, begin: string): (() => void) | null {
  const file = lockFileOf(dataFolder)
  let db: Database | undefined
  try {
    // A new file would be a second lock beside a deleted one.
    if (!existsSync(file) && isDatabaseOpen(dataFolder, timeoutMs)) return null
    createPrivateFile(file)
    db = new Sqlite(file, { timeout: timeoutMs })
    db.exec(begin)
  } catch (error) {
    db?.close()
    return isBusy(error) ? null : () => undefined
  }
  const held = db
  return () => held.close()
}

/** Takes the lock and returns its release; null if another process has it. */
export function lockFolder(dataFolder: string): (() => void) | null {
  return beginOnLock(dataFolder, 0, 'BEGIN IMMEDIATE')
}

/** Marks the database as open and returns the release. Throws during a repair. */
export function shareFolder(dataFolder: string): () => void {
  const release = beginOnLock(
    dataFolder,
    FOLDER_WAIT_MS,
    'BEGIN; SELECT count(*) FROM sqlite_schema',
  )
  if (release === null) throw folderInUse(dataFolder)
  return release
}

/** Takes the folder for a repair, once commands have closed their database. */
export function lockForRepair(
  dataFolder: string,
): { readonly isServed: true } | { readonly isServed: false; readonly release: () => void } {
  const unlock = lockFolder(dataFolder)
  if (unlock === null) return { isServed: true }
  unlock()
  const release = beginOnLock(dataFolder, FOLDER_WAIT_MS, 'BEGIN EXCLUSIVE')
  if (release === null) throw folderInUse(dataFolder)
  return { isServed: false, release }
}

export function isFolderLocked(dataFolder: string): boolean {
  const file = lockFileOf(dataFolder)
  // A check creates no file.
  if (!existsSync(file)) return isDatabaseOpen(dataFolder, 0)
  // A link could lead to another folder's lock.
  if (!lstatSync(file).isFile()) return false
  const release = lockFolder(dataFolder)
  release?.()
  return release === null
}
