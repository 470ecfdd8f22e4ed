/**
 * The path of the data folder. Every host and every command uses this, so that the desktop app, `serve` and commands agree: `--data
 * DIR`, otherwise `COUNTERSIGN_DATA`, otherwise `Countersign` in the platform's application-data folder. Also how folders and files
 * are created in it.
 */
import { homedir } from 'node:os'
import { join, posix, resolve, win32, dirname } from 'node:path'
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { AppError } from '../../shared/contract/errors.ts'
import { checkDataFolder } from './check-folder.ts'

interface DataFolderSources {
  /** The value of `--data`; relative paths start at the current folder. */
  readonly option?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly home?: string
}

/** Path of the data folder, which may not exist. An empty option or variable counts as not given. */
export function resolveDataFolder(sources: DataFolderSources = {}): string {
  const env = sources.env ?? process.env
  const given = sources.option || env['COUNTERSIGN_DATA']
  if (given) return resolve(given)
  return platformDataFolder(sources.platform ?? process.platform, env, sources.home ?? homeFolder())
}

/** Returns the user's home folder; empty if unknown. */
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
  // The base directory specification says to ignore relative paths in its variables.
  const base = env['XDG_DATA_HOME']
  return posix.join(
    base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, '.local', 'share'),
    'Countersign',
  )
}

/**
 * Folder of the log and of crash dumps: `logs` in the data folder, except that a Mac keeps the logs of the default data folder in the
 * user's Library.
 */
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

/**
 * Creates the folder and its parents for their owner only; throws the system's error if it can't. One after the other, because
 * Node's recursive mkdir loops forever on file systems that reject folders (`/proc`).
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

/** Whether an error means that a file or folder can't be written: of the system (`EROFS`), its permissions, or SQLite. */
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

/** Whether this user may write to a folder. Never throws. */
export function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Files that are never seen half written: written under a temporary name beside their place, with their mode (0600, private) from the
// start, then renamed.

/** Errors of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

const PRIVATE = 0o600

let temporaryFiles = 0

/** Removes a file; a missing one is fine. */
export async function removeFile(file: string): Promise<void> {
  await unlink(file).catch(() => {
    // Already removed, perhaps with its folder.
  })
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
  const temporary = `${file}.${process.pid}.${++temporaryFiles}`
  await removeFile(temporary)
  await writeNew(temporary, contents, mode)
  return temporary
}

/** Creates a file; false if it exists, which leaves it unchanged. If several try at once, one succeeds. */
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
