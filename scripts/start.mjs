/**
 * `npm start`: opens the desktop app. If it can't, opens the browser and downloads a missing
 * Electron in the background.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from './build.mjs'
import {
  downloadInBackground,
  findElectron,
  noDesktopReason,
  noDownloadReason,
} from './lib/electron-binary.ts'
import { passOn } from './lib/pass-on.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const args = process.argv.slice(2)

async function build(targets) {
  try {
    await buildIfStale({ targets })
  } catch (error) {
    console.error(error instanceof Error && error.name === 'BuildError' ? error.message : error)
    process.exit(3)
  }
}

const binary = findElectron()
const why =
  noDesktopReason() ??
  (binary === null ? (noDownloadReason() ?? "Electron isn't downloaded yet") : null)

if (why === null) {
  await build(['app'])
  passOn(binary, [root, ...args])
} else {
  console.error(`Opening Countersign in the browser instead of the desktop app: ${why}.`)
  await build(['app', 'node'])
  const app = passOn(process.execPath, [join(root, 'out', 'node', 'cli.js'), 'serve', ...args])
  if (noDesktopReason() === null && noDownloadReason() === null) {
    const stop = downloadInBackground((line) => console.error(line))
    // Before this process ends with the app.
    app.prependListener('exit', stop)
  }
}
