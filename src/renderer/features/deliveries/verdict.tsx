/** How a verdict, a freshness and an answer look and read: always a glyph and a word, the colour only beside them. */
import { CircleCheck, CircleDashed, CircleQuestionMark, CircleX, Clock, TriangleAlert, type LucideIcon } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { ordinal } from '../../ui/moment.ts'

export type Tone = 'ok' | 'bad' | 'warn' | 'quiet'

export const toneText: Readonly<Record<Tone, string>> = { ok: 'text-ok', bad: 'text-bad', warn: 'text-warn', quiet: 'text-muted' }

export interface VerdictLook {
  readonly word: string
  readonly tone: Tone
  readonly Icon: LucideIcon
}

export function verdictLook({ verdict, malformed }: Pick<DeliveryRow, 'verdict' | 'malformed'>): VerdictLook {
  if (malformed !== null) return { word: 'Malformed', tone: 'bad', Icon: TriangleAlert }
  switch (verdict) {
    case 'valid':
      return { word: 'Valid', tone: 'ok', Icon: CircleCheck }
    case 'invalid':
      return { word: 'Invalid', tone: 'bad', Icon: CircleX }
    case 'unsigned':
      return { word: 'Unsigned', tone: 'quiet', Icon: CircleDashed }
    case 'unknown-hook':
      return { word: 'Unknown hook', tone: 'quiet', Icon: CircleQuestionMark }
  }
}

/** `large` is for the detail's heading. */
export function Verdict({
  of,
  large = false,
}: {
  readonly of: Pick<DeliveryRow, 'verdict' | 'malformed'>
  readonly large?: boolean
}) {
  const { word, tone, Icon } = verdictLook(of)
  return (
    <span
      className={`inline-flex min-w-0 items-center gap-1.5 ${toneText[tone]} ${large ? 'text-title font-medium' : tone === 'bad' ? 'font-medium' : ''}`}
    >
      <Icon size={large ? 18 : 14} strokeWidth={2} aria-hidden className="shrink-0" />
      <span className="truncate">{word}</span>
    </span>
  )
}

/** The word for a freshness that is not as it should be; null for a fresh one, and where there is no signature to be fresh. */
export function freshnessWord({
  freshness,
  verdict,
  malformed,
}: Pick<DeliveryRow, 'freshness' | 'verdict' | 'malformed'>): string | null {
  if (malformed !== null || freshness === 'fresh') return null
  if (freshness === 'missing') return verdict === 'unsigned' ? null : 'no timestamp'
  return freshness
}

export function StaleMark({ word }: { readonly word: string }) {
  return (
    <span className="inline-flex items-center gap-1 text-small whitespace-nowrap text-warn">
      <Clock size={12} aria-hidden />
      {word}
    </span>
  )
}

/** `2nd attempt`, `duplicate`, or null for a first one. */
export function attemptWord(row: Pick<DeliveryRow, 'attempt' | 'duplicateOf'>): string | null {
  if (row.duplicateOf !== null) return 'duplicate'
  return row.attempt > 1 ? `${ordinal(row.attempt)} attempt` : null
}

/** The event's name, or the names that its shape allows. */
export function eventWord(row: Pick<DeliveryRow, 'event' | 'eventCandidates' | 'malformed'>): {
  readonly text: string
  readonly certain: boolean
} {
  if (row.event !== null) return { text: row.event, certain: true }
  if (row.eventCandidates.length > 0) return { text: row.eventCandidates.join(' or '), certain: false }
  return { text: 'unknown', certain: false }
}

/** The status; or that the connection was dropped, or is still open. */
export function answerWord({ status, ms }: DeliveryRow['answer']): string {
  if (status !== null) return String(status)
  return ms === null ? 'open' : 'dropped'
}

export function answerTone({ status, ms }: DeliveryRow['answer']): Tone {
  if (status === null) return ms === null ? 'quiet' : 'bad'
  return status === 200 ? 'quiet' : status < 300 ? 'warn' : 'bad'
}
