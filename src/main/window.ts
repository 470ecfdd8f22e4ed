/** The window: sandboxed, isolated and without Node, at its last position. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { app, BrowserWindow, type Event, screen } from 'electron'
import { PRODUCT_NAME } from '../shared/product.ts'
import { throttle } from '../core/base/throttle.ts'
import {
  parseWindowState,
  placeWindow,
  SMALLEST,
  type WindowState,
  type ZoomStep,
  zoomed,
} from './window-state.ts'

interface WindowOptions {
  readonly home: string
  readonly preload: string
  readonly stateFile: string
  readonly takesFocus: boolean
}

export type MainWindow = ReturnType<typeof createMainWindow>

function readState(file: string): WindowState | null {
  try {
    return parseWindowState(readFileSync(file, 'utf8'))
  } catch {
    // Missing on the first start. Any error means a default window.
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

/** Milliseconds: dragging a window sends hundreds of events. */
const SAVE_EVERY_MS = 300

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

function placeOnDisplays(state: WindowState | null): WindowState {
  const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()]
  return placeWindow(
    state,
    displays.map(({ workArea }) => workArea),
  )
}

export function createMainWindow({ home, preload, stateFile, takesFocus }: WindowOptions) {
  let current: BrowserWindow | null = null
  let zoom = 1
  let save: () => void = () => undefined
  let closing: (event: Event, window: BrowserWindow) => void = () => undefined

  const applyZoom = () => {
    current?.webContents.setZoomFactor(zoom)
  }
  const changeZoom = (step: ZoomStep) => {
    zoom = zoomed(zoom, step)
    applyZoom()
    save()
  }

  const open = () => {
    const { bounds, maximized, fullScreen, ...state } = placeOnDisplays(readState(stateFile))
    const window = new BrowserWindow({
      ...bounds,
      minWidth: SMALLEST.width,
      minHeight: SMALLEST.height,
      show: false,
      title: PRODUCT_NAME,
      ...(process.platform === 'darwin' ? { titleBarStyle: 'hiddenInset' as const } : {}),
      webPreferences: {
        preload,
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
      if (takesFocus) window.show()
      else window.showInactive()
    })
    current = window
    zoom = state.zoom
    save = keepState(window, stateFile, () => zoom)
    // Loading a page resets its zoom.
    window.webContents.on('did-finish-load', applyZoom)
    // Ctrl and the mouse wheel.
    window.webContents.on('zoom-changed', (_event, direction) => changeZoom(direction))
    window.on('close', (event) => closing(event, window))
    window.on('closed', () => {
      if (current === window) current = null
    })
    // A failed load has its own event.
    window.loadURL(home).catch(() => undefined)
  }

  /** Moves a window on an unplugged display to another. */
  const backOnDisplay = () => {
    if (current === null || current.isMaximized() || current.isFullScreen()) return
    const before = current.getNormalBounds()
    const state = { bounds: before, maximized: false, fullScreen: false, zoom }
    const { bounds } = placeOnDisplays(state)
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

  return {
    current: () => current,
    start() {
      app.on('window-all-closed', () => app.quit())
      // A click on the Dock.
      app.on('activate', show)
      screen.on('display-removed', backOnDisplay)
      screen.on('display-metrics-changed', backOnDisplay)
      open()
    },
    /** Opens the window if it is closed. */
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
    /** The listener may prevent the event, which keeps the window open. */
    onClosing(listener: typeof closing) {
      closing = listener
    },
  }
}
