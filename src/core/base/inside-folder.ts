/** Confines paths that a file names to the folder of that file. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep, win32 } from 'node:path'

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Returns a path without links; of a missing one, with those of its existing part resolved. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return join(realPath(dirname(path)), path.slice(dirname(path).length))
  }
}

export const isAbsolutePath = (path: string): boolean => isAbsolute(path) || win32.isAbsolute(path)

/**
 * Returns the absolute path of a relative one; null if it leads outside of the folder, even through
 * a link.
 */
export function pathInside(folder: string, path: string): string | null {
  if (isAbsolutePath(path) || path.includes('\0')) return null
  const inside = resolve(folder, path)
  if (!isInside(folder, inside)) return null
  try {
    return isInside(realPath(folder), realPath(inside)) ? inside : null
  } catch {
    return null
  }
}

/**
 * Returns the bytes of a regular file; null if it doesn't exist. Throws the reason, as the end of a
 * sentence, if it can't be read: a device or pipe may never end.
 */
export function readSmallBytes(path: string, maxBytes: number): Buffer | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return null
  if (!stats.isFile()) throw new Error("isn't a regular file")
  if (stats.size > maxBytes)
    throw new Error(`is larger than ${maxBytes.toLocaleString('en')} bytes`)
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error("can't be read", { cause: error })
  }
}

/** Returns the UTF-8 text of a file like `readSmallBytes`. */
export function readSmallFile(path: string, maxBytes: number): string | null {
  const bytes = readSmallBytes(path, maxBytes)
  if (bytes === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Error("isn't UTF-8 text", { cause: error })
  }
}
