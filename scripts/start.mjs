/**
 * `npm start`: builds stale targets and opens the desktop app. If no Electron binary is available, one line says why, and the same
 * app opens in the browser, as with `countersign serve`. Both receive the arguments after `--`.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from './build.mjs'
import { fetchElectron, noDesktopReason } from './lib/electron-binary.ts'
import { passOn } from './lib/pass-on.mjs'

/** Time limit for downloading the binary, in milliseconds. It is downloaded during the build. */
const LIMIT = 10_000

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

const [{ binary, reason }] = await Promise.all([fetchElectron({ limit: LIMIT }), build(['app'])])
const why = binary === null ? `Couldn't get an Electron binary (${reason})` : noDesktopReason()

if (why === null) {
  passOn(binary, [root, ...args])
} else {
  console.error(`Opening Countersign in the browser instead of the desktop app: ${why}.`)
  await build(['node'])
  passOn(process.execPath, [join(root, 'out', 'node', 'cli.js'), 'serve', ...args])
}
