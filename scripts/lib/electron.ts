/** Where Electron's own binary is, without downloading it: the package fetches it at first use, not when it is installed. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Path of the Electron executable under `root`, or null where it was never downloaded. */
export function findElectron(root: string = process.cwd()): string | null {
  const folder = join(root, 'node_modules', 'electron')
  const pathFile = join(folder, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : process.platform === 'win32' ? 'electron.exe' : 'electron'
  const path = join(process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist'), name)
  return existsSync(path) ? path : null
}
