/** Runs the user's actions: progress, and a notice of success (perhaps with an undo) or failure. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Outcome } from '../../shared/model/outcomes.ts'

export interface Notice {
  /**
   * `warn` needs the user's attention, `bad` stays until dismissed, `neutral` is neither good nor
   * bad.
   */
  readonly tone: 'ok' | 'warn' | 'bad' | 'neutral'
  readonly title: string
  readonly message?: string
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly shownForMs?: number
}

/** Function that shows a notice and returns a function that removes it. */
export type Notify = (notice: Notice) => () => void

export function noticeTone({ tone }: Pick<Outcome, 'tone'>): Notice['tone'] {
  if (tone === 'good') return 'ok'
  return tone === 'active' ? 'neutral' : tone
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a call was cancelled or lost its connection, which needs no notice. */
export function isQuiet(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'DISCONNECTED' || error.code === 'CANCELLED')
}

interface ActOptions<T> {
  /** Called with true when the action starts and false when it ends. */
  readonly busy?: (busy: boolean) => void
  readonly done?: (value: T) => Notice | null
  /** Whether the result still matters; false if it was superseded. */
  readonly isWanted?: () => boolean
}

/**
 * Creates the function that reports failed actions, except lost connections and cancelled calls.
 */
export function createFail(notify: (notice: Notice) => unknown) {
  return (title: string, error: unknown): void => {
    if (!isQuiet(error)) notify({ tone: 'bad', title, message: sentenceOf(error) })
  }
}

/** Creates the function that runs an action; it resolves with undefined on failure. */
export function createAct(notify: (notice: Notice) => unknown) {
  const fail = createFail(notify)
  return async <T>(
    title: string,
    call: () => Promise<T>,
    { busy, done, isWanted = () => true }: ActOptions<T> = {},
  ): Promise<T | undefined> => {
    busy?.(true)
    let value
    try {
      value = await call()
    } catch (error) {
      if (isWanted()) fail(title, error)
      return undefined
    } finally {
      busy?.(false)
    }
    if (!isWanted()) return undefined
    const notice = done?.(value) ?? null
    if (notice !== null) notify(notice)
    return value
  }
}
