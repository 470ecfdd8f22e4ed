/** Data folders that exist only while a process, or a command in it, runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { canWrite } from '../base/data-folder.ts'
import { passingPath, removeLeftovers } from '../base/leftovers.ts'
import { privateFolder } from '../base/private-folder.ts'
import { isDatabaseOpen } from './open.ts'

const folders = new Set<string>()

function parentFolder(): string {
  const own = privateFolder('tmp')
  return own !== null && canWrite(own) ? own : tmpdir()
}

/** Removes the temporary folders of processes that were killed. */
export function removeDeadFolders(): void {
  removeLeftovers(parentFolder(), (folder) => isDatabaseOpen(folder, 0))
}

/** Makes a folder for this user only. It is removed when the process ends, if not before. */
export function makeTemporaryFolder(): string {
  removeDeadFolders()
  const folder = mkdtempSync(`${passingPath(parentFolder())}-`)
  if (folders.size === 0) process.on('exit', removeAll)
  folders.add(folder)
  return folder
}

export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  folders.delete(folder)
  if (folders.size === 0) process.off('exit', removeAll)
}

function removeAll(): void {
  for (const folder of folders)
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Windows keeps files that Chromium still uses, until the next start.
    }
}
