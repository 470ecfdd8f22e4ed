/** Folders of the user's own, for files that Countersign can make again. */
import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'

interface Place {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly home?: string
}

/** Returns where the platform keeps caches, and the folders in it that are ours. */
function cachePlace(place: Place): readonly [place: string, ...ours: string[]] {
  const { env = process.env, platform = process.platform, home = homedir() } = place
  if (platform === 'win32')
    return [env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'countersign', 'Cache']
  if (platform === 'darwin') return [join(home, 'Library', 'Caches'), 'countersign']
  const base = env['XDG_CACHE_HOME'] ?? ''
  return [isAbsolute(base) ? base : join(home, '.cache'), 'countersign']
}

/** Returns whether only this user and root can rename or replace a folder or one of its parents. */
function isOutOfReach(folder: string): boolean {
  const user = process.getuid?.()
  if (user === undefined) return true
  const { uid, mode } = lstatSync(folder)
  // In a sticky folder, such as /tmp, others can't rename what isn't theirs.
  const isOurs = (uid === user || uid === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0)
  return isOurs && (dirname(folder) === folder || isOutOfReach(dirname(folder)))
}

/** Returns whether a path is, perhaps from now on, a real folder that only this user can use. */
function isPrivate(folder: string): boolean {
  let found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) {
    mkdirSync(folder, { mode: 0o700 })
    found = lstatSync(folder)
  }
  if (!found.isDirectory()) return false
  if (process.getuid === undefined) return true
  if (found.uid !== process.getuid() || (found.mode & 0o022) !== 0) return false
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  return true
}

/**
 * Returns the folder `NAME` in `$XDG_CACHE_HOME/countersign` or `~/.cache/countersign`, in
 * `~/Library/Caches/countersign` on macOS and in `%LOCALAPPDATA%\countersign\Cache` on Windows. Null
 * if it can't be made, isn't a real folder of this user, or others can write to it or replace it.
 */
export function privateFolder(name: string, place: Place = {}): string | null {
  const [caches, ...ours] = cachePlace(place)
  if (!isAbsolute(caches)) return null
  try {
    // The real paths that were checked are used: a link could change its target in between.
    const parent = realpathSync.native(dirname(caches))
    if (!isOutOfReach(parent)) return null
    const unresolved = join(parent, basename(caches))
    if (lstatSync(unresolved, { throwIfNoEntry: false }) === undefined)
      mkdirSync(unresolved, { mode: 0o700 })
    let folder = realpathSync.native(unresolved)
    if (!isOutOfReach(folder)) return null
    for (const each of [...ours, name]) {
      folder = join(folder, each)
      if (!isPrivate(folder)) return null
    }
    return folder
  } catch {
    // Read-only, full, or missing: Countersign works without these folders.
    return null
  }
}
