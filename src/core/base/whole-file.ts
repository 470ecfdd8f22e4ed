/**
 * Private files that are never seen half written: written beside their place under a name of their own, with mode 0600 from
 * the first moment, and put there in one step.
 */
import { constants } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'

/** What file systems without hard links answer. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

let temporaryFiles = 0

/** Removes a file; one that is not there is fine. */
export async function removeFile(file: string): Promise<void> {
  await unlink(file).catch(() => {
    // Already gone, with its folder perhaps.
  })
}

async function writeNew(file: string, contents: string | Uint8Array): Promise<void> {
  const handle = await open(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600)
  try {
    await handle.writeFile(contents)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writeBeside(file: string, contents: string | Uint8Array): Promise<string> {
  const temporary = `${file}.${process.pid}.${++temporaryFiles}`
  await removeFile(temporary)
  await writeNew(temporary, contents)
  return temporary
}

/** Creates a file; false where there is one already, which is left as it is. Of several that try at once, one succeeds. */
export async function createWholeFile(file: string, contents: string | Uint8Array): Promise<boolean> {
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

/** Creates a file, or replaces the one that is there. */
export async function replaceWholeFile(file: string, contents: string | Uint8Array): Promise<void> {
  await rename(await writeBeside(file, contents), file)
}
