/** Outcomes of sends, replays, forward targets and the handler's responses. */
import type { DeliveryRow, HandlerResponse } from './delivery.ts'
import type { ForwardStatus } from './forward.ts'
import { NO_RESPONSE_IN_TIME } from '../service/limits.ts'
import { type Outcome, type Glyph, type Tone, createOutcome } from './outcomes.ts'
import { isForged, isRejection } from './replay-edits.ts'
import type { Send, Replay, SendOutcome, SendState } from './send.ts'

/** Whether an endpoint rejected a send that it need not acknowledge. */
export function isRejected(send: Pick<Send, 'expected' | 'status' | 'error'>): boolean {
  return send.expected !== 'acknowledged' && isRejection(send)
}

/** Whether an endpoint accepted a send that it may reject, even with another 2xx. */
export function isAccepted(send: Pick<Send, 'expected' | 'status' | 'error'>): boolean {
  const { status, error, expected } = send
  return (
    expected !== 'acknowledged' &&
    error === null &&
    status !== null &&
    status >= 200 &&
    status < 300
  )
}

/** Result of a send; `why` explains an unusual one. */
export interface ExplainedOutcome extends Outcome {
  readonly why: string
}

export type ShownSend = Pick<
  Send,
  'outcome' | 'state' | 'expected' | 'status' | 'error' | 'validPassed'
>

const explainedOutcome = (glyph: Glyph, tone: Tone, word: string, why = ''): ExplainedOutcome => ({
  glyph,
  tone,
  word,
  why,
})

export const sendStates: Readonly<Record<SendState, ExplainedOutcome>> = {
  waiting: explainedOutcome('waiting', 'neutral', 'pending'),
  'under-way': explainedOutcome('running', 'active', 'in progress'),
  settled: explainedOutcome('unknown', 'neutral', 'sent'),
  uncertain: explainedOutcome('warn', 'warn', 'uncertain'),
  'not-sent': explainedOutcome('skip', 'warn', 'not sent'),
  cancelled: explainedOutcome('skip', 'neutral', 'cancelled'),
}

export const sendOutcomes: Readonly<Record<SendOutcome, ExplainedOutcome>> = {
  passed: explainedOutcome('pass', 'good', 'passed'),
  'still-passing': explainedOutcome('pass', 'good', 'still passing'),
  fixed: explainedOutcome('fixed', 'good', 'fixed'),
  failed: explainedOutcome('fail', 'bad', 'failed'),
  'still-failing': explainedOutcome('fail', 'bad', 'still failing'),
  regressed: explainedOutcome('regressed', 'bad', 'regressed'),
  recorded: explainedOutcome(
    'recorded',
    'neutral',
    'recorded here',
    'Countersign responded, not your handler',
  ),
}

const handlerMarks = {
  acknowledged: { glyph: 'pass', tone: 'good' },
  rejected: { glyph: 'rejected', tone: 'good' },
  failing: { glyph: 'fail', tone: 'bad' },
  neutral: { glyph: 'recorded', tone: 'neutral' },
} as const satisfies Readonly<Record<HandlerResponse['outcome'], Omit<Outcome, 'word'>>>

/** Judges the handler's last response to a delivery. */
export function outcomeOfHandler({
  handler,
  verdict,
  freshness,
}: Pick<DeliveryRow, 'verdict' | 'freshness'> & {
  readonly handler: HandlerResponse
}): ExplainedOutcome {
  const { status, timedOut, outcome } = handler
  const word = status === null ? (timedOut ? NO_RESPONSE_IN_TIME : 'no response') : String(status)
  return { ...handlerMarks[outcome], word, why: handlerReason({ ...handler, verdict, freshness }) }
}

function handlerReason({
  outcome,
  status,
  signed,
  verdict,
  freshness,
}: Pick<DeliveryRow, 'verdict' | 'freshness'> &
  Pick<HandlerResponse, 'outcome' | 'status' | 'signed'>): string {
  const isUnproven = verdict === 'invalid' || verdict === 'unsigned'
  if (outcome === 'acknowledged') return 'your handler acknowledged it'
  if (outcome === 'rejected')
    return signed
      ? 'your handler rejected it, as expected for an old timestamp'
      : `your handler rejected it, as expected for an ${verdict} delivery`
  if (outcome === 'failing') {
    if (!signed && !isUnproven) return `your handler neither acknowledged nor rejected it`
    if (!signed)
      return `your handler ${status === 200 ? 'acknowledged' : "didn't reject"} an ${verdict} delivery`
    if (status === 200) return 'your handler acknowledged a delivery with an old timestamp'
    return verdict === 'valid'
      ? "your handler didn't acknowledge a valid delivery"
      : "your handler didn't acknowledge it, although re-signed"
  }
  return verdict === 'valid'
    ? `neutral: the delivery is ${freshness}`
    : 'neutral: the delivery matches no hook'
}

/** Judges a rejected forged send, which proves something only if the valid one was accepted. */
function outcomeOfRejected({ outcome, expected, validPassed }: ShownSend): ExplainedOutcome {
  const word = outcome === 'fixed' ? 'now rejected' : 'rejected'
  if (validPassed === false)
    return explainedOutcome(
      'unknown',
      'neutral',
      'inconclusive',
      'your endpoint fails the valid delivery too, so this proves nothing',
    )
  if (validPassed === null)
    return explainedOutcome('unknown', 'neutral', word, 'replay the valid delivery to compare')
  const right = expected === 'either' ? 'right for an old timestamp' : 'as expected'
  return explainedOutcome('rejected', 'good', word, `${right}; the valid delivery is accepted`)
}

/** Judges a send. One that must be rejected passes if it is, which alone proves nothing. */
export function outcomeOfSend(send: ShownSend): ExplainedOutcome {
  const { outcome, state, expected, error } = send
  if (outcome === null) return sendStates[state]
  if (outcome === 'recorded' || expected === 'acknowledged') return sendOutcomes[outcome]
  if (isRejected(send)) return outcomeOfRejected(send)
  if (!isAccepted(send))
    return explainedOutcome('fail', 'bad', 'failed', error === null ? 'expected a 4xx status' : '')
  const word = outcome === 'regressed' ? 'now accepted' : 'accepted'
  // A signature that wasn't replaced may still be valid, and its timestamp fresh.
  if (expected === 'either')
    return explainedOutcome(
      'warn',
      'warn',
      word,
      'not re-signed, so the signature may still be valid',
    )
  return explainedOutcome('accepted', 'bad', word, 'forged deliveries should be rejected')
}

/** Formats `3 of 5 failed`, `all failed`, or `failed`. */
function shareWords(count: number, total: number, word: string): string {
  if (count < total) return `${count.toLocaleString('en')} of ${total.toLocaleString('en')} ${word}`
  return total === 1 ? word : `all ${word}`
}

/** Whether a replay's result is a comparison of its responses. */
export function isCompared({ comparison, total }: Pick<Replay, 'comparison' | 'total'>): boolean {
  return comparison !== null && comparison.with !== 'nothing' && total > 0
}

/** Judges a replay by its worst part. */
export function outcomeOfReplay(replay: Replay): Outcome {
  const { state, total, passed, failed, recorded, notSent, problem } = replay
  if (state === 'running') return createOutcome('running', 'active', 'in progress')
  if (state === 'interrupted') return createOutcome('warn', 'warn', 'interrupted')
  if (state === 'cancelled') return createOutcome('skip', 'neutral', 'cancelled')
  if (problem !== null) return createOutcome('fail', 'bad', 'stopped')
  // What changed is in the comparison; each side may rightly fail.
  if (isCompared(replay)) return createOutcome('same', 'neutral', 'compared')
  if (failed > 0)
    return createOutcome(
      'fail',
      'bad',
      shareWords(failed, total, isForged(replay) ? 'not rejected' : 'failed'),
    )
  if (notSent > 0) return createOutcome('fail', 'bad', shareWords(notSent, total, 'not sent'))
  // An endpoint that rejects everything rejects forged requests too.
  if (passed > 0 && isForged(replay))
    return createOutcome('same', 'neutral', shareWords(passed, total, 'rejected'))
  if (passed > 0) return createOutcome('pass', 'good', shareWords(passed, total, 'passed'))
  return recorded > 0
    ? createOutcome('recorded', 'neutral', 'recorded here')
    : createOutcome('skip', 'neutral', 'nothing to send')
}

export function outcomeOfForwarded(send: ShownSend & Pick<Send, 'tries'>): Outcome {
  const { state, status, tries } = send
  if (state !== 'settled') return sendStates[state]
  const after = tries === 0 ? '' : ` after ${tries + 1} tries`
  const word = `${status === null ? 'no response' : `returned ${status}`}${after}`
  const { glyph, tone } = outcomeOfSend(send)
  return createOutcome(glyph, tone, word)
}

export const forwardOutcomes: Readonly<Record<ForwardStatus, Outcome>> = {
  new: createOutcome('waiting', 'neutral', 'ready'),
  up: createOutcome('pass', 'good', 'up'),
  failing: createOutcome('warn', 'warn', 'failing'),
  down: createOutcome('fail', 'bad', 'down'),
  paused: createOutcome('skip', 'neutral', 'paused'),
  off: createOutcome('skip', 'neutral', 'off'),
}
