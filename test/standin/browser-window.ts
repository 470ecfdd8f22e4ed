/** `BrowserWindow`: one page of Chromium, with the state of an invisible window. */
import { EventEmitter } from 'node:events'
import type { BrowserWindow as ElectronWindow, BrowserWindowConstructorOptions } from 'electron'
import { appEvents, openWindows, windowClosed } from './app.ts'
import { applyPermissions } from './session.ts'
import { theChromium } from './state.ts'
import { strict } from './strict.ts'
import { openTarget, type OpenTarget } from './targets.ts'
import { createContents } from './web-contents.ts'

type Members = Pick<
  ElectronWindow,
  | 'loadURL'
  | 'show'
  | 'focus'
  | 'isMinimized'
  | 'restore'
  | 'maximize'
  | 'isMaximized'
  | 'isDestroyed'
  | 'getNormalBounds'
  | 'close'
>

/** Settings that would give the page access to the computer. The stand-in can't show their effect, so it rejects them. */
function safePreload(options: BrowserWindowConstructorOptions): string {
  const wanted = options.webPreferences
  if (
    wanted?.sandbox !== true ||
    wanted.contextIsolation !== true ||
    wanted.nodeIntegration !== false ||
    wanted.webSecurity !== true
  )
    throw new Error('The stand-in shows windows that are sandboxed and isolated, without Node and with web security, only.')
  if (wanted.preload === undefined) throw new Error('The stand-in needs a preload.')
  return wanted.preload
}

function createWindow(options: BrowserWindowConstructorOptions) {
  const bounds = { x: options.x ?? 0, y: options.y ?? 0, width: options.width ?? 800, height: options.height ?? 600 }
  const emitter = new EventEmitter().setMaxListeners(0)
  const { contents, attach, load, destroy } = createContents(safePreload(options))
  let target: OpenTarget | null = null
  let destroyed = false
  let maximized = false

  const gone = () => {
    if (destroyed) return
    // A page closed by a test counts as a window closed by its user.
    emitter.emit('close', { preventDefault() {} })
    destroyed = true
    destroy()
    openWindows.delete(window)
    emitter.emit('closed')
    windowClosed()
  }

  const attached = openTarget({ width: bounds.width, height: bounds.height }, gone).then(async (opened) => {
    await attach(opened.session)
    target = opened
  })
  contents.once('did-finish-load', () => {
    emitter.emit('ready-to-show')
  })

  const members = {
    async loadURL(url) {
      await attached
      await applyPermissions((await theChromium()).cdp, url)
      await load(url)
    },
    show() {},
    focus() {},
    isMinimized: () => false,
    restore() {},
    maximize() {
      maximized = true
    },
    isMaximized: () => maximized,
    isDestroyed: () => destroyed,
    getNormalBounds: () => bounds,
    close() {
      let prevented = false
      emitter.emit('close', { preventDefault: () => (prevented = true) })
      if (prevented || destroyed) return
      emitter.removeAllListeners('close')
      attached
        .then(() => target?.close())
        .catch(() => {
          // Chromium exited first, and closed the window.
        })
    },
  } satisfies Members
  const window = strict('window', Object.assign(emitter, members, { webContents: contents }))
  openWindows.add(window)
  appEvents.emit('web-contents-created', {}, contents)
  appEvents.emit('browser-window-created', {}, window)
  return window
}

type Window = ReturnType<typeof createWindow>

/** Electron's class: `createWindow` creates its instances. */
export const BrowserWindow = new Proxy(function () {} as unknown as new (options: BrowserWindowConstructorOptions) => Window, {
  construct: (_target, [options]: [BrowserWindowConstructorOptions]) => createWindow(options),
  get(_target, key) {
    if (key === 'getAllWindows') return () => [...openWindows]
    throw new Error(`The stand-in for electron has no BrowserWindow.${String(key)}. Add it to test/standin, or do without.`)
  },
})
