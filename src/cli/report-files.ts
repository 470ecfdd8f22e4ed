/** Checks report files before the work begins, because they are written at its end. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AppError } from '../shared/contract/errors.ts'
import { UsageError } from './context.ts'

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

/**
 * Throws `NOT_FOUND` for the first file that can't be written, and a usage error if two are the same. Creates and changes nothing.
 */
export async function checkReportFiles(wanted: readonly (string | undefined)[]): Promise<void> {
  const files = wanted.filter((file) => file !== undefined)
  const paths = files.map((file) => resolve(file))
  const twice = files.find((_, place) => paths.indexOf(paths[place] ?? '') < place)
  if (twice !== undefined)
    throw new UsageError(`Two reports can't use the same file, ${twice}. Choose two files.`)
  for (const file of files) {
    const folder = dirname(file)
    const refuse = (why: string) =>
      new AppError('NOT_FOUND', `Couldn't write ${file}: ${why} Nothing was started.`)
    if (await isFolder(file)) throw refuse('it is a folder. Choose a file.')
    if (!(await isFolder(folder)))
      throw refuse(`folder ${folder} doesn't exist. Create it, or choose another file.`)
    if (!(await mayWrite(file)) || !(await mayWrite(folder)))
      throw refuse('permission denied. Choose another file.')
  }
}
