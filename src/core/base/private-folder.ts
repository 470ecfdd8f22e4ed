import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { canWrite, makeFolder } from './data-folder.ts'

/** Whether only this user or root can replace a real folder and its parents. */
function isOutOfReach(folder: string): boolean {
  const stats = lstatSync(folder)
  const user = process.getuid?.()
  if (user === undefined) return stats.isDirectory()
  // In a sticky folder, others can't replace this user's files.
  const isOpen = (stats.mode & 0o022) !== 0 && (stats.mode & 0o1000) === 0
  if (!stats.isDirectory() || isOpen || ![0, user].includes(stats.uid)) return false
  return dirname(folder) === folder || isOutOfReach(dirname(folder))
}

/** Returns a folder in the platform's cache; null if others could use or replace it. */
export function privateFolder(
  name: string,
  place: { env?: NodeJS.ProcessEnv; platform?: NodeJS.Platform; home?: string } = {},
): string | null {
  try {
    const { env = process.env, platform = process.platform, home = homedir() } = place
    const { LOCALAPPDATA: local = '', XDG_CACHE_HOME: cacheHome = '' } = env
    const usual = join(home, platform === 'darwin' ? 'Library/Caches' : '.cache')
    const caches = platform === 'win32' ? local : isAbsolute(cacheHome) ? cacheHome : usual
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
