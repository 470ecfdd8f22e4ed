/**
 * The lock of a data folder: a transaction on a file of its own, which the system ends with the process, however that ends. What
 * `instance.json` says can be altered or lost; this cannot. The file stays: two that make it anew would each hold their own.
 * An instance reserves the file; whatever has the database open reads it beside that, and a repair needs it alone.
 */
import { closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'

/** How long a command waits for another one on the same data folder, in milliseconds. */
export const FOLDER_WAIT_MS = 5_000

/** Whether SQLite timed out waiting for another connection, extended codes included. */
export function isBusy(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true
}

/** The refusal if another command still uses the data folder after `FOLDER_WAIT_MS`. */
export function folderInUse(dataFolder: string, cause?: unknown): AppError {
  return new AppError('ALREADY_RUNNING', `Another countersign command is using ${dataFolder}. Retry, or use --data.`, { cause })
}

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.lock')
}

function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    // One that is there is not opened here: to close it again would end this process's own lock.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Begins a transaction on the lock file; null if another one keeps it from that. The function given ends it. */
function beginOnLock(dataFolder: string, timeout: number, begin: string): (() => void) | null {
  const file = fileOf(dataFolder)
  let db: Database | undefined
  try {
    makePrivate(file)
    db = new Sqlite(file, { timeout })
    db.exec(begin)
  } catch (error) {
    db?.close()
    // On a file system that has no locks there is only `instance.json` to go by.
    return isBusy(error) ? null : () => undefined
  }
  const held = db
  return () => {
    held.close()
  }
}

/** Takes the lock for as long as this process lives, or until the function given is called; null where another one has it, be it to look. */
export function lockFolder(dataFolder: string): (() => void) | null {
  return beginOnLock(dataFolder, 0, 'BEGIN IMMEDIATE')
}

/** Says that this process has the database open, beside others that do, until the function given is called. Throws if it is being repaired. */
export function shareFolder(dataFolder: string): () => void {
  const release = beginOnLock(dataFolder, FOLDER_WAIT_MS, 'BEGIN; SELECT count(*) FROM sqlite_schema')
  if (release === null) throw folderInUse(dataFolder)
  return release
}

/** Takes the folder alone. Waits for commands that have its database open, then throws; `isServed` if an instance has the folder. */
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

/** Whether a process has the lock now, this one included; one that only looks has it for a moment. */
export function isFolderLocked(dataFolder: string): boolean {
  if (statSync(fileOf(dataFolder), { throwIfNoEntry: false }) === undefined) return false
  const release = lockFolder(dataFolder)
  release?.()
  return release === null
}
