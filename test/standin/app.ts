/** `app`: readiness, paths, the single-instance lock, and the order of events on quit. */
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { App } from 'electron'
import { onChromiumLost, theChromium } from './state.ts'
import { strict } from './strict.ts'

interface ClosableWindow {
  close(): void
}

/** Open windows, oldest first. Maintained by `BrowserWindow`. */
export const openWindows = new Set<ClosableWindow>()

const paths = new Map<string, string>([
  ['appData', process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')],
  ['home', homedir()],
])

let quitting = false

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const emitter = new EventEmitter().setMaxListeners(0)
const ready = theChromium().then(() => undefined)

function end(): void {
  let prevented = false
  emitter.emit('will-quit', { preventDefault: () => (prevented = true) })
  if (prevented) {
    quitting = false
    return
  }
  emitter.emit('quit', {}, 0)
  members.exit(0)
}

/** Called when a window has closed: the last one completes a quit, or lets the app decide. */
export function windowClosed(): void {
  if (openWindows.size > 0) return
  if (quitting) end()
  else if (emitter.listenerCount('window-all-closed') > 0) emitter.emit('window-all-closed')
  else members.quit()
}

const members = {
  name: 'Countersign',
  isPackaged: false,
  whenReady: () => ready,
  isReady: () => true,
  getVersion: () => (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version,
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
  enableSandbox() {},
  /** One lock per `userData` folder, as in Electron. The lock of a dead process is taken over. */
  requestSingleInstanceLock() {
    const folder = members.getPath('userData')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'standin.lock')
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (holder > 0 && holder !== process.pid && isAlive(holder)) return false
    writeFileSync(file, String(process.pid))
    process.once('exit', () => {
      rmSync(file, { force: true })
    })
    return true
  },
  quit() {
    if (quitting) return
    let prevented = false
    emitter.emit('before-quit', { preventDefault: () => (prevented = true) })
    if (prevented) return
    quitting = true
    if (openWindows.size === 0) end()
    else for (const window of openWindows) window.close()
  },
  exit(code = 0) {
    process.exit(code)
  },
} satisfies Pick<
  App,
  | 'name'
  | 'isPackaged'
  | 'whenReady'
  | 'isReady'
  | 'getVersion'
  | 'getAppPath'
  | 'getPath'
  | 'setPath'
  | 'setName'
  | 'setAppUserModelId'
  | 'enableSandbox'
  | 'requestSingleInstanceLock'
  | 'quit'
  | 'exit'
>

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
