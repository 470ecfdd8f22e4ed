/** What slices are made with. Components never see the client; slices never see a transport. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Outcome } from '../../shared/model/outcomes.ts'
import type { Client } from '../../shared/rpc/client.ts'

export interface Notice {
  /** `warn`: something waits for the user. `bad` stays until it is dismissed. `neutral` says neither. */
  readonly tone: 'ok' | 'warn' | 'bad' | 'neutral'
  readonly title: string
  readonly message?: string
  /** What can be done about it, for as long as it is shown. */
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly shownForMs?: number
}

export interface SliceContext {
  readonly client: Client
  readonly capabilities: Capabilities
  /** Shows a notice; what it returns takes it away, where it does not hold any more. */
  readonly notify: (notice: Notice) => () => void
}

/** The tone of a notice about an outcome. */
export function noticeTone({ tone }: Pick<Outcome, 'tone'>): Notice['tone'] {
  if (tone === 'good') return 'ok'
  return tone === 'active' ? 'neutral' : tone
}

/** The sentence that an error says to the user. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a call failed only because there is no connection, or because nobody waits for it: nothing to tell the user then. */
export function isQuiet(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'DISCONNECTED' || error.code === 'CANCELLED')
}
