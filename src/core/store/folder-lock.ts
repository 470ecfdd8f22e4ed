/**
 * The lock of a data folder: a transaction on its own file, which the system ends with the process, however that ends.
 * `instance.json` can be altered or lost; this can't. The file stays, because two processes that recreate it would each hold their
 * own lock. A running Countersign reserves the file, every process with an open database also reads it, and a repair or
 * vacuum needs it exclusively.
 */
import { closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'

/** How long a command waits for another one on the same data folder, in milliseconds. */
export const FOLDER_WAIT_MS = 5_000

/** Whether SQLite timed out waiting for another connection, including extended codes. */
export function isBusy(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true
}

/** The error if another command still uses the data folder after `FOLDER_WAIT_MS`. */
export function folderInUse(dataFolder: string, cause?: unknown): AppError {
  return new AppError(
    'ALREADY_RUNNING',
    `Another countersign command is using ${dataFolder}. Retry, or use --data.`,
    { cause },
  )
}

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.lock')
}

function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    // An existing file isn't opened here: closing it again would end this process's own lock.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Begins a transaction on the lock file; null if another process prevents it. The returned function ends it. */
function beginOnLock(dataFolder: string, timeout: number, begin: string): (() => void) | null {
  const file = fileOf(dataFolder)
  let db: Database | undefined
  try {
    makePrivate(file)
    db = new Sqlite(file, { timeout })
    db.exec(begin)
  } catch (error) {
    db?.close()
    // On a file system without locks there is only `instance.json`.
    return isBusy(error) ? null : () => undefined
  }
  const held = db
  return () => held.close()
}

/**
 * Takes the lock until this process ends or the returned function is called; null if another process has it, even if only to check.
 */
export function lockFolder(dataFolder: string): (() => void) | null {
  return beginOnLock(dataFolder, 0, 'BEGIN IMMEDIATE')
}

/**
 * Marks the database as open in this process, alongside others, until the returned function is called. Throws if it is being
 * repaired or vacuumed.
 */
export function shareFolder(dataFolder: string): () => void {
  const release = beginOnLock(
    dataFolder,
    FOLDER_WAIT_MS,
    'BEGIN; SELECT count(*) FROM sqlite_schema',
  )
  if (release === null) throw folderInUse(dataFolder)
  return release
}

/**
 * Takes the folder exclusively. Waits for commands with an open database, then throws; `isServed` if Countersign is running on the
 * folder.
 */
export function lockAlone(
  dataFolder: string,
): { readonly isServed: true } | { readonly isServed: false; readonly release: () => void } {
  const unlock = lockFolder(dataFolder)
  if (unlock === null) return { isServed: true }
  unlock()
  const release = beginOnLock(dataFolder, FOLDER_WAIT_MS, 'BEGIN EXCLUSIVE')
  if (release === null) throw folderInUse(dataFolder)
  return { isServed: false, release }
}

/** Whether any process, including this one, has the lock now; a process that only checks has it for a moment. */
export function isFolderLocked(dataFolder: string): boolean {
  if (statSync(fileOf(dataFolder), { throwIfNoEntry: false }) === undefined) return false
  const release = lockFolder(dataFolder)
  release?.()
  return release === null
}
