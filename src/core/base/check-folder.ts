/** Checks a data folder: a link could lead to another file, a pipe make Countersign wait. */
import { lstatSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'

/** Bytes: SQLite opens paths of up to 512, file name included. */
const LONGEST_PATH = 470

const folders = ['tls', 'logs', 'desktop']
const files = [
  ...['countersign.db', 'search.db', 'instance.lock'].flatMap((database) =>
    ['', '-wal', '-shm', '-journal'].map((end) => database + end),
  ),
  ...['ca', 'former-ca', 'leaf'].flatMap((name) => [`tls/${name}.pem`, `tls/${name}.key`]),
  ...[
    'countersign.db.repaired',
    'countersign.db.restored',
    'instance.json',
    'space.reserve',
    'vault.key',
  ],
  ...['logs/countersign.log', 'desktop/window.json', 'desktop/window.json.new'],
]
/** Files that are replaced as a whole, so that hard links are harmless. */
const replaced = /\.(?:json|key|pem)$/

/** Checks a data folder. Throws `STORE_UNAVAILABLE`, or the system's error. */
export function checkDataFolder(dataFolder: string): void {
  const problem = problemOfPath(dataFolder) ?? problemOfEntries(dataFolder)
  if (problem !== null)
    throw new AppError(
      'STORE_UNAVAILABLE',
      `${problem} another data folder with --data or COUNTERSIGN_DATA.`,
    )
}

/** Returns the start of a message about the path, or null. */
function problemOfPath(dataFolder: string): string | null {
  if (!isAbsolute(dataFolder)) return "Couldn't find your home folder. Set HOME, or choose"
  // Node replaces invalid bytes.
  if (dataFolder.includes('\ufffd')) return `The path ${dataFolder} isn't valid UTF-8. Choose`
  if (Buffer.byteLength(dataFolder) > LONGEST_PATH)
    return `The path of the data folder has more than ${LONGEST_PATH} bytes. Choose`
  let path = dataFolder
  let stats = statSync(path, { throwIfNoEntry: false })
  while (stats === undefined && dirname(path) !== path) {
    path = dirname(path)
    stats = statSync(path, { throwIfNoEntry: false })
  }
  if (stats === undefined || stats.isDirectory()) return null
  const prefix = path === dataFolder ? '' : `Couldn't use ${dataFolder}: `
  return `${prefix}${path} is a file, not a folder. Choose`
}

function problemOfEntries(dataFolder: string): string | null {
  for (const name of [...folders, ...files]) {
    const path = join(dataFolder, name)
    let entry
    try {
      entry = lstatSync(path)
    } catch {
      continue
    }
    const isPlain = folders.includes(name)
      ? entry.isDirectory()
      : entry.isFile() && (entry.nlink <= 1 || replaced.test(name))
    if (!isPlain) return `${path} isn't a plain file or folder. Move it away, or choose`
  }
  return null
}
