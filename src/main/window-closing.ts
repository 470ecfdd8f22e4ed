/** Closing of the window: quits the app, hides the window, or asks. */
import { app, type BrowserWindow, dialog } from 'electron'
import type { Log } from '../core/base/deps.ts'
import type { Client } from '../shared/rpc/client.ts'
import { decideClosing, closingQuestion } from './closing-decision.ts'
import type { CoreState } from './core-state.ts'
import { askUser } from './ask-user.ts'
import type { MainWindow } from './window.ts'

interface WindowClosingDeps {
  readonly client: Client
  readonly hasTray: boolean
  readonly log: Log
  readonly window: MainWindow
}

export function setupClosing(
  { client, hasTray, log, window }: WindowClosingDeps,
  coreState: CoreState,
): void {
  let isQuitting = false
  let isAsking = false
  app.on('before-quit', () => {
    isQuitting = true
  })
  const ask = async (closing: 'ask' | 'explain', owner: BrowserWindow) => {
    const { choices, ...question } = closingQuestion(closing, process.platform)
    const buttons = Object.keys(choices)
    const cancelId = buttons.length - 1
    const button = await askUser(dialog, owner, { ...question, buttons, cancelId })
    const choice = Object.values(choices)[button] ?? null
    if (choice === null) return
    const settings = await client.call('settings.set', { desktop: { onClose: choice } })
    coreState.desktop = settings.desktop
    if (choice === 'quit') app.quit()
    else window.hide()
  }
  window.onClosing((event, owner) => {
    const { isRunning, desktop } = coreState
    const { onClose } = desktop
    const closing = decideClosing({ isRunning, isQuitting, onClose, hasBackground: hasTray })
    if (closing === 'close') return
    event.preventDefault()
    if (closing === 'hide') {
      window.hide()
      return
    }
    if (isAsking) return
    isAsking = true
    ask(closing, owner)
      .catch((error: unknown) => {
        // The choice couldn't be stored. Quitting is the safe end of a close.
        log.bug(error, 'asking what closing the window does')
        app.quit()
      })
      .finally(() => {
        isAsking = false
      })
  })
}
