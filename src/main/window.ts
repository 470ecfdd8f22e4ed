/** The window: sandboxed, isolated and without Node, at its last position. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { app, BrowserWindow, type Event, screen } from 'electron'
import { PRODUCT_NAME } from '../shared/product.ts'
import { throttle } from '../core/base/throttle.ts'
import {
  parseWindowState,
  placeWindow,
  SMALLEST_WINDOW,
  type WindowState,
  type ZoomStep,
  zoomed,
} from './window-state.ts'

interface WindowOptions {
  readonly pageUrl: string
  readonly preload: string
  readonly stateFile: string
  readonly takesFocus: boolean
}

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

/** Time between saves, because dragging a window sends hundreds of events. */
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

/** Creates the hidden window, whose page can reach nothing but the preload script's bridge. */
function createBrowserWindow(bounds: WindowState['bounds'], preload: string): BrowserWindow {
  return new BrowserWindow({
    ...bounds,
    minWidth: SMALLEST_WINDOW.width,
    minHeight: SMALLEST_WINDOW.height,
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
}

type ClosingListener = (event: Event, window: BrowserWindow) => void

/** The app's only window, which the user can close and open again. */
export class MainWindow {
  readonly #options: WindowOptions
  #window: BrowserWindow | null = null
  #zoomFactor = 1
  #saveState: () => void = () => undefined
  #closingListener: ClosingListener = () => undefined

  constructor(options: WindowOptions) {
    this.#options = options
  }

  current(): BrowserWindow | null {
    return this.#window
  }

  isInFront = (): boolean => {
    const window = this.#window
    return window !== null && window.isVisible() && !window.isMinimized() && window.isFocused()
  }

  start(): void {
    app.on('window-all-closed', () => app.quit())
    // A click on the Dock.
    app.on('activate', this.show)
    screen.on('display-removed', this.#moveToDisplay)
    screen.on('display-metrics-changed', this.#moveToDisplay)
    this.#open()
  }

  /** Brings the window to the front; opens it if it is closed. */
  show = (): void => {
    const window = this.#window
    if (window === null) {
      this.#open()
      return
    }
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }

  hide(): void {
    const window = this.#window
    if (window === null) return
    if (!window.isFullScreen()) {
      window.hide()
      return
    }
    // On a Mac, hiding a full-screen window leaves an empty black screen.
    window.once('leave-full-screen', () => window.hide())
    window.setFullScreen(false)
  }

  zoom(step: ZoomStep): void {
    this.#zoomFactor = zoomed(this.#zoomFactor, step)
    this.#applyZoom()
    this.#saveState()
  }

  /** Sets the listener of closing, which may prevent the event to keep the window open. */
  onClosing(listener: ClosingListener): void {
    this.#closingListener = listener
  }

  #open(): void {
    const { pageUrl, preload, stateFile, takesFocus } = this.#options
    const { bounds, maximized, fullScreen, zoom } = placeOnDisplays(readState(stateFile))
    const window = createBrowserWindow(bounds, preload)
    window.once('ready-to-show', () => {
      if (maximized) window.maximize()
      if (fullScreen) window.setFullScreen(true)
      if (takesFocus) window.show()
      else window.showInactive()
    })
    this.#window = window
    this.#zoomFactor = zoom
    this.#saveState = keepState(window, stateFile, () => this.#zoomFactor)
    // Loading a page resets its zoom.
    window.webContents.on('did-finish-load', () => this.#applyZoom())
    // Sent for Ctrl and the mouse wheel.
    window.webContents.on('zoom-changed', (_event, direction) => this.zoom(direction))
    window.on('close', (event) => this.#closingListener(event, window))
    window.on('closed', () => {
      if (this.#window === window) this.#window = null
    })
    // A failed load has its own event.
    window.loadURL(pageUrl).catch(() => undefined)
  }

  #applyZoom(): void {
    this.#window?.webContents.setZoomFactor(this.#zoomFactor)
  }

  /** Moves the window if its display was unplugged. */
  #moveToDisplay = (): void => {
    const window = this.#window
    if (window === null || window.isMaximized() || window.isFullScreen()) return
    const before = window.getNormalBounds()
    const { bounds } = placeOnDisplays({
      bounds: before,
      maximized: false,
      fullScreen: false,
      zoom: this.#zoomFactor,
    })
    if (bounds.x !== before.x || bounds.y !== before.y) window.setBounds(bounds)
  }
}
