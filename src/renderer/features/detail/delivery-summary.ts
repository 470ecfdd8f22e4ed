/** The summary of a delivery: headline, cause and action. */
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import type { ClosestEvent } from '../../../shared/service/payload.ts'
import type { VerdictTone } from '../../ui/verdict.tsx'

export type SummaryKind =
  | 'abandoned'
  | 'malformed'
  | 'unsigned'
  | 'invalid'
  | 'unknown-hook'
  | 'claimed'
  | 'stale'
  | 'future'
  | 'unknown-event'
  | 'schema-errors'
  | 'handler-failed'
  | 'valid'

export type SummaryAction =
  | 'replay-re-signed'
  | 'show-signature'
  | 'show-code'
  | 'try-secret'
  | 'edit-hook-url'
  | 'import-hook'
  | 'show-in-body'
  | 'show-body'
  | 'show-headers'
  | 'show-bytes'
  | 'show-response'
  | 'show-history'
  | 'compare-closest'
  | 'send-sample'
  | 'copy-https-url'
  | 'copy-ca-path'
  | 'use-prefix'

export interface DeliverySummary {
  readonly kind: SummaryKind
  readonly headline: string
  /** A sentence or two; data is between backticks. */
  readonly cause: string
  readonly tone: VerdictTone
  /** Background: red for failures, amber for a wrong time, otherwise none. */
  readonly wash: 'bad' | 'warn' | null
  /** The URL that was signed and the registered one, if they explain the verdict. */
  readonly urls: { readonly signed: string; readonly registered: string } | null
  readonly action: SummaryAction
}

export interface SummaryInput {
  readonly delivery: Pick<
    Delivery,
    | 'malformed'
    | 'firstBytes'
    | 'verdict'
    | 'verifiedHere'
    | 'truncated'
    | 'freshness'
    | 'origin'
    | 'method'
    | 'path'
    | 'event'
    | 'eventCandidates'
    | 'schema'
    | 'handler'
  >
  readonly signature:
    | (Pick<
        SignatureReport,
        'received' | 'timestamp' | 'inTrailer' | 'expected' | 'url' | 'ageMs' | 'diagnosis'
      > &
        Partial<Pick<SignatureReport, 'unknownPrefix'>>)
    | null
  /** The messages of the schema errors; null if they couldn't be loaded. */
  readonly schemaErrors: readonly string[] | null
  readonly hook: (Pick<Hook, 'event' | 'remoteId'> & Partial<Pick<Hook, 'status'>>) | undefined
  readonly closest: ClosestEvent | null
  /** Message in the handler's response; null without a message or before it is loaded. */
  readonly handlerWords: string | null
  /** Whether the service gave up: no attempt of the notification was acknowledged. */
  readonly isAbandoned: boolean
  readonly signatureHeader: string
}

export const quietSummary = (kind: SummaryKind, tone: VerdictTone) => ({
  kind,
  tone,
  wash: null,
  urls: null,
})

export const failedSummary = (kind: SummaryKind) =>
  ({ kind, tone: 'bad', wash: 'bad', urls: null }) as const

/** Splits a text into its first sentence, without the full stop, and the rest. */
export function splitSentence(text: string): readonly [first: string, rest: string] {
  const [, first = text, rest = ''] = /^(.+?)\.(?:\s+(.*))?$/s.exec(text) ?? []
  return [first, rest]
}
