/** Folders of the user's own, for files that Countersign can make again. */
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

interface Place {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly home?: string
}

/** Returns where the platform keeps caches, and the names of our folder there. */
function cachePlace(place: Place): readonly [caches: string, ...names: string[]] {
  const { env = process.env, platform = process.platform, home = homedir() } = place
  if (platform === 'win32')
    return [env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'countersign', 'Cache']
  const given = env['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(given)) return [given, 'countersign']
  return [join(home, platform === 'darwin' ? 'Library/Caches' : '.cache'), 'countersign']
}

/** Returns whether only this user and root can replace a folder or one of its parents. */
function isOutOfReach(folder: string, user: number | undefined): boolean {
  const { uid, mode } = lstatSync(folder)
  // In a sticky folder, such as /tmp, others can't replace what isn't theirs.
  const isOpen = (mode & 0o022) !== 0 && (mode & 0o1000) === 0
  if (user !== undefined && (isOpen || (uid !== user && uid !== 0))) return false
  return dirname(folder) === folder || isOutOfReach(dirname(folder), user)
}

function make(folder: string): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  } catch {
    // Another process may have been faster; if not, the next look at the folder fails.
  }
}

/**
 * Returns the folder `name` in `$XDG_CACHE_HOME/countersign` or `~/.cache/countersign`, on macOS in
 * `~/Library/Caches/countersign`, on Windows in `%LOCALAPPDATA%\countersign\Cache`. Null if it can't
 * be made, or if it or our folder above isn't a real folder of this user, or others can write there.
 */
export function privateFolder(name: string, place: Place = {}): string | null {
  const user = process.getuid?.()
  const [caches, ...names] = cachePlace(place)
  if (!isAbsolute(caches)) return null
  try {
    if (!isOutOfReach(realpathSync.native(dirname(caches)), user)) return null
    make(caches)
    // The path that was checked: others might change a link on the way to it.
    let folder = realpathSync.native(caches)
    if (!isOutOfReach(folder, user)) return null
    for (const each of [...names, name]) {
      folder = join(folder, each)
      make(folder)
      const found = lstatSync(folder)
      if (!found.isDirectory()) return null
      if (user === undefined) continue
      if (found.uid !== user || (found.mode & 0o022) !== 0) return null
      if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700)
    }
    return folder
  } catch {
    return null
  }
}
