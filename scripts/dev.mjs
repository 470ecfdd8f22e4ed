/** `npm run dev`: the app with hot reload, in the browser without an Electron binary. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
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

/** Milliseconds without a change before a build: editors save in several steps. */
const QUIET_MS = 150

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const args = process.argv.slice(2)

/** Builds stale targets. Resolves with false if that fails, so that the next change can fix it. */
async function build() {
  try {
    await buildIfStale({ targets: ['node', 'app'] })
    return true
  } catch (error) {
    console.error(error instanceof Error && error.name === 'BuildError' ? error.message : error)
    return false
  }
}

async function serveAndRestart() {
  let server = null
  let stopping = false
  let openWindow = true

  const start = () => {
    const extra = openWindow || args.includes('--no-open') ? args : [...args, '--no-open']
    openWindow = false
    const child = spawn(
      process.execPath,
      [join(root, 'out', 'node', 'cli.js'), 'serve', ...extra],
      { stdio: 'inherit' },
    )
    child.on('exit', (code) => {
      if (server !== child) return
      server = null
      if (stopping) process.exit(code ?? 0)
    })
    server = child
  }
  const stop = async () => {
    const child = server
    if (child === null) return
    server = null
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      stopping = true
      if (server === null) process.exit(0)
      server.kill('SIGTERM')
    })

  let timer
  let turn = (await build()) ? Promise.resolve(start()) : Promise.resolve()
  watch(join(root, 'src'), { recursive: true }, (_kind, name) => {
    if (stopping || (name !== null && /\.test\.tsx?$/.test(name))) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      turn = turn.then(async () => {
        if (!(await build()) || stopping) return
        await stop()
        if (!stopping) start()
      })
    }, QUIET_MS)
  })
}

const binary = findElectron()
const why =
  noDesktopReason() ??
  (binary === null ? (noDownloadReason() ?? "Electron isn't downloaded yet") : null)

if (why === null) {
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  // In a separate folder, so that `npm start` still runs a build without the development server.
  passOn(process.execPath, [electronVite, 'dev', '--watch', '--outDir', 'out/dev', '--', ...args], {
    ...process.env,
    ELECTRON_EXEC_PATH: binary,
    ELECTRON_ENTRY: join(root, 'out', 'dev', 'main', 'index.js'),
  })
} else {
  console.error(
    `Opening Countersign in the browser instead of the desktop app: ${why}. It restarts when a source changes.`,
  )
  if (noDesktopReason() === null && noDownloadReason() === null)
    process.on(
      'exit',
      downloadInBackground((line) => console.error(line)),
    )
  await serveAndRestart()
}
