/**
 * Where the data folder is. Every host and every command asks here, so that the desktop app, `serve` and a command beside them
 * agree on it: `--data DIR`, else `COUNTERSIGN_DATA`, else `Countersign` in the platform's application-data folder.
 */
import { homedir } from 'node:os'
import { join, posix, resolve, win32, dirname } from 'node:path'
import { mkdirSync, statSync } from 'node:fs'
import { AppError } from '../../shared/contract/errors.ts'

interface DataFolderSources {
  /** What `--data` gave; relative paths are taken from the present folder. */
  readonly option?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly home?: string
}

/** Absolute path of the data folder. It need not exist. An empty `--data` or `COUNTERSIGN_DATA` counts as not given. */
export function resolveDataFolder(sources: DataFolderSources = {}): string {
  const env = sources.env ?? process.env
  const given = sources.option || env['COUNTERSIGN_DATA']
  if (given) return resolve(given)
  return platformDataFolder(sources.platform ?? process.platform, env, sources.home ?? homedir())
}

function platformDataFolder(platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (platform === 'win32') return win32.join(env['APPDATA'] || win32.join(home, 'AppData', 'Roaming'), 'Countersign')
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Countersign')
  // The base directory specification says that a relative path in its variables is to be ignored.
  const base = env['XDG_DATA_HOME']
  return posix.join(base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, '.local', 'share'), 'Countersign')
}

/** Where the certificate of a data folder's authority lies. */
export function caFileOf(dataFolder: string): string {
  return join(dataFolder, 'tls', 'ca.pem')
}

// Every folder is made here: Node's own recursive mkdir can loop forever.

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Makes the folder, and those that it lies in, for their owner alone; throws what the system says where it cannot. One after the
 * other: asked for all of them, Node tries for ever where a file system takes none (`/proc`).
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error
  }
}

/** The same for a data folder. Throws `STORE_UNAVAILABLE` where it cannot be made. */
export function makeDataFolder(dataFolder: string): void {
  try {
    makeFolder(dataFolder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The data folder ${dataFolder} cannot be made: ${reason}. Name a folder with --data, or with COUNTERSIGN_DATA.`,
      { cause: error },
    )
  }
}
