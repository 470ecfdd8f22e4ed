/** Data folders that exist only while a process, or a command in it, runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { removeLeftovers, temporaryPath } from '../base/leftovers.ts'
import { privateFolder } from '../base/private-folder.ts'
import { isDatabaseOpen } from './open.ts'

const parentFolder = () => privateFolder('tmp') ?? tmpdir()

/** Removes the folders of processes that were killed. */
export function removeDeadFolders(): void {
  removeLeftovers(parentFolder(), (folder) => isDatabaseOpen(folder, 0))
}

/** Makes a folder for this user only. It is removed by `remove`, or when the process ends. */
export function makeTemporaryFolder() {
  removeDeadFolders()
  const folder = mkdtempSync(`${temporaryPath(parentFolder())}-`)
  const remove = () => {
    process.off('exit', remove)
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // Windows keeps files that are in use. The next start removes them.
    }
  }
  process.once('exit', remove)
  return { folder, remove }
}
