/** `app`: readiness, paths, the single-instance lock, and the order of events on quit. */
import { EventEmitter } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { App } from 'electron'
import { isAlive } from '../../src/core/base/processes.ts'
import { RESOURCES_VARIABLE } from './chromium.ts'
import { becomeReady, beginQuit, cancelQuit, currentPhase, requireNotReady } from './lifecycle.ts'
import { shellApp } from './shell-parts.ts'
import { answerTest, onChromiumLost, report, theChromium } from './state.ts'
import { strict } from './strict.ts'

export interface ClosableWindow {
  close(): void
}

/** Open windows, oldest first. Maintained by `BrowserWindow`. */
export const openWindows = new Set<ClosableWindow>()

const paths = new Map<string, string>([
  ['appData', process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')],
  ['home', homedir()],
])

const emitter = new EventEmitter().setMaxListeners(0)
// Only windows wait for Chromium, so a start that fails before has no need of it.
theChromium().catch((error: unknown) => {
  process.stderr.write(`standin: ${String(error)}\n`)
  members.exit(1)
})
const ready = nextTurn().then(() => {
  becomeReady()
  emitter.emit('ready', {}, {})
})

function end(): void {
  let prevented = false
  emitter.emit('will-quit', { preventDefault: () => (prevented = true) })
  if (prevented) {
    cancelQuit()
    return
  }
  emitter.emit('quit', {}, 0)
  members.exit(0)
}

/** Completes a quit, or lets the app decide, after the last window has closed. */
export function windowClosed(): void {
  if (openWindows.size > 0) return
  if (currentPhase() === 'quitting') end()
  else if (emitter.listenerCount('window-all-closed') > 0) emitter.emit('window-all-closed')
  else members.quit()
}

/**
 * Returns the command line as another instance gets it: Chromium moves switches before the first
 * argument.
 */
function switchesFirst([program = '', ...rest]: readonly string[]): string[] {
  const isSwitch = (word: string) => word.startsWith('-')
  return [program, ...rest.filter(isSwitch), ...rest.filter((word) => !isSwitch(word))]
}

let lock: { release(): void } | null = null

/** Emits `second-instance` for each start that finds the lock taken, at `ready` or later. */
function hearSecondStarts(folder: string): () => void {
  const read = () => {
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
      const file = join(folder, name)
      const { argv, cwd, data } = JSON.parse(readFileSync(file, 'utf8')) as {
        argv: string[]
        cwd: string
        data?: object
      }
      rmSync(file)
      emitter.emit('second-instance', {}, argv, cwd, data ?? {})
      report({ kind: 'secondStart' })
    }
  }
  const watcher = watch(folder, () => {
    if (currentPhase() !== 'starting') read()
  }).unref()
  void ready.then(read)
  return () => {
    watcher.close()
  }
}

const resources = process.env[RESOURCES_VARIABLE]
if (resources !== undefined) {
  Object.defineProperty(process, 'resourcesPath', { value: resources })
  process.argv.splice(1, 1)
}

const members = {
  ...shellApp,
  name: 'Countersign',
  isPackaged: resources !== undefined,
  setAsDefaultProtocolClient: () => true,
  whenReady: () => ready,
  isReady: () => currentPhase() !== 'starting',
  getVersion: () =>
    (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version,
  getAppPath: () => process.cwd(),
  getPath(name) {
    const path = paths.get(name)
    if (path === undefined) throw new Error(`The stand-in for electron knows no path "${name}".`)
    return path
  },
  setPath(name, path) {
    if (!isAbsolute(path)) throw new Error('Path must be absolute')
    if (!existsSync(path)) throw new Error(`Failed to set path: ${path} does not exist`)
    paths.set(name, path)
  },
  setName() {},
  setAppUserModelId() {},
  enableSandbox() {
    requireNotReady('app.enableSandbox() can only be called before app is ready')
  },
  commandLine: strict('commandLine', {
    hasSwitch: (name) =>
      process.argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`)),
  } satisfies Partial<App['commandLine']>),
  /** Takes the lock of the `userData` folder, as in Electron, also from a dead process. */
  requestSingleInstanceLock(data?: Record<string, unknown>) {
    if (lock !== null) return true
    const folder = members.getPath('userData')
    const starts = join(folder, 'standin-starts')
    mkdirSync(starts, { recursive: true })
    const file = join(folder, 'standin.lock')
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (holder > 0 && holder !== process.pid && isAlive(holder)) {
      const start = join(starts, String(process.pid))
      writeFileSync(
        start,
        JSON.stringify({ argv: switchesFirst(process.argv), cwd: process.cwd(), data }),
      )
      renameSync(start, `${start}.json`)
      return false
    }
    writeFileSync(file, String(process.pid))
    const stop = hearSecondStarts(starts)
    lock = {
      release() {
        stop()
        rmSync(file, { force: true })
        lock = null
      },
    }
    process.once('exit', () => lock?.release())
    return true
  },
  hasSingleInstanceLock: () => lock !== null,
  quit() {
    if (currentPhase() === 'quitting') return
    let prevented = false
    emitter.emit('before-quit', { preventDefault: () => (prevented = true) })
    if (prevented) return
    beginQuit()
    if (openWindows.size === 0) end()
    else for (const window of openWindows) window.close()
  },
  exit(code = 0) {
    process.exit(code)
  },
} satisfies Partial<Omit<App, 'commandLine'>> & { commandLine: Partial<App['commandLine']> }

// As in Electron on Linux and macOS, a signal lets the app quit cleanly.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    members.quit()
  })
onChromiumLost(() => {
  members.exit(1)
})

export const appEvents: EventEmitter = emitter
export const app = strict('app', Object.assign(emitter, members))

answerTest(
  'fail',
  ({ message, asynchronously }: { readonly message: string; readonly asynchronously: boolean }) => {
    setImmediate(() => {
      const error = new Error(message)
      if (!asynchronously) throw error
      void Promise.reject(error)
    })
  },
)
