/** Runs a user action: its progress, the notice on success (which may offer an undo) and the notice on failure. */
import { isQuiet, sentenceOf, type Notice } from './slice-context.ts'

export interface ActEnds<T> {
  /** Called when the action starts and when it ends. */
  readonly busy?: (busy: boolean) => void
  /** The notice on success; null for no notice. */
  readonly done?: (value: T) => Notice | null
  /** Whether the result still matters; false if it was superseded. */
  readonly wanted?: () => boolean
}

/** Resolves with the call's result, or with undefined if it failed or was superseded. `title` is the notice's title on failure. */
export type Act = <T>(
  title: string,
  call: () => Promise<T>,
  ends?: ActEnds<T>,
) => Promise<T | undefined>

/** Shows a failed action. Lost connections have the banner instead, and cancelled calls need no notice. */
export type Fail = (title: string, error: unknown) => void

export function createFail(notify: (notice: Notice) => unknown): Fail {
  return (title, error) => {
    if (!isQuiet(error)) notify({ tone: 'bad', title, message: sentenceOf(error) })
  }
}

export function createAct(notify: (notice: Notice) => unknown): Act {
  const fail = createFail(notify)
  return async (title, call, { busy, done, wanted = () => true } = {}) => {
    busy?.(true)
    let value
    try {
      value = await call()
    } catch (error) {
      if (wanted()) fail(title, error)
      return undefined
    } finally {
      busy?.(false)
    }
    if (!wanted()) return undefined
    const notice = done?.(value) ?? null
    if (notice !== null) notify(notice)
    return value
  }
}
