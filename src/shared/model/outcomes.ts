/**
 * Every outcome shown in the window, the command line and reports: glyph, tone and words are defined only here. Green (`good`)
 * means proven: never a failure, a skipped step, or a response from Countersign itself.
 */
import type { CheckResult } from './check.ts'
import type { DeliveryRow, HandlerResponse } from './delivery.ts'
import type {
  FlowChange,
  FlowOutcome,
  FlowRun,
  FlowRunSummary,
  UnexpectedDelivery,
} from './flow.ts'
import type { ForwardLight } from './forward.ts'
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

const look = (glyph: Glyph, tone: Tone, word: string): Outcome => ({ glyph, tone, word })

/** The word as a label: `Still failing`. */
export function labelOf({ word }: Pick<Outcome, 'word'>): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
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
export interface SendLook extends Outcome {
  readonly why: string
}

export type ShownSend = Pick<
  Send,
  'outcome' | 'state' | 'tamper' | 'edited' | 'status' | 'error' | 'validPassed'
>

const sendLook = (glyph: Glyph, tone: Tone, word: string, why = ''): SendLook => ({
  glyph,
  tone,
  word,
  why,
})

export const sendStates: Readonly<Record<SendState, SendLook>> = {
  waiting: sendLook('waiting', 'neutral', 'pending'),
  'under-way': sendLook('running', 'active', 'in progress'),
  settled: sendLook('unknown', 'neutral', 'sent'),
  uncertain: sendLook('warn', 'warn', 'uncertain'),
  'not-sent': sendLook('skip', 'warn', 'not sent'),
  cancelled: sendLook('skip', 'neutral', 'cancelled'),
}

export const sendOutcomes: Readonly<Record<SendOutcome, SendLook>> = {
  'first-pass': sendLook('pass', 'good', 'passed'),
  'still-passing': sendLook('pass', 'good', 'still passing'),
  fixed: sendLook('fixed', 'good', 'fixed'),
  'first-fail': sendLook('fail', 'bad', 'failed'),
  'still-failing': sendLook('fail', 'bad', 'still failing'),
  regressed: sendLook('regressed', 'bad', 'regressed'),
  recorded: sendLook(
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
export function lookOfHandler({
  handler,
  verdict,
  freshness,
}: Pick<DeliveryRow, 'verdict' | 'freshness'> & { readonly handler: HandlerResponse }): SendLook {
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
function lookOfRejected({ outcome, validPassed }: ShownSend): SendLook {
  const word = outcome === 'fixed' ? 'now rejected' : 'rejected'
  if (validPassed === false)
    return sendLook(
      'unknown',
      'neutral',
      'inconclusive',
      'your endpoint also fails the valid delivery',
    )
  if (validPassed === null)
    return sendLook('unknown', 'neutral', word, 'replay the valid delivery to compare')
  return sendLook('rejected', 'good', word, 'as expected; the valid delivery is accepted')
}

/** The result of one send. A forged one passes by being rejected, which alone proves nothing. */
export function lookOfSend(send: ShownSend): SendLook {
  const { outcome, state, tamper, error } = send
  if (outcome === null) return sendStates[state]
  if (outcome === 'recorded' || !isForged(send)) return sendOutcomes[outcome]
  if (isRejected(send)) return lookOfRejected(send)
  if (!isAccepted(send))
    return sendLook('fail', 'bad', 'failed', error === null ? 'expected a 4xx status' : '')
  const word = outcome === 'regressed' ? 'now accepted' : 'accepted'
  // A signature that wasn't replaced may still be valid, and its timestamp fresh.
  if (tamper === null)
    return sendLook('warn', 'warn', word, 'not re-signed, so the signature may still be valid')
  return sendLook('accepted', 'bad', word, 'forged deliveries should be rejected')
}

/** `3 of 5 failed`; `all failed` if all did; `failed` if there is only one. */
function shareWords(count: number, total: number, word: string): string {
  if (count < total) return `${count.toLocaleString('en')} of ${total.toLocaleString('en')} ${word}`
  return total === 1 ? word : `all ${word}`
}

/** The result of a whole replay. The worst part comes first, so that the word explains the color. */
export function lookOfJob(job: ReplayJob): Outcome {
  const { state, total, passed, failed, recorded, notSent, problem } = job
  if (state === 'running') return look('running', 'active', 'in progress')
  if (state === 'interrupted') return look('warn', 'warn', 'interrupted')
  if (state === 'cancelled') return look('skip', 'neutral', 'cancelled')
  if (problem !== null) return look('fail', 'bad', 'stopped')
  if (failed > 0)
    return look('fail', 'bad', shareWords(failed, total, isForged(job) ? 'not rejected' : 'failed'))
  if (notSent > 0) return look('fail', 'bad', shareWords(notSent, total, 'not sent'))
  // An endpoint that rejects everything rejects forged requests too.
  if (passed > 0 && isForged(job))
    return look('same', 'neutral', shareWords(passed, total, 'rejected'))
  if (passed > 0) return look('pass', 'good', shareWords(passed, total, 'passed'))
  return recorded > 0
    ? look('recorded', 'neutral', 'recorded here')
    : look('skip', 'neutral', 'nothing to send')
}

/** The result of a forwarded delivery: above all, the target's response. */
export function lookOfForwarded({
  outcome,
  state,
  status,
  tries,
}: Pick<Send, 'outcome' | 'state' | 'status' | 'tries'>): Outcome {
  if (state !== 'settled') return sendStates[state]
  const after = tries === 0 ? '' : ` after ${tries + 1} tries`
  const word = `${status === null ? 'no response' : `returned ${status}`}${after}`
  const { glyph, tone } = sendOutcomes[outcome ?? 'first-fail']
  return look(glyph, tone, word)
}

export const targetLights: Readonly<Record<ForwardLight, Outcome>> = {
  new: look('waiting', 'neutral', 'ready'),
  up: look('pass', 'good', 'up'),
  failing: look('warn', 'warn', 'failing'),
  down: look('fail', 'bad', 'down'),
  paused: look('skip', 'neutral', 'paused'),
  off: look('skip', 'neutral', 'off'),
}

// Handler checks

export type ShownCase = CheckResult['outcome'] | 'warn' | 'unjudged' | 'waiting'

export const checkOutcomes: Readonly<Record<ShownCase, Outcome>> = {
  pass: look('pass', 'good', 'passed'),
  fail: look('fail', 'bad', 'failed'),
  warn: look('warn', 'warn', 'passed, slowly'),
  skip: look('skip', 'neutral', 'skipped'),
  unjudged: look('unknown', 'neutral', 'inconclusive'),
  waiting: look('waiting', 'neutral', 'pending'),
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
  planned: look('waiting', 'neutral', 'pending'),
  running: look('running', 'active', 'running'),
  pass: look('pass', 'good', 'passed'),
  fail: look('fail', 'bad', 'failed'),
  skip: look('skip', 'neutral', 'skipped'),
  missing: look('missing', 'bad', 'missing'),
  unexpected: look('warn', 'bad', 'unexpected'),
  duplicate: look('warn', 'bad', 'duplicate'),
}

const runStates: Readonly<Record<Exclude<FlowRunSummary['state'], 'done'>, Outcome>> = {
  running: look('running', 'active', 'running'),
  paused: look('waiting', 'warn', 'paused'),
  cancelled: look('skip', 'neutral', 'cancelled'),
  interrupted: look('skip', 'warn', 'interrupted'),
}

/** The result of a whole flow run. Without a handler, nothing of the user's was checked. */
export function lookOfRun({
  state,
  outcome,
  handler,
}: Pick<FlowRunSummary, 'state' | 'outcome' | 'handler'>): Outcome {
  if (state !== 'done') return runStates[state]
  return outcome === 'pass' && handler === null ? notChecked : stepOutcomes[outcome ?? 'fail']
}

const notChecked = look('skip', 'neutral', 'not checked')

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
  fixed: look('fixed', 'good', 'fixed'),
  regressed: look('regressed', 'bad', 'regressed'),
  'still-failing': look('fail', 'bad', 'still failing'),
  unchanged: look('same', 'neutral', 'unchanged'),
}

// Service, setup and search

/** A setup check, or a check of a service account (an API call). */
export const levels: Readonly<Record<DoctorCheck['outcome'], Outcome>> = {
  ok: look('pass', 'good', 'ok'),
  warning: look('warn', 'warn', 'warning'),
  failed: look('fail', 'bad', 'failed'),
}

/** One API call of a series that moves hooks one by one. */
export const calls: Readonly<Record<'done' | 'failed', Outcome>> = {
  done: look('pass', 'good', 'moved'),
  failed: look('fail', 'bad', 'not moved'),
}

/** A hook compared with the service's list. */
export const syncs: Readonly<Record<SyncedHook['state'], Outcome>> = {
  new: look('recorded', 'active', 'new'),
  differs: look('warn', 'warn', 'differs'),
  gone: look('missing', 'warn', 'gone'),
  here: look('same', 'neutral', 'already here'),
}

/** The result of a notification from the sandbox. */
export function lookOfNotification({
  state,
  attempts,
}: Pick<Notification, 'state' | 'attempts'>): Outcome {
  if (state === 'acknowledged') return look('pass', 'good', 'acknowledged')
  if (state === 'failed') return look('fail', 'bad', 'failed')
  return attempts.length === 0
    ? look('running', 'active', 'sending')
    : look('warn', 'warn', 'retrying')
}

/** The response to one attempt. */
export function lookOfAttempt({
  acknowledged,
  status,
}: Pick<SendAttempt, 'acknowledged' | 'status'>): Outcome {
  const word = status === null ? 'no response' : String(status)
  return acknowledged ? look('pass', 'good', word) : look('fail', 'bad', word)
}

export const addressTests: Readonly<Record<AddressTest['outcome'], Outcome>> = {
  reached: look('pass', 'good', 'reached'),
  altered: look('warn', 'warn', 'altered in transit'),
  'no-answer': look('fail', 'bad', 'response lost'),
  elsewhere: look('fail', 'bad', 'reached another server'),
  unreachable: look('fail', 'bad', 'unreachable'),
}

export const tunnelStates: Readonly<Record<TunnelStatus['state'], Outcome>> = {
  off: look('skip', 'neutral', 'off'),
  starting: look('running', 'active', 'starting'),
  up: look('pass', 'good', 'up'),
  stopped: look('skip', 'neutral', 'stopped'),
}

/** Whether an endpoint rejected a forged send. */
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
