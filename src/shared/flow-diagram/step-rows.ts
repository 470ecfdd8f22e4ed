/** Rows of actions and deliveries. */
import { type DiagramItem, actorsOf, noItem } from './diagram-items.ts'
import type { DiagramColor, DiagramArrow, DiagramRow, RowDraft } from './diagram-row.ts'
import type { FlowActor } from '../model/flow.ts'
import type { FlowPlanStep, FlowRunStep } from '../model/flow-run.ts'
import { labelOf, type Outcome } from '../model/outcomes.ts'
import { colorGroupOf } from '../service/event-type.ts'
import { MAX_ATTEMPTS } from '../service/limits.ts'
import {
  arrivedWords,
  attemptWords,
  factsWords,
  failureText,
  isRecordedOnly,
  responseText,
  type Received,
} from './received-words.ts'
import { eventOf } from './run-summary.ts'
import { plainWords } from './words.ts'

export const failureLines = (text: string | null) =>
  text === null ? [] : [{ text, ink: 'bad' as const }]

export function actionRow(step: FlowPlanStep, item: DiagramItem, outcome: Outcome): RowDraft {
  const isPlanned = outcome.tone === 'neutral'
  const ink = isPlanned ? 'text-subtle' : outcome.tone === 'bad' ? 'bad' : 'text-muted'
  return {
    kind: step.from === step.to ? 'check' : 'action',
    title: plainWords(step.title),
    ink: isPlanned ? 'text-subtle' : 'text',
    lines: failureLines(item.run && failureText(item.run)),
    arrow: step.from === step.to ? null : { ink, glyph: '', isPlanned },
  }
}

/** Colors a request: green valid, red invalid, amber stale, gray unsigned. */
function requestArrow({ arrived }: Received, from: FlowActor): DiagramArrow {
  const drawn = (ink: DiagramColor, glyph: string) => ({ ink, glyph, isPlanned: false })
  if (arrived === null) return drawn(from === 'attacker' ? 'bad' : 'text-muted', '')
  if (arrived.verdict === 'valid')
    return arrived.freshness === 'fresh' ? drawn('ok', '✓') : drawn('warn', '!')
  return arrived.verdict === 'invalid' || from === 'attacker'
    ? drawn('bad', '✕')
    : drawn('text-muted', '?')
}

/** Colors a response by the step's or the service's rule; gray if only recorded. */
function responseOf(item: DiagramItem, received: Received): DiagramRow['response'] {
  const text = responseText(item.run ?? received)
  const { response } = received
  if (response === null || text === null) return null
  const isCut = response.kind !== 'status'
  if (isRecordedOnly(received)) return { text, ink: 'text-subtle', glyph: '', isCut }
  // Your handler must reject a forged delivery, so its step judges the response.
  const isGood =
    response.by === 'handler' && item.run?.outcome != null
      ? item.run.outcome === 'pass'
      : response.acknowledged
  return { text, ink: isGood ? 'ok' : 'bad', glyph: isGood ? '✓' : '✕', isCut }
}

export function deliveryRow(
  item: DiagramItem,
  outcome: Outcome,
  steps: readonly FlowPlanStep[],
): RowDraft {
  const { step, run, unexpected } = item
  const received = run ?? unexpected ?? { arrived: null, response: null }
  const { arrived } = received
  const event = step === null ? (unexpected?.event ?? null) : eventOf(step, steps)
  const isForwarded = step?.kind === 'answer'
  const isOpen =
    outcome.tone === 'neutral' || outcome.tone === 'active' || run?.outcome === 'missing'
  const tint = event === null ? null : colorGroupOf(event)
  const planned = arrived === null ? /attempt (\d)/.exec(step?.title ?? '')?.[1] : undefined
  const isWrong = arrived !== null && (arrived.verdict !== 'valid' || arrived.freshness !== 'fresh')
  const sent = requestArrow(received, actorsOf(item).from)
  // A failing handler turns only its response red, and nothing green.
  const isHandlerFailure = isForwarded && outcome.tone === 'bad' && sent.ink === 'ok'
  const request = isHandlerFailure ? { ...sent, ink: 'text-muted' as const, glyph: '' } : sent
  const facts = isOpen || isForwarded ? null : factsWords(event, arrived?.facts ?? null)
  const openInk =
    run?.outcome === 'missing' ? 'bad' : outcome.tone === 'active' ? 'accent' : 'text-subtle'
  return {
    kind: 'delivery',
    title: event ?? plainWords(step?.title ?? 'Delivery'),
    ink: tint === null ? 'text' : `event-${tint}`,
    isEvent: event !== null,
    extra: isForwarded
      ? null
      : planned === undefined
        ? attemptWords(received)
        : `attempt ${planned} of ${MAX_ATTEMPTS}`,
    lines: [
      ...(isWrong && !isForwarded
        ? [{ text: labelOf({ word: arrivedWords(arrived) }), ink: request.ink }]
        : []),
      ...(facts === null ? [] : [{ text: facts, ink: 'text' as const }]),
      ...failureLines(
        unexpected === null ? run && failureText(run) : plainWords(unexpected.message),
      ),
      ...(run?.outcome === 'skip'
        ? [{ text: plainWords(run.message), ink: 'text-subtle' as const }]
        : []),
    ],
    arrow: isOpen ? { ink: openInk, glyph: '', isPlanned: true } : request,
    response: isOpen ? null : responseOf(item, received),
  }
}

/** Builds the row of the service that stops after the last failed attempt. */
export function gaveUpRow(
  { arrived, response, from }: FlowRunStep,
  { businessAt, at }: DiagramItem,
) {
  const later = (iso: string | null) =>
    iso === null ? null : new Date(Date.parse(iso) + (response?.ms ?? 0)).toISOString()
  const row: RowDraft = {
    kind: 'gave-up',
    title: `Gave up after attempt ${arrived?.attempt ?? MAX_ATTEMPTS}`,
    ink: 'bad',
    lines: [{ text: 'Delivery abandoned. No more retries.', ink: 'text-muted' }],
    from,
    to: from,
  }
  return { row, item: { ...noItem, businessAt: later(businessAt), at: later(at) } }
}
