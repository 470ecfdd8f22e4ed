/** Runs what the user does: its progress, the notice on success (which may offer an undo) and the notice on failure. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Outcome } from '../../shared/model/outcomes.ts'

export interface Notice {
  /** `warn`: needs the user's attention. `bad` stays until dismissed. `neutral` is neither good nor bad. */
  readonly tone: 'ok' | 'warn' | 'bad' | 'neutral'
  readonly title: string
  readonly message?: string
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly shownForMs?: number
}

/** Shows a notice. The returned function removes it once it no longer applies. */
export type Notify = (notice: Notice) => () => void

export function noticeTone({ tone }: Pick<Outcome, 'tone'>): Notice['tone'] {
  if (tone === 'good') return 'ok'
  return tone === 'active' ? 'neutral' : tone
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a call failed only because the connection was lost or the call was cancelled. The user then needs no notice. */
export function isQuiet(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'DISCONNECTED' || error.code === 'CANCELLED')
}

interface ActEnds<T> {
  /** Called when the action starts and when it ends. */
  readonly busy?: (busy: boolean) => void
  /** The notice on success; null for no notice. */
  readonly done?: (value: T) => Notice | null
  /** Whether the result still matters; false if it was superseded. */
  readonly wanted?: () => boolean
}

/** Shows a failed action. Lost connections have the banner instead, and cancelled calls need no notice. */
export function createFail(notify: (notice: Notice) => unknown) {
  return (title: string, error: unknown): void => {
    if (!isQuiet(error)) notify({ tone: 'bad', title, message: sentenceOf(error) })
  }
}

/** The function resolves with the call's result, or with undefined if it failed or was superseded. `title` is the notice's title on failure. */
export function createAct(notify: (notice: Notice) => unknown) {
  const fail = createFail(notify)
  return async <T>(
    title: string,
    call: () => Promise<T>,
    { busy, done, wanted = () => true }: ActEnds<T> = {},
  ): Promise<T | undefined> => {
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
