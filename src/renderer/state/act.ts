/** What a click does: its progress, the notice once it is done (an undo is its action), and the notice if it fails, in one place. */
import { isQuiet, sentenceOf, type Notice } from './slice-context.ts'

export interface ActEnds<T> {
  /** Hears when it begins and when it ends. */
  readonly busy?: (busy: boolean) => void
  /** The notice of its success; null for none. */
  readonly done?: (value: T) => Notice | null
  /** Whether its end still matters; false where something else was asked for meanwhile. */
  readonly wanted?: () => boolean
}

/** Resolves with what the call gave, or with undefined if it failed or is no longer wanted; `title` says what was not done. */
export type Act = <T>(title: string, call: () => Promise<T>, ends?: ActEnds<T>) => Promise<T | undefined>

/** Says what was not done, and why. A lost connection is told by the banner, and what was given up by nobody. */
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
