/** The summary of a delivery in words: its verdict, the cause, and what to do. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import { MAX_ATTEMPTS, NO_RESPONSE_IN_TIME } from '../../../shared/service/limits.ts'
import { milliseconds } from '../../ui/moment.ts'
import { handlerStatus, verdictStatus } from '../../ui/verdict.tsx'
import { schemaSentence } from './fact-sentences.ts'
import {
  type DeliverySummary,
  type SummaryInput,
  quietSummary,
  failedSummary,
} from './delivery-summary.ts'
import { signatureProblem, signatureSummary } from './signature-summary.ts'

/** Returns the most important problem of a delivery, or that it is valid. */
export function deliverySummary(input: SummaryInput): DeliverySummary {
  const summary = summaryOfAttempt(input)
  if (!input.isAbandoned) return summary
  const isFine = summary.kind === 'valid'
  return {
    ...summary,
    ...failedSummary('abandoned'),
    headline: `Not acknowledged after ${MAX_ATTEMPTS} attempts`,
    cause: `${isFine ? '' : `${summary.headline}. `}After the third failed attempt the service stops. Your system must reconcile another way.`,
    urls: summary.urls,
    action: isFine ? 'show-history' : summary.action,
  }
}

/** Returns the summary without regard to the other attempts. */
function summaryOfAttempt(input: SummaryInput): DeliverySummary {
  return (
    signatureProblem(input) ??
    unknownEvent(input) ??
    schemaErrors(input) ??
    handlerFailed(input) ??
    signatureSummary(input)
  )
}

/** Whether a list row alone determines the headline; other kinds need the reports. */
export function isCertain({ kind }: Pick<DeliverySummary, 'kind'>): boolean {
  return kind === 'valid' || kind === 'handler-failed' || kind === 'malformed'
}

/** Returns a summary for a delivery of which only its list row is loaded, with an empty cause. */
export function summaryOfRow(summary: DeliverySummary, row: DeliveryRow): DeliverySummary {
  // The mistake or missing header comes with the signature's report.
  const needsReport = summary.kind === 'invalid' || summary.kind === 'unsigned'
  const headline = needsReport ? verdictStatus(row).sentence : summary.headline
  return {
    ...summary,
    headline,
    cause: summary.kind === 'malformed' ? summary.cause : '\u00a0',
    urls: null,
  }
}

function validSentence(verifiedHere: boolean): string {
  return verifiedHere ? 'The signature is valid.' : 'Valid according to the file.'
}

export function isUnknownEvent({
  event,
  eventCandidates,
}: Pick<DeliveryRow, 'event' | 'eventCandidates'>): boolean {
  return event === null && eventCandidates.length === 0
}

function unknownEvent({
  delivery,
  schemaErrors: errors,
  closest,
}: SummaryInput): DeliverySummary | null {
  if (!isUnknownEvent(delivery)) return null
  const valid = validSentence(delivery.verifiedHere)
  const [reason = ''] = errors ?? []
  return {
    ...quietSummary('unknown-event', 'quiet'),
    headline: 'Body matches no known event',
    cause:
      closest === null
        ? `${valid} ${delivery.schema === 'not-json' ? (reason === '' ? "The body isn't JSON." : reason) : 'The body shares no fields with any event.'}`
        : `${valid} Closest match: ${closest.event}, ${closest.found} of ${closest.required} fields.`,
    action: closest === null ? 'show-body' : 'compare-closest',
  }
}

function schemaErrors({ delivery, schemaErrors: errors }: SummaryInput): DeliverySummary | null {
  if (delivery.schema !== 'issues' && delivery.schema !== 'not-json') return null
  const [first] = errors ?? []
  const otherCount = (errors?.length ?? 0) - 1
  const valid = validSentence(delivery.verifiedHere)
  return {
    ...failedSummary('schema-errors'),
    headline:
      delivery.schema === 'not-json'
        ? "Body isn't JSON"
        : schemaSentence(delivery, errors?.length ?? null),
    cause:
      first === undefined
        ? valid
        : otherCount > 0
          ? `${valid} ${first.replace(/\.$/, '')}, and ${otherCount} more.`
          : `${valid} ${first}`,
    action: 'show-in-body',
  }
}

function handlerFailed({
  delivery: { handler, verifiedHere, ...delivery },
  handlerWords,
}: SummaryInput): DeliverySummary | null {
  if (handler?.outcome !== 'failing') return null
  const { from } = handlerStatus({ ...delivery, handler })
  const { status, timedOut, ms } = handler
  const after = ms === null ? '' : ` after \`${milliseconds(ms)} ms\``
  const event =
    status !== null
      ? `${from} returned ${handlerWords ?? status}${after}`
      : timedOut
        ? `${labelOf({ word: NO_RESPONSE_IN_TIME })} from ${from}`
        : `No response from ${from}${after}`
  return {
    ...failedSummary('handler-failed'),
    headline:
      status !== null
        ? `Your handler returned ${status}`
        : timedOut
          ? 'Your handler timed out'
          : "Your handler didn't respond",
    cause: `${validSentence(verifiedHere)} ${event}.`,
    action: 'show-response',
  }
}
