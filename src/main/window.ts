/** The window: sandboxed, isolated and without Node, shown once it has content, at its last position. */
import { readFileSync, writeFileSync } from 'node:fs'
import { type App, BrowserWindow, type Screen } from 'electron'
import { parseWindowState, placeWindow, SMALLEST, type WindowState } from './window-state.ts'

export interface WindowOptions {
  readonly home: string
  /** Absolute path of the built preload script. */
  readonly preload: string
  /** File with the window's position. */
  readonly stateFile: string
  readonly platform: NodeJS.Platform
  readonly screen: Screen
}

function readState(file: string): WindowState | null {
  try {
    return parseWindowState(readFileSync(file, 'utf8'))
  } catch {
    // Missing on the first start.
    return null
  }
}

function keepState(window: BrowserWindow, file: string): void {
  window.on('close', () => {
    const state: WindowState = { bounds: window.getNormalBounds(), maximized: window.isMaximized() }
    try {
      writeFileSync(file, JSON.stringify(state), { mode: 0o600 })
    } catch {
      // A failed save only loses the position; closing must not fail.
    }
  })
}

/** Creates the window and loads the app. */
function openWindow(options: WindowOptions): void {
  const displays = [options.screen.getPrimaryDisplay(), ...options.screen.getAllDisplays()]
  const { bounds, maximized } = placeWindow(
    readState(options.stateFile),
    displays.map((display) => display.workArea),
  )
  const window = new BrowserWindow({
    ...bounds,
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: 'Countersign',
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
    window.show()
  })
  keepState(window, options.stateFile)
  void window.loadURL(options.home)
}

/** Opens the window. Closing it quits the app, except on macOS, where the Dock icon opens it again. */
export function setupWindow(app: App, options: WindowOptions): void {
  app.on('window-all-closed', () => {
    if (options.platform !== 'darwin') app.quit()
  })
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) openWindow(options)
  })
  openWindow(options)
}
