/** What a command finds out about its data folder before it opens anything: whether it can be one, and how it is where it holds nothing. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../shared/contract/errors.ts'

/**
 * Throws `STORE_UNAVAILABLE` where a file stands in the place of the folder, or of one that it lies in, and what the system says where
 * it cannot be looked into. The folder need not be there yet.
 */
export function checkDataFolder(dataFolder: string): void {
  let path = dataFolder
  let found = statSync(path, { throwIfNoEntry: false })
  // The nearest that is there: what has not been made yet would be made in it.
  while (found === undefined && dirname(path) !== path) {
    path = dirname(path)
    found = statSync(path, { throwIfNoEntry: false })
  }
  if (found === undefined || found.isDirectory()) return
  const what =
    path === dataFolder
      ? `${dataFolder} is no folder, but a file`
      : `There is no folder ${dataFolder}: ${path} is no folder, but a file`
  throw new AppError(
    'STORE_UNAVAILABLE',
    `${what}, and so cannot hold what is captured. Name a folder with --data, or with COUNTERSIGN_DATA.`,
  )
}

/** How a folder without a database is: the beginning of what is said of it. */
export function emptinessOf(dataFolder: string): string {
  const isThere = statSync(dataFolder, { throwIfNoEntry: false }) !== undefined
  return isThere ? `${dataFolder} holds no database` : `there is no folder ${dataFolder}`
}
