/** Files that a command writes at its end. That one cannot be written is told before the work begins, and not after it. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../shared/contract/errors.ts'

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

async function mayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Throws `NOT_FOUND` for the first of these files that could not be written as things are; nothing is made or changed. */
export async function checkReportFiles(files: readonly (string | undefined)[]): Promise<void> {
  for (const file of files) {
    if (file === undefined) continue
    const folder = dirname(file)
    const refuse = (why: string) => new AppError('NOT_FOUND', `${file} could not be written: ${why} Nothing was begun.`)
    if (await isFolder(file)) throw refuse('it is a folder, and a file is needed.')
    if (!(await isFolder(folder))) throw refuse(`there is no folder ${folder}. Make it, or name another file.`)
    if (!(await mayWrite(file)) || !(await mayWrite(folder))) throw refuse('this user may not write there. Name another file.')
  }
}
