/** Folders of the user's own, for files that Countersign can make again. */
import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { canWrite, makeFolder } from './data-folder.ts'

/** Returns whether a real folder and its parents can be replaced only by this user or root. */
function isOutOfReach(folder: string): boolean {
  const found = lstatSync(folder)
  const user = process.getuid?.()
  if (user === undefined) return found.isDirectory()
  // In a sticky folder, such as /tmp, others can't replace what isn't theirs.
  const isOpen = (found.mode & 0o022) !== 0 && (found.mode & 0o1000) === 0
  if (!found.isDirectory() || isOpen || ![0, user].includes(found.uid)) return false
  return dirname(folder) === folder || isOutOfReach(dirname(folder))
}

/**
 * Returns a folder in `$XDG_CACHE_HOME/countersign`, or where the platform keeps caches. Null if it
 * can't be made or written, or isn't a real folder that nobody but this user can use or replace.
 */
export function privateFolder(
  name: string,
  place: { env?: NodeJS.ProcessEnv; platform?: NodeJS.Platform; home?: string } = {},
): string | null {
  try {
    // A user without an entry in the system's list of users may have no home.
    const { env = process.env, platform = process.platform, home = homedir() } = place
    const { LOCALAPPDATA: local = '', XDG_CACHE_HOME: given = '' } = env
    const usual = join(home, platform === 'darwin' ? 'Library/Caches' : '.cache')
    const caches = platform === 'win32' ? local : isAbsolute(given) ? given : usual
    if (!isAbsolute(caches) || !isOutOfReach(realpathSync.native(dirname(caches)))) return null
    makeFolder(caches)
    const folder = join(realpathSync.native(caches), 'countersign', name)
    makeFolder(folder)
    const { uid, mode } = lstatSync(folder)
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
    return isOwn && isOutOfReach(folder) && canWrite(folder) ? folder : null
  } catch {
    return null
  }
}
