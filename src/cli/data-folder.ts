/** What a command finds out about its data folder before it opens anything: whether it can be one, and whether it can be made. */
import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../shared/contract/errors.ts'

const NAME_ANOTHER = 'Name a folder with --data, or with COUNTERSIGN_DATA.'

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
  throw new AppError('STORE_UNAVAILABLE', `${what}, and so cannot hold what is captured. ${NAME_ANOTHER}`)
}

/** How a folder without a database is: the beginning of what is said of it. */
export function emptinessOf(dataFolder: string): string {
  const isThere = statSync(dataFolder, { throwIfNoEntry: false }) !== undefined
  return isThere ? `${dataFolder} holds no database` : `there is no folder ${dataFolder}`
}

/** Makes the folder, and those that it lies in. Rejects with `STORE_UNAVAILABLE` where it cannot be made. */
export async function makeDataFolder(dataFolder: string): Promise<void> {
  try {
    await makeFolder(dataFolder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('STORE_UNAVAILABLE', `The data folder ${dataFolder} cannot be made: ${reason}. ${NAME_ANOTHER}`, {
      cause: error,
    })
  }
}

/** One after the other: asked for all of them, Node tries for ever where a file system takes none (`/proc`). */
async function makeFolder(folder: string): Promise<void> {
  const make = () => mkdir(folder, { mode: 0o700 })
  try {
    await make()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder))
    await make()
  }
}
