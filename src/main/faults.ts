/** Errors that nobody caught in the main process: each ends in the log, and in a sentence for the user. */
import { join } from 'node:path'
import type {
  App,
  BrowserWindow,
  CrashReporter,
  Dialog,
  MessageBoxOptions,
  WebContents,
} from 'electron'
import { makeFolder } from '../core/base/data-folder.ts'
import type { Log } from '../core/base/deps.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { Tell } from './ipc-transport.ts'
import type { MainWindow } from './window.ts'

type Boxes = Pick<Dialog, 'showMessageBox'>

/** Shows a box of the system, in front of `owner` if there is one. Returns the number of the chosen button; the first is the default. */
export async function askUser(
  dialog: Boxes,
  owner: BrowserWindow | null,
  question: MessageBoxOptions,
): Promise<number> {
  const box = { defaultId: 0, cancelId: 0, noLink: true, ...question }
  const answer = owner === null ? dialog.showMessageBox(box) : dialog.showMessageBox(owner, box)
  return (await answer).response
}

/** A terminal or pipe that was closed while the app wrote to it: nothing is wrong with the app. */
function isClosedOutput(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false
  return error.syscall === 'write' && (error.code === 'EPIPE' || error.code === 'EIO')
}

/** Faults of the same kind are shown once in this time, in milliseconds: a fault in a loop must not cover the screen. */
const QUIET_MS = 60_000

interface Faulty {
  readonly app: Pick<App, 'isReady' | 'quit'>
  readonly dialog: Boxes
  readonly process: Pick<NodeJS.EventEmitter, 'on'>
}

/**
 * Watches for errors that nobody catches. After an exception the state of the process is unknown, so a box offers to quit; before the
 * app is ready, `refuse` ends the start. A rejected promise is one task that failed: it becomes a notice in the window.
 */
export function watchFaults(
  { app, dialog, process }: Faulty,
  deps: { readonly log: Pick<Log, 'bug'>; readonly tell: Tell; refuse(error: AppError): void },
): void {
  for (const kind of ['uncaughtException', 'unhandledRejection']) {
    let shownAt = Number.NEGATIVE_INFINITY
    process.on(kind, (error: unknown) => {
      const message = `The log has the details under ${deps.log.bug(error, kind)}.`
      if (isClosedOutput(error)) return
      const isException = kind === 'uncaughtException'
      if (isException && !app.isReady()) {
        const reason = error instanceof Error ? error.message : String(error)
        deps.refuse(new AppError('INTERNAL', `${reason}\n${message}`))
        return
      }
      if (Date.now() - shownAt < QUIET_MS) return
      shownAt = Date.now()
      if (!isException) {
        deps.tell('native.problem', { title: 'Something went wrong', message })
        return
      }
      void askUser(dialog, null, {
        type: 'error',
        message: 'Something went wrong in Countersign',
        detail: `It may not work correctly until you start it again. ${message}`,
        buttons: ['Keep running', 'Quit'],
      }).then((button) => {
        if (button === 1) app.quit()
      })
    })
  }
}

// Brings the window back after its page fails, and ends every failure in a log entry and a sentence: a page whose process ends
// is loaded again once, and then the user decides. Capture runs in another process and continues.

/**
 * Crash dumps stay beside the log: they are never sent anywhere, because the memory of a process can contain captured data. Call
 * before the app is ready.
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
    // Without a folder there are no dumps. The start itself reports a data folder that can't be written.
  }
}

/** Crashes further apart than this aren't related, in milliseconds. */
const RELATED_MS = 10 * 60_000

/** Chromium's code for a load that another one replaced. */
const ABORTED = -3

/** Watches every page. Call before the window is created. `home` is the app's root URL, ending in a slash. */
export function setupRecovery(
  { app, dialog }: { readonly app: App; readonly dialog: Boxes },
  home: string,
  log: Log,
  window: Pick<MainWindow, 'current'>,
): void {
  let lastCrash = Number.NEGATIVE_INFINITY
  /** The user chose to reload a page that doesn't respond, so the next end of its process isn't a crash. */
  let isExpected = false
  let asking: AbortController | null = null

  /** Asks the user in place of an open question; the number of the button, or null if there was no answer. */
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
