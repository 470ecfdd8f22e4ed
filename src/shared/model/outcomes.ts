/**
 * Every outcome shown in the window, the command line and reports: glyph, tone and words are defined only here. Green (`good`)
 * means proven: never a failure, a skipped step, or a response from Countersign itself.
 */
import { capitalized } from '../text/counted.ts'
import type { CheckResult } from './check.ts'
import type { DeliveryRow, HandlerResponse } from './delivery.ts'
import type {
  FlowChange,
  FlowOutcome,
  FlowRun,
  FlowRunSummary,
  UnexpectedDelivery,
} from './flow.ts'
import type { ForwardStatus } from './forward.ts'
import { NO_RESPONSE_IN_TIME } from '../service/limits.ts'
import type { SyncedHook } from './hook.ts'
import { isForged, isRejection } from './replay-edits.ts'
import type { ReplayJob, Send, SendOutcome, SendState } from './send.ts'
import type { SendAttempt, Notification } from './sandbox.ts'
import type { DoctorCheck, AddressTest, TunnelStatus } from './status.ts'

/** `good` is green, `bad` red, `warn` yellow; `active` is in progress; `neutral` says neither. */
export type Tone = 'good' | 'bad' | 'warn' | 'active' | 'neutral'

export type Glyph =
  | 'pass'
  | 'fail'
  | 'warn'
  | 'skip'
  | 'missing'
  | 'unknown'
  | 'fixed'
  | 'regressed'
  | 'rejected'
  | 'accepted'
  | 'recorded'
  | 'waiting'
  | 'running'
  | 'same'

export interface Outcome {
  readonly glyph: Glyph
  readonly tone: Tone
  /** Lower case; a label capitalizes it. */
  readonly word: string
}

/** The glyphs as text, for terminals and reports. */
export const glyphText: Readonly<Record<Glyph, string>> = {
  pass: '✓',
  fail: '✕',
  warn: '!',
  skip: '⊘',
  missing: '?',
  unknown: '?',
  fixed: '✓',
  regressed: '✕',
  rejected: '✓',
  accepted: '✕',
  recorded: '•',
  waiting: '·',
  running: '…',
  same: '=',
}

const mark = (glyph: Glyph, tone: Tone, word: string): Outcome => ({ glyph, tone, word })

/** The word as a label: `Still failing`. */
export function labelOf({ word }: Pick<Outcome, 'word'>): string {
  return capitalized(word)
}

/** An endpoint's response and its time: `Returned 401 in 4.2 ms`. */
export function responseWords(status: number | null, ms: number | null): string {
  if (status === null) return 'No response'
  return ms === null
    ? `Returned ${status}`
    : `Returned ${status} in ${ms < 100 ? ms.toFixed(1) : ms.toFixed(0)} ms`
}

// Replays and forwarded deliveries

/** The result of a send; `why` explains an unusual one and is otherwise empty. */
export interface ExplainedOutcome extends Outcome {
  readonly why: string
}

export type ShownSend = Pick<
  Send,
  'outcome' | 'state' | 'tamper' | 'edited' | 'status' | 'error' | 'validPassed'
>

const explainedMark = (glyph: Glyph, tone: Tone, word: string, why = ''): ExplainedOutcome => ({
  glyph,
  tone,
  word,
  why,
})

export const sendStates: Readonly<Record<SendState, ExplainedOutcome>> = {
  waiting: explainedMark('waiting', 'neutral', 'pending'),
  'under-way': explainedMark('running', 'active', 'in progress'),
  settled: explainedMark('unknown', 'neutral', 'sent'),
  uncertain: explainedMark('warn', 'warn', 'uncertain'),
  'not-sent': explainedMark('skip', 'warn', 'not sent'),
  cancelled: explainedMark('skip', 'neutral', 'cancelled'),
}

export const sendOutcomes: Readonly<Record<SendOutcome, ExplainedOutcome>> = {
  'first-pass': explainedMark('pass', 'good', 'passed'),
  'still-passing': explainedMark('pass', 'good', 'still passing'),
  fixed: explainedMark('fixed', 'good', 'fixed'),
  'first-fail': explainedMark('fail', 'bad', 'failed'),
  'still-failing': explainedMark('fail', 'bad', 'still failing'),
  regressed: explainedMark('regressed', 'bad', 'regressed'),
  recorded: explainedMark(
    'recorded',
    'neutral',
    'recorded here',
    'Countersign responded, not your handler',
  ),
}

const handlerGlyphs = {
  acknowledged: ['pass', 'good'],
  rejected: ['rejected', 'good'],
  failing: ['fail', 'bad'],
  neutral: ['recorded', 'neutral'],
} as const satisfies Readonly<Record<HandlerResponse['outcome'], readonly [Glyph, Tone]>>

/** What the user's handler last returned for a delivery, and why that is right, wrong or neither. */
export function outcomeOfHandler({
  handler,
  verdict,
  freshness,
}: Pick<DeliveryRow, 'verdict' | 'freshness'> & {
  readonly handler: HandlerResponse
}): ExplainedOutcome {
  const { status, timedOut, outcome } = handler
  const [glyph, tone] = handlerGlyphs[outcome]
  const word = status === null ? (timedOut ? NO_RESPONSE_IN_TIME : 'no response') : String(status)
  return { glyph, tone, word, why: handlerReason({ ...handler, verdict, freshness }) }
}

function handlerReason({
  outcome,
  status,
  signed,
  verdict,
  freshness,
}: Pick<DeliveryRow, 'verdict' | 'freshness'> &
  Pick<HandlerResponse, 'outcome' | 'status' | 'signed'>): string {
  const hasNoProof = verdict === 'invalid' || verdict === 'unsigned'
  if (outcome === 'acknowledged') return 'your handler acknowledged it'
  if (outcome === 'rejected')
    return `your handler rejected it, as expected for an ${verdict} delivery`
  if (outcome === 'failing')
    return hasNoProof
      ? `your handler acknowledged an ${verdict} delivery`
      : "your handler didn't acknowledge a valid delivery"
  if (hasNoProof && signed) return 'neutral: sent with a valid signature'
  if (hasNoProof)
    return `neutral: your handler ${status === null ? "didn't respond" : 'neither acknowledged nor rejected it'}`
  return verdict === 'valid'
    ? `neutral: the delivery is ${freshness}`
    : 'neutral: the delivery matches no hook'
}

/** A forged send that was rejected. Whether that proves anything depends on the response to the valid delivery. */
function outcomeOfRejected({ outcome, validPassed }: ShownSend): ExplainedOutcome {
  const word = outcome === 'fixed' ? 'now rejected' : 'rejected'
  if (validPassed === false)
    return explainedMark(
      'unknown',
      'neutral',
      'inconclusive',
      'your endpoint also fails the valid delivery',
    )
  if (validPassed === null)
    return explainedMark('unknown', 'neutral', word, 'replay the valid delivery to compare')
  return explainedMark('rejected', 'good', word, 'as expected; the valid delivery is accepted')
}

/** The result of one send. A forged one passes by being rejected, which alone proves nothing. */
export function outcomeOfSend(send: ShownSend): ExplainedOutcome {
  const { outcome, state, tamper, error } = send
  if (outcome === null) return sendStates[state]
  if (outcome === 'recorded' || !isForged(send)) return sendOutcomes[outcome]
  if (isRejected(send)) return outcomeOfRejected(send)
  if (!isAccepted(send))
    return explainedMark('fail', 'bad', 'failed', error === null ? 'expected a 4xx status' : '')
  const word = outcome === 'regressed' ? 'now accepted' : 'accepted'
  // A signature that wasn't replaced may still be valid, and its timestamp fresh.
  if (tamper === null)
    return explainedMark('warn', 'warn', word, 'not re-signed, so the signature may still be valid')
  return explainedMark('accepted', 'bad', word, 'forged deliveries should be rejected')
}

/** `3 of 5 failed`; `all failed` if all did; `failed` if there is only one. */
function shareWords(count: number, total: number, word: string): string {
  if (count < total) return `${count.toLocaleString('en')} of ${total.toLocaleString('en')} ${word}`
  return total === 1 ? word : `all ${word}`
}

/** The result of a whole replay. The worst part comes first, so that the word explains the color. */
export function outcomeOfJob(job: ReplayJob): Outcome {
  const { state, total, passed, failed, recorded, notSent, problem } = job
  if (state === 'running') return mark('running', 'active', 'in progress')
  if (state === 'interrupted') return mark('warn', 'warn', 'interrupted')
  if (state === 'cancelled') return mark('skip', 'neutral', 'cancelled')
  if (problem !== null) return mark('fail', 'bad', 'stopped')
  if (failed > 0)
    return mark('fail', 'bad', shareWords(failed, total, isForged(job) ? 'not rejected' : 'failed'))
  if (notSent > 0) return mark('fail', 'bad', shareWords(notSent, total, 'not sent'))
  // An endpoint that rejects everything rejects forged requests too.
  if (passed > 0 && isForged(job))
    return mark('same', 'neutral', shareWords(passed, total, 'rejected'))
  if (passed > 0) return mark('pass', 'good', shareWords(passed, total, 'passed'))
  return recorded > 0
    ? mark('recorded', 'neutral', 'recorded here')
    : mark('skip', 'neutral', 'nothing to send')
}

/** The result of a forwarded delivery: above all, the target's response. */
export function outcomeOfForwarded({
  outcome,
  state,
  status,
  tries,
}: Pick<Send, 'outcome' | 'state' | 'status' | 'tries'>): Outcome {
  if (state !== 'settled') return sendStates[state]
  const after = tries === 0 ? '' : ` after ${tries + 1} tries`
  const word = `${status === null ? 'no response' : `returned ${status}`}${after}`
  const { glyph, tone } = sendOutcomes[outcome ?? 'first-fail']
  return mark(glyph, tone, word)
}

export const targetLights: Readonly<Record<ForwardStatus, Outcome>> = {
  new: mark('waiting', 'neutral', 'ready'),
  up: mark('pass', 'good', 'up'),
  failing: mark('warn', 'warn', 'failing'),
  down: mark('fail', 'bad', 'down'),
  paused: mark('skip', 'neutral', 'paused'),
  off: mark('skip', 'neutral', 'off'),
}

// Handler checks

export type ShownCase = CheckResult['outcome'] | 'warn' | 'unjudged' | 'waiting'

export const checkOutcomes: Readonly<Record<ShownCase, Outcome>> = {
  pass: mark('pass', 'good', 'passed'),
  fail: mark('fail', 'bad', 'failed'),
  warn: mark('warn', 'warn', 'passed, slowly'),
  skip: mark('skip', 'neutral', 'skipped'),
  unjudged: mark('unknown', 'neutral', 'inconclusive'),
  waiting: mark('waiting', 'neutral', 'pending'),
}

/** How a case is shown. A skipped case with exchanges was sent, but proved nothing. */
export function shownCase(
  result: Pick<CheckResult, 'outcome' | 'warning' | 'exchanges'> | null,
): ShownCase {
  if (result === null) return 'waiting'
  if (result.outcome === 'skip' && result.exchanges.length > 0) return 'unjudged'
  return result.outcome === 'pass' && result.warning !== null ? 'warn' : result.outcome
}

// Flows

export const stepOutcomes: Readonly<
  Record<FlowOutcome | 'planned' | 'running' | UnexpectedDelivery['kind'], Outcome>
> = {
  planned: mark('waiting', 'neutral', 'pending'),
  running: mark('running', 'active', 'running'),
  pass: mark('pass', 'good', 'passed'),
  fail: mark('fail', 'bad', 'failed'),
  skip: mark('skip', 'neutral', 'skipped'),
  missing: mark('missing', 'bad', 'missing'),
  unexpected: mark('warn', 'bad', 'unexpected'),
  duplicate: mark('warn', 'bad', 'duplicate'),
}

const runStates: Readonly<Record<Exclude<FlowRunSummary['state'], 'done'>, Outcome>> = {
  running: mark('running', 'active', 'running'),
  paused: mark('waiting', 'warn', 'paused'),
  cancelled: mark('skip', 'neutral', 'cancelled'),
  interrupted: mark('skip', 'warn', 'interrupted'),
}

/** The result of a whole flow run. Without a handler, nothing of the user's was checked. */
export function outcomeOfRun({
  state,
  outcome,
  handler,
}: Pick<FlowRunSummary, 'state' | 'outcome' | 'handler'>): Outcome {
  if (state !== 'done') return runStates[state]
  return outcome === 'pass' && handler === null ? notChecked : stepOutcomes[outcome ?? 'fail']
}

const notChecked = mark('skip', 'neutral', 'not checked')

export function isFailedStep({ outcome }: { readonly outcome: FlowOutcome | null }): boolean {
  return outcome === 'fail' || outcome === 'missing'
}

/** Steps of a run by outcome. Unexpected deliveries are failures too. */
export function stepCounts({ steps, strays }: Pick<FlowRun, 'steps' | 'strays'>) {
  const count = (wanted: FlowOutcome) => steps.filter(({ outcome }) => outcome === wanted).length
  return {
    passed: count('pass'),
    failed: count('fail') + count('missing') + strays.length,
    skipped: count('skip'),
  }
}

/**
 * How a finished run differs from the flow's finished run before it, against the same handler. `runs` are newest first. Null if it is
 * the first, and for a failure that is gone without a handler to say so.
 */
export function flowChangeOf(
  { id, flow, origin, handler, outcome }: FlowRunSummary,
  runs: readonly FlowRunSummary[],
): FlowChange | null {
  const before = runs.find(
    (run) =>
      run.id < id &&
      run.flow === flow &&
      run.origin === origin &&
      run.handler === handler &&
      run.outcome !== null,
  )
  if (before === undefined || outcome === null) return null
  if (outcome === 'pass' && before.outcome === 'pass') return 'unchanged'
  if (outcome === 'pass') return handler === null ? null : 'fixed'
  return before.outcome === 'pass' ? 'regressed' : 'still-failing'
}

export const flowChanges: Readonly<Record<FlowChange, Outcome>> = {
  fixed: mark('fixed', 'good', 'fixed'),
  regressed: mark('regressed', 'bad', 'regressed'),
  'still-failing': mark('fail', 'bad', 'still failing'),
  unchanged: mark('same', 'neutral', 'unchanged'),
}

// Service, setup and search

/** A setup check, or a check of a service account (an API call). */
export const levels: Readonly<Record<DoctorCheck['outcome'], Outcome>> = {
  ok: mark('pass', 'good', 'ok'),
  warning: mark('warn', 'warn', 'warning'),
  failed: mark('fail', 'bad', 'failed'),
}

/** One API call of a series that moves hooks one by one. */
export const calls: Readonly<Record<'done' | 'failed', Outcome>> = {
  done: mark('pass', 'good', 'moved'),
  failed: mark('fail', 'bad', 'not moved'),
}

/** A hook compared with the service's list. */
export const syncs: Readonly<Record<SyncedHook['state'], Outcome>> = {
  new: mark('recorded', 'active', 'new'),
  differs: mark('warn', 'warn', 'differs'),
  gone: mark('missing', 'warn', 'gone'),
  here: mark('same', 'neutral', 'already here'),
}

export function outcomeOfNotification({
  state,
  attempts,
}: Pick<Notification, 'state' | 'attempts'>): Outcome {
  if (state === 'acknowledged') return mark('pass', 'good', 'acknowledged')
  if (state === 'failed') return mark('fail', 'bad', 'failed')
  if (state === 'not-sent') return sendStates[state]
  return attempts.length === 0
    ? mark('running', 'active', 'sending')
    : mark('warn', 'warn', 'retrying')
}

export function outcomeOfAttempt({
  acknowledged,
  status,
}: Pick<SendAttempt, 'acknowledged' | 'status'>): Outcome {
  const word = status === null ? 'no response' : String(status)
  return acknowledged ? mark('pass', 'good', word) : mark('fail', 'bad', word)
}

export const addressTests: Readonly<Record<AddressTest['outcome'], Outcome>> = {
  reached: mark('pass', 'good', 'reached'),
  altered: mark('warn', 'warn', 'altered in transit'),
  'no-answer': mark('fail', 'bad', 'response lost'),
  elsewhere: mark('fail', 'bad', 'reached another server'),
  unreachable: mark('fail', 'bad', 'unreachable'),
}

export const tunnelStates: Readonly<Record<TunnelStatus['state'], Outcome>> = {
  off: mark('skip', 'neutral', 'off'),
  starting: mark('running', 'active', 'starting'),
  up: mark('pass', 'good', 'up'),
  stopped: mark('skip', 'neutral', 'stopped'),
}

export function isRejected(send: Pick<Send, 'tamper' | 'edited' | 'status' | 'error'>): boolean {
  return isForged(send) && isRejection(send)
}

/** Whether an endpoint accepted a forged send. Also with a 2xx that doesn't acknowledge. */
export function isAccepted(send: Pick<Send, 'tamper' | 'edited' | 'status' | 'error'>): boolean {
  const { status, error } = send
  return isForged(send) && error === null && status !== null && status >= 200 && status < 300
}

// Words for the changes and counts of sends.

/** How the request differs from the captured one. */
export function changeWords({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): string[] {
  return [
    ...(tamper === null ? [] : [`tampered: ${tamper}`]),
    ...(edited.length === 0 ? [] : [`changed ${edited.join(', ')}`]),
  ]
}

/** How a replay's requests differ, and what signs them if not each delivery's own hook. */
export function replayChangeWords(
  job: Pick<ReplayJob, 'tamper' | 'edited' | 'hookId' | 'registeredUrl'>,
): string[] {
  const { hookId, registeredUrl } = job
  return [
    ...changeWords(job),
    ...(hookId === null ? [] : [`signed with the secret of hook ${hookId}`]),
    ...(registeredUrl === null ? [] : [`signed over ${registeredUrl}`]),
  ]
}

/** The results of a replay: each count above 0, with its label. */
export function countsOf(
  job: ReplayJob,
): readonly { readonly count: number; readonly what: string }[] {
  const word = isForged(job) ? 'rejected' : 'acknowledged'
  const counts: readonly (readonly [number, string])[] = [
    [job.passed, word],
    [job.failed, `not ${word}`],
    [job.recorded, 'recorded here'],
    [job.fixed, isForged(job) ? 'now rejected' : 'fixed'],
    [job.regressed, isForged(job) ? 'no longer rejected' : 'regressed'],
    [job.notSent, "couldn't be sent"],
    [job.cancelled, 'cancelled'],
    [
      job.uncertain,
      `uncertain: may have been sent before Countersign stopped${job.state === 'cancelled' ? '' : ', then sent again'}`,
    ],
  ]
  return counts.filter(([count]) => count > 0).map(([count, what]) => ({ count, what }))
}
