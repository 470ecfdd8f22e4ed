/** The context that slices are created with. Components never see the client; slices never see a transport. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Capabilities } from '../../shared/contract/native.ts'
import type { Outcome } from '../../shared/model/outcomes.ts'
import type { Client } from '../../shared/rpc/client.ts'

export interface Notice {
  /** `warn`: needs the user's attention. `bad` stays until dismissed. `neutral` is neither good nor bad. */
  readonly tone: 'ok' | 'warn' | 'bad' | 'neutral'
  readonly title: string
  readonly message?: string
  /** An action offered while the notice is shown. */
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly shownForMs?: number
}

/** Provides the Undo button of a notice; the undo key does the same while the notice is shown. */
export interface OffersUndo {
  offerUndo(undo: () => void, forMs: number): Pick<Notice, 'action' | 'shownForMs'>
}

export interface SliceContext {
  readonly client: Client
  readonly capabilities: Capabilities
  /** Shows a notice. The returned function removes it once it no longer applies. */
  readonly notify: (notice: Notice) => () => void
}

/** The tone of a notice about an outcome. */
export function noticeTone({ tone }: Pick<Outcome, 'tone'>): Notice['tone'] {
  if (tone === 'good') return 'ok'
  return tone === 'active' ? 'neutral' : tone
}

/** The message to show for an error. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a call failed only because the connection was lost or the call was cancelled. The user then needs no notice. */
export function isQuiet(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'DISCONNECTED' || error.code === 'CANCELLED')
}
