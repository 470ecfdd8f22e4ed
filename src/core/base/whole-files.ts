/** Files that are never seen half written: written beside their place, then renamed. */
import { dirname } from 'node:path'
import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { temporaryPath } from './leftovers.ts'

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

const PRIVATE = 0o600

export async function removeFile(file: string): Promise<void> {
  await unlink(file).catch(() => {})
}

/** Waits until a file's bytes are on the disk. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

async function writeNew(
  file: string,
  contents: string | Uint8Array,
  mode: number = PRIVATE,
): Promise<void> {
  const handle = await open(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode)
  try {
    await handle.writeFile(contents)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writeBeside(
  file: string,
  contents: string | Uint8Array,
  mode?: number,
): Promise<string> {
  const temporary = temporaryPath(dirname(file))
  await removeFile(temporary)
  await writeNew(temporary, contents, mode)
  return temporary
}

/** Creates a file with mode 0600; false if it exists. */
export async function createWholeFile(
  file: string,
  contents: string | Uint8Array,
): Promise<boolean> {
  const temporary = await writeBeside(file, contents)
  try {
    await link(temporary, file).catch(async (error: NodeJS.ErrnoException) => {
      if (!NO_LINKS.has(error.code ?? '')) throw error
      await writeNew(file, contents)
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await removeFile(temporary)
  }
}

export async function replaceWholeFile(
  file: string,
  contents: string | Uint8Array,
  mode?: number,
): Promise<void> {
  await rename(await writeBeside(file, contents, mode), file)
}
