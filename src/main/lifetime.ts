/** Allows one app per data folder, and closes the core before the process exits, however it was stopped. */
import { join } from 'node:path'
import { app } from 'electron'
import { withTimeLimit } from '../core/base/async.ts'
import { makeDataFolder, makeFolder } from '../core/base/data-folder.ts'
import type { Forwarded } from './opening.ts'

/** Milliseconds the core may take to close. */
const LONGEST_CLOSE = 10_000

/**
 * Puts Chromium's files beside the data and takes the folder's lock. False if another app has it: that one then shows its window and
 * opens the files and links of `forwarded`. Throws if the folder can't be created. Call before the app is ready.
 */
export function takeInstanceLock(dataFolder: string, forwarded: Forwarded): boolean {
  const folder = join(dataFolder, 'desktop')
  makeDataFolder(dataFolder)
  makeFolder(folder)
  app.setPath('userData', folder)
  return app.requestSingleInstanceLock(forwarded)
}

interface QuitOptions {
  close(): Promise<void>
  /** Called if closing fails or takes too long. */
  onLate(error: unknown): void
  exitCode(): number
  /** The last act before the exit. */
  beforeExit(): void
}

/** Exits only after `close` finishes or times out. */
export function setupQuit({ close, onLate, exitCode, beforeExit }: QuitOptions): void {
  let closed = false
  let closing = false
  app.on('will-quit', (event) => {
    if (closed) return
    event.preventDefault()
    if (closing) return
    closing = true
    void withTimeLimit(LONGEST_CLOSE, close(), () => {
      throw new Error(`The core didn't close within ${LONGEST_CLOSE} ms.`)
    })
      .catch(onLate)
      .then(() => {
        closed = true
        beforeExit()
        const code = exitCode()
        if (code === 0) app.quit()
        else app.exit(code)
      })
  })
}
