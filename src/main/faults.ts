/** Uncaught errors of the main process, which end in the log and in a sentence for the user. */
import type { App } from 'electron'
import type { Log } from '../core/base/deps.ts'
import { AppError } from '../shared/contract/errors.ts'
import { askUser, type MessageBoxes } from './ask-user.ts'
import type { SendToPage } from './ipc-transport.ts'

function isClosedOutput(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false
  return error.syscall === 'write' && (error.code === 'EPIPE' || error.code === 'EIO')
}

/** Time in which faults of a kind are shown once. */
const QUIET_MS = 60_000

interface FaultSources {
  readonly app: Pick<App, 'isReady' | 'quit'>
  readonly dialog: MessageBoxes
  readonly process: Pick<NodeJS.EventEmitter, 'on'>
}

/**
 * Offers to quit after an exception, or calls `refuse` before the app is ready; a rejected promise
 * becomes a notice.
 */
export function watchFaults(
  { app, dialog, process }: FaultSources,
  deps: {
    readonly log: Pick<Log, 'bug'>
    readonly sendToPage: SendToPage
    refuse(error: AppError): void
  },
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
        deps.sendToPage('native.problem', { title: 'Something went wrong', message })
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
