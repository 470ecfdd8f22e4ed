/** `BrowserWindow`: one page of Chromium, with the state of an invisible window. */
import { EventEmitter } from 'node:events'
import type {
  BrowserWindow as ElectronWindow,
  BrowserWindowConstructorOptions,
  WebContents,
} from 'electron'
import { appEvents, openWindows, windowClosed } from './app.ts'
import { cancelQuit, refuseDestroyed, requireNotQuitting, requireReady } from './lifecycle.ts'
import { safePreload } from './preferences.ts'
import { applyPermissions } from './session.ts'
import { answerTest, report, theChromium, type WindowState } from './state.ts'
import { strict } from './strict.ts'
import { openTarget, type OpenTarget } from './targets.ts'
import { createContents } from './web-contents.ts'

let lastId = 0
let focused: number | null = null
const readyToShow = new Set<number>()

function createWindow(options: BrowserWindowConstructorOptions) {
  requireReady('Cannot create BrowserWindow before app is ready')
  requireNotQuitting('a new window')
  const id = ++lastId
  let bounds = {
    x: options.x ?? 0,
    y: options.y ?? 0,
    width: options.width ?? 800,
    height: options.height ?? 600,
  }
  const emitter = new EventEmitter().setMaxListeners(0)
  const { contents, attach, load, destroy } = createContents(
    safePreload(options.webPreferences),
    (url, overrides) => {
      // A child window has the preferences of its opener, as in Electron.
      const child = createWindow({
        ...overrides,
        webPreferences: { ...options.webPreferences, ...overrides?.webPreferences },
      })
      child.loadURL(url).catch(() => {
        // The child shows nothing; Electron tells only those who listen.
      })
    },
  )
  let target: OpenTarget | null = null
  let destroyed = false
  let maximized = false
  let minimized = false
  let fullScreen = false
  let visible = false

  const setFocus = (isFocus: boolean) => {
    if (isFocus === (focused === id)) return
    focused = isFocus ? id : null
    emitter.emit(isFocus ? 'focus' : 'blur')
  }
  const setVisible = (isVisible: boolean) => {
    if (visible === isVisible) return
    visible = isVisible
    if (visible) report({ kind: 'shown', at: performance.timeOrigin + performance.now() })
    emitter.emit(isVisible ? 'show' : 'hide')
  }

  const gone = () => {
    if (destroyed) return
    destroyed = true
    if (focused === id) focused = null
    destroy()
    openWindows.delete(window)
    emitter.emit('closed')
    windowClosed()
  }

  const closeTarget = () => {
    attached
      .then(() => target?.close())
      .catch(() => {
        // Chromium exited first, and closed the window.
      })
  }

  const attached = openTarget({ width: bounds.width, height: bounds.height }, () => {
    // A page closed by a test counts as a window closed by its user.
    if (!destroyed) emitter.emit('close', { preventDefault() {} })
    gone()
  }).then(async (opened) => {
    await attach(opened.session)
    target = opened
  })
  contents.once('did-finish-load', () => {
    readyToShow.add(id)
    emitter.emit('ready-to-show')
  })

  const members = {
    id,
    async loadURL(url) {
      await attached
      await applyPermissions((await theChromium()).cdp, url)
      await load(url)
    },
    show() {
      setVisible(true)
      setFocus(!minimized)
    },
    showInactive() {
      setVisible(true)
    },
    hide() {
      setFocus(false)
      setVisible(false)
    },
    focus() {
      // An invisible window can't have the keyboard.
      if (visible && !minimized) setFocus(true)
    },
    blur() {
      setFocus(false)
    },
    isVisible: () => visible,
    isFocused: () => focused === id,
    isFullScreen: () => fullScreen,
    setFullScreen(isFull) {
      fullScreen = isFull
      emitter.emit(isFull ? 'enter-full-screen' : 'leave-full-screen')
    },
    setBounds(change) {
      bounds = { ...bounds, ...change }
      emitter.emit('move')
      emitter.emit('resize')
    },
    minimize() {
      if (minimized) return
      minimized = true
      setFocus(false)
      emitter.emit('minimize')
    },
    isMinimized: () => minimized,
    restore() {
      if (!minimized) return
      minimized = false
      emitter.emit('restore')
      members.show()
    },
    maximize() {
      maximized = true
      setVisible(true)
      emitter.emit('maximize')
    },
    unmaximize() {
      maximized = false
      emitter.emit('unmaximize')
    },
    isMaximized: () => maximized,
    isDestroyed: () => destroyed,
    getNormalBounds: () => bounds,
    close() {
      let prevented = false
      emitter.emit('close', { preventDefault: () => (prevented = true) })
      if (prevented) cancelQuit()
      if (prevented || destroyed) return
      emitter.removeAllListeners('close')
      closeTarget()
    },
    destroy() {
      emitter.removeAllListeners('close')
      closeTarget()
      gone()
    },
  } satisfies Partial<ElectronWindow>
  if (options.show !== false) members.show()
  const window = strict(
    'window',
    Object.assign(emitter, members, { webContents: contents }),
    refuseDestroyed(() => destroyed),
  )
  openWindows.add(window)
  appEvents.emit('web-contents-created', {}, contents)
  appEvents.emit('browser-window-created', {}, window)
  return window
}

type Window = ReturnType<typeof createWindow>
const all = () => [...openWindows] as Window[]

const statics = {
  getAllWindows: all,
  getFocusedWindow: () => all().find((window) => window.isFocused()) ?? null,
  fromWebContents: (contents: WebContents) =>
    all().find((window) => Object.is(window.webContents, contents)) ?? null,
}

export const BrowserWindow = new Proxy(
  function () {} as unknown as new (options: BrowserWindowConstructorOptions) => Window,
  {
    construct: (_target, [options = {}]: [BrowserWindowConstructorOptions?]) =>
      createWindow(options),
    get(_target, key) {
      if (Object.hasOwn(statics, key)) return Reflect.get(statics, key) as unknown
      throw new Error(
        `The stand-in for electron has no BrowserWindow.${String(key)}. Add it to test/standin, or do without.`,
      )
    },
  },
)

answerTest('windows', (): WindowState[] =>
  all().map((window) => ({
    id: window.id,
    url: window.webContents.getURL(),
    readyToShow: readyToShow.has(window.id),
    visible: window.isVisible(),
    focused: window.isFocused(),
    minimized: window.isMinimized(),
    maximized: window.isMaximized(),
  })),
)

/** Actions of the user on the oldest window's frame, and reports of the system about it. */
answerTest(
  'window',
  (act: 'minimize' | 'blur' | 'focus' | 'close' | 'unresponsive' | 'responsive') => {
    const [window] = all()
    if (window === undefined) throw new Error('There is no window.')
    if (act === 'unresponsive' || act === 'responsive') {
      window.webContents.emit(act)
      window.emit(act)
    } else window[act]()
  },
)
