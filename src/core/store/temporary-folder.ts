/** Data folders that exist only while a process or command runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { removeLeftovers, temporaryPath } from '../base/leftovers.ts'
import { privateFolder } from '../base/private-folder.ts'
import { isDatabaseOpen } from './folder-lock.ts'

const parentFolder = () => privateFolder('tmp') ?? tmpdir()

/** Removes temporary folders whose database no process has open. */
export function removeDeadFolders(): void {
  removeLeftovers(parentFolder(), (folder) => isDatabaseOpen(folder, 0))
}

/** Makes a folder that `remove` or the end of the process removes. */
export function makeTemporaryFolder() {
  removeDeadFolders()
  const folder = mkdtempSync(`${temporaryPath(parentFolder())}-`)
  const remove = () => {
    process.off('exit', remove)
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch {}
  }
  process.once('exit', remove)
  return { folder, remove }
}
