/** Finds the data folder that the setup file names, as git finds `.git`. */
import { createHmac, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDataFolder, resolveDataFolder } from '../core/base/data-folder.ts'
import { pathInside } from '../core/base/inside-folder.ts'
import { type JsonFile, readJsonFile } from '../core/base/json-file.ts'
import { AppError } from '../shared/contract/errors.ts'
import { problemLines } from '../shared/model/file-problem.ts'
import { SETUP_FILE, SETUP_FILE_BYTES } from '../shared/model/setup-file.ts'

interface Place {
  readonly option: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ChosenFolder {
  readonly folder: string
  /** The setup file that names it; null if it was chosen in another way. */
  readonly setupFile: string | null
}

/** Key of this user, which marks the data folders that this computer made. */
const KEY_FILE = 'folders.key'
const MARK_FILE = 'origin'
/** Files that a repository may keep in the folder of its data. */
const HARMLESS = new Set(['.gitignore', '.gitkeep'])

/** Returns the nearest setup file, from the working folder upwards; null without one. */
export function findSetupFile(): string | null {
  try {
    return findAbove(process.cwd())
  } catch {
    // The working folder is gone or can't be read, which few commands need.
    return null
  }
}

function findAbove(folder: string): string | null {
  const file = join(folder, SETUP_FILE)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile()) {
    // In a folder that everyone can write, another user could have put it there.
    const user = process.getuid?.() ?? stats.uid
    return [0, user].includes(stats.uid) ? file : null
  }
  return dirname(folder) === folder ? null : findAbove(dirname(folder))
}

function readFile(file: string): JsonFile {
  const problemOf = (message: string) =>
    new AppError('INVALID_SETUP', `${file} ${message} Fix it, or use --data.`)
  if (pathInside(dirname(file), SETUP_FILE) === null)
    throw problemOf("is a link that leads out of its folder, so it isn't read.")
  if (statSync(file).size > SETUP_FILE_BYTES) throw problemOf('is larger than 1 MiB.')
  const read = readJsonFile(readFileSync(file, 'utf8'), 'Write an object with `"countersign": 1`.')
  if ('value' in read) return read
  throw new AppError('INVALID_SETUP', problemLines(file, [read]))
}

/** Returns the data folder that a setup file names, or null. Throws `INVALID_SETUP`. */
function dataFolderIn(file: string): string | null {
  const { value, problem } = readFile(file)
  const data = (value as { data?: unknown } | null)?.data
  if (data === undefined) return null
  const folder = typeof data === 'string' ? pathInside(dirname(file), data) : null
  if (folder !== null) return folder
  const outside = problem(
    ['data'],
    `${JSON.stringify(data)} isn't a folder inside the folder of this file.`,
    'Use a path like ".countersign".',
  )
  throw new AppError('INVALID_SETUP', problemLines(file, [outside]))
}

/** Returns the mark of a folder. Its key never leaves the user's own data folder. */
function markOf(folder: string, { env }: Pick<Place, 'env'>): string {
  const own = resolveDataFolder({ env })
  const keyFile = join(own, KEY_FILE)
  if (statSync(keyFile, { throwIfNoEntry: false }) === undefined) {
    makeDataFolder(own)
    writeFileSync(keyFile, randomBytes(32), { flag: 'wx', mode: 0o600 })
  }
  return createHmac('sha256', readFileSync(keyFile)).update(folder).digest('hex')
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory()

/**
 * Marks a new data folder as made here. Throws `STORE_UNAVAILABLE` for one that came with the
 * repository, whose database could forward deliveries or know the keys.
 */
function claimFolder(folder: string, place: Pick<Place, 'env'>): void {
  const markFile = join(folder, MARK_FILE)
  const names = isDirectory(folder) ? readdirSync(folder).filter((name) => !HARMLESS.has(name)) : []
  const mark = markOf(folder, place)
  if (names.length === 0) {
    makeDataFolder(folder)
    writeFileSync(markFile, mark, { mode: 0o600 })
    writeFileSync(join(folder, '.gitignore'), '*\n')
    return
  }
  if (names.includes(MARK_FILE) && readFileSync(markFile, 'utf8') === mark) return
  throw new AppError(
    'STORE_UNAVAILABLE',
    `${folder} wasn't made by you on this computer, so its data isn't used. Move it away, or trust it with --data.`,
  )
}

/** Chooses the data folder: `--data`, `COUNTERSIGN_DATA`, the setup file, the default. */
export function chooseDataFolder(place: Place): ChosenFolder {
  const { option, env } = place
  const otherwise = { folder: resolveDataFolder({ option, env }), setupFile: null }
  if (option || env['COUNTERSIGN_DATA']) return otherwise
  const setupFile = findSetupFile()
  const folder = setupFile === null ? null : dataFolderIn(setupFile)
  if (folder === null) return otherwise
  claimFolder(folder, place)
  return { folder, setupFile }
}
