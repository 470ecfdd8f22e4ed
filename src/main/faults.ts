/** Errors that nobody caught in the main process: each ends in the log, and in a sentence for the user. */
import type { App, MessageBoxOptions } from 'electron'
import type { Log } from '../core/base/deps.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { NativePayloadOf } from '../shared/contract/native.ts'

export type FaultKind = 'uncaughtException' | 'unhandledRejection'

/** How a fault is shown; null if it is only logged. */
export type FaultAnswer =
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
