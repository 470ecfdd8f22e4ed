/** Errors that nobody caught in the main process: each ends in the log, and in a sentence for the user. */
import type { App, MessageBoxOptions, CrashReporter, Dialog, WebContents } from 'electron'
import type { Log } from '../core/base/deps.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { NativePayloadOf } from '../shared/contract/native.ts'
import { join } from 'node:path'
import { makeFolder } from '../core/base/data-folder.ts'
import type { MainWindow } from './window.ts'

type FaultKind = 'uncaughtException' | 'unhandledRejection'

/** How a fault is shown; null if it is only logged. */
type FaultAnswer =
  /** The app isn't running yet, so it can't start. */
  | { readonly kind: 'refuse'; readonly message: string }
  /** A box with the choice to quit: the state of the process is unknown. */
  | { readonly kind: 'ask'; readonly message: string; readonly detail: string }
  /** A notice in the window: one task failed. */
  | { readonly kind: 'notice'; readonly title: string; readonly message: string }
  | null

/** A terminal or pipe that was closed while the app wrote to it: nothing is wrong with the app. */
function isClosedOutput(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false
  return error.syscall === 'write' && (error.code === 'EPIPE' || error.code === 'EIO')
}

/** Faults of the same kind are shown once in this time, in milliseconds: a fault in a loop must not cover the screen. */
const QUIET_MS = 60_000

export interface Faults {
  /** Logs the error and says what to show. */
  heard(error: unknown, kind: FaultKind): FaultAnswer
}

export function createFaultHandler(deps: {
  readonly log: Pick<Log, 'bug'>
  isReady(): boolean
  now(): number
}): Faults {
  const shownAt = new Map<FaultKind, number>()
  return {
    heard(error, kind) {
      const ref = deps.log.bug(error, kind)
      if (isClosedOutput(error)) return null
      const where = `The log has the details under ${ref}.`
      if (kind === 'uncaughtException' && !deps.isReady()) {
        const reason = error instanceof Error ? error.message : String(error)
        return { kind: 'refuse', message: `${reason}\n${where}` }
      }
      const last = shownAt.get(kind)
      if (last !== undefined && deps.now() - last < QUIET_MS) return null
      shownAt.set(kind, deps.now())
      return kind === 'uncaughtException'
        ? {
            kind: 'ask',
            message: 'Something went wrong in Countersign',
            detail: `It may not work correctly until you start it again. ${where}`,
          }
        : { kind: 'notice', title: 'Something went wrong', message: where }
    },
  }
}

type Notify = (notice: NativePayloadOf<'native.problem'>) => void

interface FaultPorts {
  readonly app: Pick<App, 'isReady' | 'quit'>
  readonly dialog: {
    showMessageBox(options: MessageBoxOptions): Promise<{ readonly response: number }>
  }
  readonly process: { on(event: FaultKind, listener: (error: unknown) => void): unknown }
}

/**
 * Watches for errors that nobody catches; `refuse` ends a start. Notices wait for the window, which the returned function connects.
 */
export function watchFaults(
  { app, dialog, process }: FaultPorts,
  { log, refuse }: { readonly log: Pick<Log, 'bug'>; refuse(error: AppError): void },
): (show: Notify) => void {
  const waiting: NativePayloadOf<'native.problem'>[] = []
  let notify: Notify = (notice) => waiting.push(notice)
  const faults = createFaultHandler({ log, isReady: () => app.isReady(), now: Date.now })
  const ask = async (message: string, detail: string) => {
    const buttons = ['Keep running', 'Quit']
    const choice = {
      type: 'error',
      message,
      detail,
      buttons,
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    } as const
    if ((await dialog.showMessageBox(choice)).response === 1) app.quit()
  }
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(kind, (error) => {
      const answer = faults.heard(error, kind)
      if (answer?.kind === 'refuse') refuse(new AppError('INTERNAL', answer.message))
      else if (answer?.kind === 'notice') notify({ title: answer.title, message: answer.message })
      else if (answer?.kind === 'ask') void ask(answer.message, answer.detail)
    })
  return (show) => {
    notify = show
    for (const notice of waiting.splice(0)) show(notice)
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

interface RecoveryOptions {
  /** The app's root URL, ending in a slash. */
  readonly home: string
  readonly log: Log
  readonly window: () => MainWindow | null
}

/** Crashes further apart than this aren't related, in milliseconds. */
const RELATED_MS = 10 * 60_000

const STILL_CAPTURED = 'Deliveries are still captured.'

/** Chromium's code for a load that another one replaced. */
const ABORTED = -3

/** Watches every page. Call before the window is created. */
export function setupRecovery(
  { app, dialog }: { readonly app: App; readonly dialog: Pick<Dialog, 'showMessageBox'> },
  { home, log, window }: RecoveryOptions,
): void {
  let lastCrash = Number.NEGATIVE_INFINITY
  /** The user chose to reload a page that doesn't respond, so the next end of its process isn't a crash. */
  let isExpected = false
  let asking: AbortController | null = null

  /** Asks the user in place of an open question; the number of the button, or null if there was no answer. */
  const ask = async (
    options: Pick<MessageBoxOptions, 'message' | 'detail' | 'buttons'>,
  ): Promise<number | null> => {
    const owner = window()?.current() ?? null
    if (owner === null) return null
    asking?.abort()
    const open = new AbortController()
    asking = open
    try {
      const box = {
        type: 'warning',
        defaultId: 0,
        cancelId: 0,
        noLink: true,
        signal: open.signal,
        ...options,
      } as const
      const { response } = await dialog.showMessageBox(owner, box)
      return open.signal.aborted ? null : response
    } finally {
      if (asking === open) asking = null
    }
  }
  const retryOrQuit = async (contents: WebContents, message: string, detail: string) => {
    const button = await ask({ message, detail, buttons: ['Try again', 'Quit'] })
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
            `${STILL_CAPTURED} Try again, or quit and start Countersign again. If it fails again, report it with the log.`,
          )
      })
    })
    contents.on('unresponsive', () => {
      log.warn("The window doesn't respond.")
      if (asking !== null) return
      const question = {
        message: "The window doesn't respond",
        detail: `${STILL_CAPTURED} Wait for it, or reload it.`,
        buttons: ['Wait', 'Reload'],
      }
      void ask(question).then((button) => {
        if (button !== 1 || contents.isDestroyed()) return
        isExpected = true
        contents.forcefullyCrashRenderer()
      })
    })
    contents.on('responsive', () => asking?.abort())
    contents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
      if (!isMainFrame || code === ABORTED) return
      log.warn("Couldn't load the window.", { code, description, url })
      const detail = `${STILL_CAPTURED} Chromium reports ${description || 'an error'} (${code}). Try again. If it fails again, install Countersign again.`
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
