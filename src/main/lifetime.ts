/** Allows one app per data folder, and closes the core before the process exits. */
import { join } from 'node:path'
import { app } from 'electron'
import { withTimeLimit } from '../core/base/async.ts'
import { makeDataFolder, makeFolder } from '../core/base/data-folder.ts'
import type { SecondStartData } from './link-and-file-opener.ts'

const CLOSE_TIMEOUT_MS = 10_000

/**
 * Locks the data folder; false if another app has it, which then opens `forwarded`. Throws if the
 * folder can't be created. Call before the app is ready.
 */
export function takeInstanceLock(dataFolder: string, forwarded: SecondStartData): boolean {
  const folder = join(dataFolder, 'desktop')
  makeDataFolder(dataFolder)
  makeFolder(folder)
  app.setPath('userData', folder)
  return app.requestSingleInstanceLock(forwarded)
}

interface QuitOptions {
  close(): Promise<void>
  onLate(error: unknown): void
  exitCode(): number
  beforeExit(): void
}

export function setupQuit({ close, onLate, exitCode, beforeExit }: QuitOptions): void {
  let closed = false
  let closing = false
  app.on('will-quit', (event) => {
    if (closed) return
    event.preventDefault()
    if (closing) return
    closing = true
    void withTimeLimit(CLOSE_TIMEOUT_MS, close(), () => {
      throw new Error(`The core didn't close within ${CLOSE_TIMEOUT_MS} ms.`)
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
