/**
 * Recovery of the window: a page whose process ends is loaded again once, and then the user
 * decides.
 */
import type { App, CrashReporter, WebContents } from 'electron'
import { join } from 'node:path'
import { makeFolder } from '../core/base/data-folder.ts'
import type { Log } from '../core/base/deps.ts'
import { type Boxes, askUser } from './faults.ts'
import type { MainWindow } from './window.ts'

/**
 * Keeps crash dumps beside the log, because they contain captured data. Call before the app is
 * ready.
 */

export function setupCrashDumps(
  app: App,
  crashReporter: Pick<CrashReporter, 'start'>,
  logFolder: string,
): void {
  const dumps = join(logFolder, 'crashes')
  try {
    makeFolder(dumps)
    app.setPath('logs', logFolder)
    app.setPath('crashDumps', dumps)
    crashReporter.start({ uploadToServer: false })
  } catch {
    // The start itself reports a data folder that can't be written.
  }
}

/** Milliseconds between crashes that aren't related. */
const RELATED_MS = 10 * 60_000

/** Chromium's code for a load that another one replaced. */
const ABORTED = -3

/** Watches every page. Call before the window is created; `home` ends in a slash. */
export function setupRecovery(
  { app, dialog }: { readonly app: App; readonly dialog: Boxes },
  home: string,
  log: Log,
  window: Pick<MainWindow, 'current'>,
): void {
  let lastCrash = Number.NEGATIVE_INFINITY
  /** Set when the user chose to reload the page, so that its end isn't a crash. */
  let isExpected = false
  let asking: AbortController | null = null

  /** Replaces an open question; resolves with null without an answer. */
  const ask = async (
    message: string,
    detail: string,
    ...buttons: string[]
  ): Promise<number | null> => {
    const owner = window.current()
    if (owner === null) return null
    asking?.abort()
    const open = new AbortController()
    asking = open
    const { signal } = open
    try {
      const button = await askUser(dialog, owner, {
        type: 'warning',
        message,
        detail: `Deliveries are still captured. ${detail}`,
        buttons,
        signal,
      })
      return signal.aborted ? null : button
    } finally {
      if (asking === open) asking = null
    }
  }
  const retryOrQuit = async (contents: WebContents, message: string, detail: string) => {
    const button = await ask(message, detail, 'Try again', 'Quit')
    if (button === 1) app.quit()

    // A failed load has its own event.
    else if (button === 0 && !contents.isDestroyed()) contents.loadURL(home).catch(() => undefined)
  }

  const watch = (contents: WebContents) => {
    contents.on('render-process-gone', (_event, { reason, exitCode }) => {
      // The process ended by itself, as after a navigation.
      if (reason === 'clean-exit') return
      const now = Date.now()
      const next = isExpected || now - lastCrash >= RELATED_MS ? 'reload' : 'ask'
      if (!isExpected) lastCrash = now
      isExpected = false
      log.warn("The window's process ended.", { reason, exitCode, next })
      // Chromium is still cleaning up the process during the event.
      setImmediate(() => {
        if (contents.isDestroyed()) return
        if (next === 'reload') contents.reload()
        else
          void retryOrQuit(
            contents,
            'The window keeps failing',
            'Try again, or quit and start Countersign again. If it fails again, report it with the log.',
          )
      })
    })
    contents.on('unresponsive', () => {
      log.warn("The window doesn't respond.")
      if (asking !== null) return
      void ask("The window doesn't respond", 'Wait for it, or reload it.', 'Wait', 'Reload').then(
        (button) => {
          if (button !== 1 || contents.isDestroyed()) return
          isExpected = true
          contents.forcefullyCrashRenderer()
        },
      )
    })
    contents.on('responsive', () => asking?.abort())
    contents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
      if (!isMainFrame || code === ABORTED) return
      log.warn("Couldn't load the window.", { code, description, url })
      const detail = `Chromium reports ${description || 'an error'} (${code}). Try again. If it fails again, install Countersign again.`
      void retryOrQuit(contents, "Couldn't load the window", detail)
    })
    contents.on('preload-error', (_event, _path, error) => log.bug(error, 'the preload script'))
  }
  app.on('web-contents-created', (_event, contents) => watch(contents))
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit')
      log.warn('A process of Chromium ended.', { type, reason, exitCode })
  })
}
