/** One instance a data folder, and an end in order: the core closes before the process does, however the end was asked for. */
import { join } from 'node:path'
import { type App, BrowserWindow } from 'electron'
import { makeDataFolder, makeFolder } from '../core/base/data-folder.ts'

/** How long the core may take to close before the app ends without it, in milliseconds. */
const LONGEST_CLOSE = 10_000

/**
 * Gives Chromium's own files a folder beside the data and takes the lock of one instance, which belongs to that folder.
 * False where another instance has it; that one is told and shows its window. Throws where the folder cannot be made. Call before
 * the app is ready.
 */
export function takeInstanceLock(app: App, dataFolder: string): boolean {
  const folder = join(dataFolder, 'desktop')
  makeDataFolder(dataFolder)
  makeFolder(folder)
  app.setPath('userData', folder)
  return app.requestSingleInstanceLock()
}

/** A second start of the app shows the window of the first. */
export function setupSecondInstance(app: App): void {
  app.on('second-instance', () => {
    const [window] = BrowserWindow.getAllWindows()
    if (window === undefined) return
    if (window.isMinimized()) window.restore()
    window.focus()
  })
}

/** Ends the app only after `close` has ended, or has had its time; `onLate` is told in that case. */
export function setupQuit(app: App, close: () => Promise<void>, onLate: (error: unknown) => void): void {
  let closed = false
  let closing = false
  app.on('will-quit', (event) => {
    if (closed) return
    event.preventDefault()
    if (closing) return
    closing = true
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`The core didn't close within ${LONGEST_CLOSE} ms.`))
      }, LONGEST_CLOSE)
    })
    void Promise.race([close(), limit])
      .catch(onLate)
      .finally(() => {
        clearTimeout(timer)
        closed = true
        app.quit()
      })
  })
}
