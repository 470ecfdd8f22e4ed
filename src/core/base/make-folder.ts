/** How every folder is made, in one place: Node's own way of making several at once can go on for ever. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Makes the folder, and those that it lies in, for their owner alone; throws what the system says where it cannot. One after the
 * other: asked for all of them, Node tries for ever where a file system takes none (`/proc`).
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error
  }
}

/** The same for a data folder. Throws `STORE_UNAVAILABLE` where it cannot be made. */
export function makeDataFolder(dataFolder: string): void {
  try {
    makeFolder(dataFolder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The data folder ${dataFolder} cannot be made: ${reason}. Name a folder with --data, or with COUNTERSIGN_DATA.`,
      { cause: error },
    )
  }
}
