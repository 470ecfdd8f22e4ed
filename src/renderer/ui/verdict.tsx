/** Words, glyphs and colors of verdicts, freshness and responses. */
import { isWritten, type DeliveryRow, type HandlerResponse } from '../../shared/model/delivery.ts'
import type { Environment } from '../../shared/model/environment.ts'
import { labelOf } from '../../shared/model/outcomes.ts'
import { outcomeOfHandler } from '../../shared/model/send-outcomes.ts'
import { colorGroupOf, type EventTint } from '../../shared/service/event-type.ts'
import { isExhausted } from '../../shared/service/limits.ts'
import { isAcknowledged } from '../core-data/environments.ts'
import { ordinal } from './moment.ts'
import { listed } from '../../shared/text/english.ts'

export type VerdictTone = 'ok' | 'bad' | 'warn' | 'quiet'

export const verdictToneText: Readonly<Record<VerdictTone, string>> = {
  ok: 'text-ok',
  bad: 'text-bad',
  warn: 'text-warn',
  quiet: 'text-muted',
}

export interface VerdictStatus {
  /** Short form, for rows. */
  readonly word: string
  readonly sentence: string
  readonly tone: VerdictTone
  /** Glyph as one path in a 24 × 24 square. */
  readonly drawing: string
}

export const ring = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0'
export const drawings = {
  check: `${ring}m14-3-5.5 5.5L8 12`,
  cross: `${ring}m13-3-6 6m0-6 6 6`,
  minus: `${ring}m6 0h8`,
  question: `${ring}m7-2.5a3 2.5 0 0 1 6 0c0 2-2 2-3 3.5m0 4h.01`,
  dashes:
    'M10.1 2.18a10 10 0 0 1 3.8 0m0 19.64a10 10 0 0 1-3.8 0m7.51-18.1a10 10 0 0 1 2.69 2.7M2.18 13.9a10 10 0 0 1 0-3.8m18.1 7.51a10 10 0 0 1-2.7 2.69m4.24-10.2a10 10 0 0 1 0 3.8M3.72 6.39a10 10 0 0 1 2.7-2.69m-.03 16.58a10 10 0 0 1-2.69-2.7',
  file: 'M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7ZM14 2v4a2 2 0 0 0 2 2h4m-10 1H8m8 4H8m8 4H8',
  clock: `${ring}m10-6v6l4 2`,
  alert: 'm21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4m0 4h.01',
} as const

interface Status {
  readonly word: string
  readonly tone: VerdictTone
  readonly drawing: string
}

const malformedStatus: Status = { word: 'Malformed', tone: 'bad', drawing: drawings.alert }
const statuses: Readonly<Record<DeliveryRow['verdict'], Status>> = {
  valid: { word: 'Valid', tone: 'ok', drawing: drawings.check },
  invalid: { word: 'Invalid', tone: 'bad', drawing: drawings.cross },
  unsigned: { word: 'Unsigned', tone: 'quiet', drawing: drawings.dashes },
  'unknown-hook': { word: 'Unknown hook', tone: 'quiet', drawing: drawings.question },
}

export type VerdictParts = Pick<DeliveryRow, 'verdict' | 'malformed' | 'verifiedHere'> &
  Partial<Pick<DeliveryRow, 'origin' | 'freshness'>>

/** Returns the words and glyph of a verdict; imported, reported and shared ones are neutral. */
export function verdictStatus({
  verdict,
  malformed,
  verifiedHere,
  origin,
}: VerdictParts): VerdictStatus {
  const status = malformed === null ? statuses[verdict] : malformedStatus
  const { word } = status
  if (origin === 'reported')
    return {
      word,
      sentence: `${word}: reported, not received`,
      tone: 'quiet',
      drawing: drawings.file,
    }
  if (verifiedHere && origin === 'shared')
    return {
      word: `${word} (shared)`,
      sentence: `${word}: shared, re-signed`,
      tone: 'quiet',
      drawing: drawings.file,
    }
  if (verifiedHere) return { ...status, sentence: word }
  return {
    word: `${word} (file)`,
    sentence: `${word} according to the file`,
    tone: 'quiet',
    drawing: drawings.file,
  }
}

/** Returns the signature's status: a valid but stale or future one shows its freshness. */
export function signatureStatus(of: VerdictParts): VerdictStatus {
  const { verdict, malformed, verifiedHere, freshness, origin } = of
  if (malformed !== null || !verifiedHere || verdict !== 'valid' || origin === 'shared')
    return verdictStatus(of)
  const age = { tone: 'warn', drawing: drawings.clock } as const
  if (freshness === 'stale') return { ...age, word: 'Stale', sentence: 'Valid, but stale' }
  if (freshness === 'future')
    return { ...age, word: 'Future', sentence: 'Valid, but signed in the future' }
  return verdictStatus(of)
}

/**
 * Draws a glyph as a single styled path; icons of several shapes took most of a row's layout time.
 */
export function VerdictGlyph({
  drawing,
  large = false,
}: {
  readonly drawing: string
  readonly large?: boolean
}) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden data-large={large || undefined} className="glyph">
      <path d={drawing} />
    </svg>
  )
}

/** Shows a signature's status; `large` in the heading of the detail pane. */
export function VerdictBadge({
  of,
  large = false,
}: {
  readonly of: VerdictParts
  readonly large?: boolean
}) {
  const { word, sentence, tone, drawing } = signatureStatus(of)
  return (
    <span
      className={`inline-flex min-w-0 items-center gap-1.5 ${verdictToneText[tone]} ${large ? 'text-title font-medium' : tone === 'bad' ? 'font-medium' : ''}`}
    >
      <VerdictGlyph drawing={drawing} large={large} />
      <span className="truncate" title={sentence}>
        {large ? sentence : word}
      </span>
    </span>
  )
}

/** Returns the word for an unusual freshness; null if fresh or unsigned. */
export function freshnessWord({
  freshness,
  verdict,
  malformed,
}: Pick<DeliveryRow, 'freshness' | 'verdict' | 'malformed'>): string | null {
  if (malformed !== null || freshness === 'fresh') return null
  if (freshness === 'unknown') return 'age unknown'
  if (freshness === 'missing') return verdict === 'unsigned' ? null : 'age unknown'
  return freshness
}

/** Returns `2nd attempt` or `duplicate`; null for a first attempt. */
export function attemptWord(row: Pick<DeliveryRow, 'attempt' | 'duplicateOf'>): string | null {
  if (row.duplicateOf !== null) return 'duplicate'
  return row.attempt > 1 ? `${ordinal(row.attempt)} attempt` : null
}

export const eventColors: Readonly<Record<EventTint, string>> = {
  auth: 'text-event-auth',
  clearing: 'text-event-clearing',
  refund: 'text-event-refund',
  card: 'text-event-card',
  location: 'text-event-location',
}

export function eventColor(event: string): string {
  const tint = colorGroupOf(event)
  return tint === null ? 'text-text' : eventColors[tint]
}

/** Returns an event's name in its color, or the names of the possible events. */
export function eventWord(row: Pick<DeliveryRow, 'event' | 'eventCandidates' | 'malformed'>): {
  readonly text: string
  readonly color: string
} {
  if (row.event !== null) return { text: row.event, color: eventColor(row.event) }
  if (row.eventCandidates.length > 0)
    return { text: `possibly ${listed(row.eventCandidates, 'or')}`, color: 'text-muted' }
  return { text: 'unknown', color: 'text-muted' }
}

/** Returns the response's status, `dropped` or `pending`; `–` for written requests. */
export function answerWord({
  answer: { status, ms },
  origin,
}: Pick<DeliveryRow, 'answer' | 'origin'>): string {
  if (status !== null) return String(status)
  if (isWritten(origin)) return '–'
  return ms === null ? 'pending' : 'dropped'
}

const handlerTones: Readonly<Record<HandlerResponse['outcome'], VerdictTone>> = {
  acknowledged: 'ok',
  rejected: 'ok',
  failing: 'bad',
  neutral: 'quiet',
}

/** Returns the handler's last response in words; green only if right, red if failing. */
export function handlerStatus({
  handler,
  ...row
}: Pick<DeliveryRow, 'verdict' | 'freshness'> & { readonly handler: HandlerResponse }) {
  const { word, why } = outcomeOfHandler({ ...row, handler })
  const tone = handlerTones[handler.outcome]
  return {
    word: labelOf({ word }),
    short: handler.status === null ? (handler.timedOut ? 'No response' : 'Error') : word,
    tone,
    drawing: tone === 'ok' ? drawings.check : tone === 'bad' ? drawings.cross : drawings.minus,
    reason: `${labelOf({ word: why })}.`,
    from: handler.name === null ? handler.target : `@${handler.name}`,
  }
}

/** Parts of a delivery that tell whether the service tries again. */
type AttemptParts = Pick<DeliveryRow, 'answer' | 'attempt'>

/**
 * Returns the tone of a response: quiet if it acknowledges or is pending, a warning if a 2xx is
 * retried.
 */
export function answerTone(row: AttemptParts, rule: Environment['ack']): VerdictTone {
  const { answer } = row
  if (isAcknowledged(answer, rule) !== false) return 'quiet'
  const isRetried = answer.status !== null && answer.status < 300 && !isExhausted(row, rule)
  return isRetried ? 'warn' : 'bad'
}

/** Returns the tone of an attempt's number; bad if the service gave up after it. */
export function attemptTone(row: AttemptParts, rule: Environment['ack']): VerdictTone {
  if (isExhausted(row, rule)) return 'bad'
  return row.attempt > 1 ? 'warn' : 'quiet'
}
