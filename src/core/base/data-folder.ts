/** The data folder's path, shared by every host and command. */
import { homedir } from 'node:os'
import { join, posix, resolve, win32, dirname } from 'node:path'
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { AppError } from '../../shared/contract/errors.ts'
import { checkDataFolder } from './check-folder.ts'

interface DataFolderSources {
  readonly option?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly home?: string
}

/** Returns the path of the data folder, which may not exist. */
export function resolveDataFolder(sources: DataFolderSources = {}): string {
  const env = sources.env ?? process.env
  const path = sources.option || env['COUNTERSIGN_DATA']
  if (path) return resolve(path)
  return platformDataFolder(sources.platform ?? process.platform, env, sources.home ?? homeFolder())
}

/** Returns the user's home folder; empty if the system doesn't name it. */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return ''
  }
}

function platformDataFolder(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  if (platform === 'win32')
    return win32.join(env['APPDATA'] || win32.join(home, 'AppData', 'Roaming'), 'Countersign')
  if (platform === 'darwin')
    return posix.join(home, 'Library', 'Application Support', 'Countersign')
  // The specification says to ignore relative paths.
  const base = env['XDG_DATA_HOME']
  return posix.join(
    base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, '.local', 'share'),
    'Countersign',
  )
}

/** Returns the folder of the log and crash dumps. */
export function logFolderOf(
  dataFolder: string,
  sources: Omit<DataFolderSources, 'option'> = {},
): string {
  const platform = sources.platform ?? process.platform
  const home = sources.home ?? homeFolder()
  if (
    platform === 'darwin' &&
    dataFolder === platformDataFolder(platform, sources.env ?? process.env, home)
  )
    return posix.join(home, 'Library', 'Logs', 'Countersign')
  return join(dataFolder, 'logs')
}

export function caFileOf(dataFolder: string): string {
  return join(dataFolder, 'tls', 'ca.pem')
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Creates a folder for its owner. Node's recursive mkdir loops forever in `/proc`. */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!isFolder(folder)) throw error
  }
}

/** Checks and creates a data folder. Throws `STORE_UNAVAILABLE` if it can't be used or written. */
export function makeDataFolder(dataFolder: string): void {
  try {
    checkDataFolder(dataFolder)
    makeFolder(dataFolder)
    accessSync(dataFolder, constants.W_OK)
  } catch (error) {
    if (error instanceof AppError) throw error
    if (isReadOnly(error)) throw readOnly(dataFolder, error)
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'STORE_UNAVAILABLE',
      `Can't create the data folder ${dataFolder}: ${reason}. Choose a folder with --data or COUNTERSIGN_DATA.`,
      { cause: error },
    )
  }
}

/** Whether the system or SQLite can't write a file or folder. */
export function isReadOnly(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException
  return ['EACCES', 'EPERM', 'EROFS'].includes(code) || code.startsWith('SQLITE_READONLY')
}

export function readOnly(path: string, cause: unknown): AppError {
  return new AppError(
    'STORE_UNAVAILABLE',
    `Can't write to ${path}. Make it writable for your user, or choose a folder with --data or COUNTERSIGN_DATA.`,
    { cause },
  )
}

export function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
