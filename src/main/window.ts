/** The window: sandboxed, isolated and without Node, shown once it has content, at its last position. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type App, BrowserWindow, type Event, type Screen } from 'electron'
import { throttle } from '../core/base/async.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import {
  parseWindowState,
  placeWindow,
  SMALLEST,
  type WindowState,
  zoomed,
} from './window-state.ts'

export interface WindowOptions {
  readonly home: string
  /** Absolute path of the built preload script. */
  readonly preload: string
  /** File with the window's position. */
  readonly stateFile: string
  readonly platform: NodeJS.Platform
  readonly screen: Screen
  /** Shows the first window in front, with the keyboard. */
  readonly takesFocus: boolean
}

/** The app's one window, which may be hidden or closed. */
export interface MainWindow {
  /** Null while it is closed. */
  current(): BrowserWindow | null
  /** Shows the window in front of all others; opens it if it is closed. */
  show(): void
  hide(): void
  /** Whether the user is looking at it. */
  isInFront(): boolean
  zoom(step: 'in' | 'out' | 'reset'): void
  /** Called when the user closes the window; preventing the event keeps it open. */
  onClosing(listener: (event: Event, window: BrowserWindow) => void): void
}

function readState(file: string): WindowState | null {
  try {
    return parseWindowState(readFileSync(file, 'utf8'))
  } catch {
    // Missing on the first start.
    return null
  }
}

function writeState(file: string, state: WindowState): void {
  try {
    // A crash while writing must not leave half a file.
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // A failed save only loses the position; closing must not fail.
  }
}

/** Dragging a window sends hundreds of events. */
const SAVE_EVERY_MS = 300

/** Saves the state on every change, so that a crash or a power failure doesn't lose it. Returns a function that saves. */
function keepState(window: BrowserWindow, file: string, zoom: () => number): () => void {
  const save = throttle(
    () => {
      if (window.isDestroyed()) return
      writeState(file, {
        bounds: window.getNormalBounds(),
        maximized: window.isMaximized(),
        fullScreen: window.isFullScreen(),
        zoom: zoom(),
      })
    },
    { everyMs: SAVE_EVERY_MS, first: 'later' },
  )
  window.on('move', save)
  window.on('resize', save)
  window.on('maximize', save)
  window.on('unmaximize', save)
  window.on('enter-full-screen', save)
  window.on('leave-full-screen', save)
  window.on('close', save.flush)
  window.on('closed', save.stop)
  return save
}

/** The displays' work areas, the primary one first. */
function areasOf(screen: Screen) {
  return [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea)
}

function createWindow(
  options: WindowOptions,
  { bounds, maximized, fullScreen }: WindowState,
): BrowserWindow {
  const window = new BrowserWindow({
    ...bounds,
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: PRODUCT_NAME,
    ...(options.platform === 'darwin' ? { titleBarStyle: 'hiddenInset' as const } : {}),
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      // The list must follow deliveries while the window is in the background.
      backgroundThrottling: false,
    },
  })
  window.once('ready-to-show', () => {
    if (maximized) window.maximize()
    if (fullScreen) window.setFullScreen(true)
    if (options.takesFocus) window.show()
    else window.showInactive()
  })
  return window
}

/** Opens the window. The app ends with it, unless closing only hides it. */
export function setupWindow(app: App, options: WindowOptions): MainWindow {
  let current: BrowserWindow | null = null
  let zoom = 1
  let save: () => void = () => undefined
  const closingListeners: ((event: Event, window: BrowserWindow) => void)[] = []

  const applyZoom = () => {
    current?.webContents.setZoomFactor(zoom)
  }
  const changeZoom = (step: 'in' | 'out' | 'reset') => {
    zoom = zoomed(zoom, step)
    applyZoom()
    save()
  }

  const open = () => {
    const state = placeWindow(readState(options.stateFile), areasOf(options.screen))
    const window = createWindow(options, state)
    current = window
    zoom = state.zoom
    save = keepState(window, options.stateFile, () => zoom)
    // Loading a page resets its zoom.
    window.webContents.on('did-finish-load', applyZoom)
    // Ctrl and the mouse wheel.
    window.webContents.on('zoom-changed', (_event, direction) => changeZoom(direction))
    window.on('close', (event) => {
      for (const listener of closingListeners) listener(event, window)
    })
    window.on('closed', () => {
      if (current === window) current = null
    })
    // A failed load has its own event.
    window.loadURL(options.home).catch(() => undefined)
  }

  /** A window on an unplugged display moves to another. */
  const backOnDisplay = () => {
    if (current === null || current.isMaximized() || current.isFullScreen()) return
    const before = current.getNormalBounds()
    const { bounds } = placeWindow(
      { bounds: before, maximized: false, fullScreen: false, zoom },
      areasOf(options.screen),
    )
    if (bounds.x !== before.x || bounds.y !== before.y) current.setBounds(bounds)
  }

  const show = () => {
    if (current === null) {
      open()
      return
    }
    if (current.isMinimized()) current.restore()
    current.show()
    current.focus()
  }

  app.on('window-all-closed', () => app.quit())
  // A click on the Dock.
  app.on('activate', show)
  options.screen.on('display-removed', backOnDisplay)
  options.screen.on('display-metrics-changed', backOnDisplay)
  open()

  return {
    current: () => current,
    show,
    hide() {
      const window = current
      if (window === null) return
      if (!window.isFullScreen()) {
        window.hide()
        return
      }
      // On a Mac, hiding a full-screen window leaves an empty black screen.
      window.once('leave-full-screen', () => window.hide())
      window.setFullScreen(false)
    },
    isInFront: () =>
      current !== null && current.isVisible() && !current.isMinimized() && current.isFocused(),
    zoom: changeZoom,
    onClosing(listener) {
      closingListeners.push(listener)
    },
  }
}
