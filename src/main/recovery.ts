/** Recovery of the page: if its process ends, it is loaded again once; then the user decides. */
import type { App, CrashReporter, RenderProcessGoneDetails, WebContents } from 'electron'
import { join } from 'node:path'
import { makeFolder } from '../core/base/data-folder.ts'
import type { Log } from '../core/base/deps.ts'
import { type MessageBoxes, askUser } from './ask-user.ts'
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

/** Time after which another crash counts as unrelated. */
const RELATED_MS = 10 * 60_000

/** Chromium's code for a load that another one replaced. */
const ERR_ABORTED = -3

/** The question about a failing page, of which at most one is open. */
class RecoveryQuestion {
  readonly #dialog: MessageBoxes
  readonly #window: Pick<MainWindow, 'current'>
  #open: AbortController | null = null

  constructor(dialog: MessageBoxes, window: Pick<MainWindow, 'current'>) {
    this.#dialog = dialog
    this.#window = window
  }

  get isOpen(): boolean {
    return this.#open !== null
  }

  /** Replaces an open question; resolves with the button's number, or null without an answer. */
  async ask(message: string, detail: string, buttons: string[]): Promise<number | null> {
    const owner = this.#window.current()
    if (owner === null) return null
    this.withdraw()
    const question = new AbortController()
    this.#open = question
    const { signal } = question
    try {
      const button = await askUser(this.#dialog, owner, {
        type: 'warning',
        message,
        detail: `Deliveries are still captured. ${detail}`,
        buttons,
        signal,
      })
      return signal.aborted ? null : button
    } finally {
      if (this.#open === question) this.#open = null
    }
  }

  withdraw(): void {
    this.#open?.abort()
  }
}

interface RecoveryDeps {
  readonly app: App
  readonly pageUrl: string
  readonly log: Log
  readonly question: RecoveryQuestion
}

class PageRecovery {
  readonly #deps: RecoveryDeps
  #lastCrashAt = Number.NEGATIVE_INFINITY
  /** Set when the user chose to reload the page, so that its end isn't a crash. */
  #isEndExpected = false

  constructor(deps: RecoveryDeps) {
    this.#deps = deps
  }

  watch(contents: WebContents): void {
    const { log, question } = this.#deps
    contents.on('render-process-gone', (_event, end) => this.#onProcessGone(contents, end))
    contents.on('unresponsive', () => {
      log.warn("The window doesn't respond.")
      if (!question.isOpen) void this.#offerReload(contents)
    })
    contents.on('responsive', () => question.withdraw())
    contents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
      if (!isMainFrame || code === ERR_ABORTED) return
      log.warn("Couldn't load the window.", { code, description, url })
      const detail = `Chromium reports ${description || 'an error'} (${code}). Try again. If it fails again, install Countersign again.`
      void this.#retryOrQuit(contents, "Couldn't load the window", detail)
    })
    contents.on('preload-error', (_event, _path, error) => log.bug(error, 'the preload script'))
  }

  #onProcessGone(contents: WebContents, { reason, exitCode }: RenderProcessGoneDetails): void {
    // The process ended by itself, as after a navigation.
    if (reason === 'clean-exit') return
    const now = Date.now()
    const next = this.#isEndExpected || now - this.#lastCrashAt >= RELATED_MS ? 'reload' : 'ask'
    if (!this.#isEndExpected) this.#lastCrashAt = now
    this.#isEndExpected = false
    this.#deps.log.warn("The window's process ended.", { reason, exitCode, next })
    // Chromium is still cleaning up the process during the event.
    setImmediate(() => {
      if (contents.isDestroyed()) return
      if (next === 'reload') contents.reload()
      else
        void this.#retryOrQuit(
          contents,
          'The window keeps failing',
          'Try again, or quit and start Countersign again. If it fails again, report it with the log.',
        )
    })
  }

  async #retryOrQuit(contents: WebContents, message: string, detail: string): Promise<void> {
    const { app, pageUrl, question } = this.#deps
    const button = await question.ask(message, detail, ['Try again', 'Quit'])
    if (button === 1) app.quit()
    // A failed load has its own event.
    else if (button === 0 && !contents.isDestroyed())
      contents.loadURL(pageUrl).catch(() => undefined)
  }

  async #offerReload(contents: WebContents): Promise<void> {
    const button = await this.#deps.question.ask(
      "The window doesn't respond",
      'Wait for it, or reload it.',
      ['Wait', 'Reload'],
    )
    if (button !== 1 || contents.isDestroyed()) return
    this.#isEndExpected = true
    contents.forcefullyCrashRenderer()
  }
}

/** Watches every page. Call before the window is created. */
export function setupRecovery(
  { app, dialog }: { readonly app: App; readonly dialog: MessageBoxes },
  pageUrl: string,
  log: Log,
  window: Pick<MainWindow, 'current'>,
): void {
  const question = new RecoveryQuestion(dialog, window)
  const recovery = new PageRecovery({ app, pageUrl, log, question })
  app.on('web-contents-created', (_event, contents) => recovery.watch(contents))
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit')
      log.warn('A process of Chromium ended.', { type, reason, exitCode })
  })
}
