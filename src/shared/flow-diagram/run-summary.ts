/** Verdict of a run, and a sentence on what happened. */
import type {
  FlowPlanStep,
  FlowResponse,
  FlowRun,
  FlowRunStep,
  UnexpectedDelivery,
} from '../model/flow-run.ts'
import type { Outcome } from '../model/outcomes.ts'
import { isFailedStep, outcomeOfRun } from '../model/flow-outcomes.ts'
import { amountText } from '../text/amount.ts'
import { counted, deliveryCount } from '../text/english.ts'
import { plainWords, timeWords } from './words.ts'
import { failureText, isUnverified, isStale, factsWords, isRunStep } from './received-words.ts'

type SummarizedRun = Pick<FlowRun, 'steps' | 'strays' | 'handler' | 'state' | 'outcome' | 'current'>

/** Judges a run: `3 of 9 steps failed`. */
export function verdictOf(run: SummarizedRun): Outcome {
  const shown = outcomeOfRun(run)
  return { ...shown, word: verdictWords(run, shown.word) }
}

function verdictWords(
  { steps, strays, state, outcome, current, handler }: SummarizedRun,
  word: string,
) {
  if (state === 'running' || state === 'paused')
    return `${word}, step ${Math.min(current + 1, steps.length)} of ${steps.length}`
  const count = (...outcomes: readonly FlowRunStep['outcome'][]) =>
    steps.filter((step) => outcomes.includes(step.outcome)).length
  const [passed, failed, skipped] = [count('pass'), count('fail', 'missing'), count('skip')]
  if (state !== 'done') return `${word}, ${counted(passed + failed, 'step')} done`
  if (failed > 0) return `${failed} of ${counted(steps.length, 'step')} failed`
  if (outcome === 'fail')
    return strays.length === 0
      ? word
      : counted(strays.length, 'unexpected delivery', 'unexpected deliveries')
  if (handler === null) return `${word}: no handler`
  return `${counted(passed, 'step')} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

const sentence = (head: string, rest: string) => (rest === '' ? head : `${head}: ${rest}`)

/** Shortens a response: `500`, `timeout`, `dropped`. */
function shortResponse({ kind, status }: FlowResponse): string {
  if (kind === 'status') return String(status)
  return kind === 'unreachable' ? 'not reachable' : kind
}

const responsesOf = (steps: readonly FlowRunStep[]) =>
  steps.flatMap(({ response }) => (response === null ? [] : [shortResponse(response)]))

function failureOf(step: FlowRunStep, event: string | null): string {
  const { kind, outcome, response, arrived } = step
  if (kind === 'delivery' && outcome === 'missing') return `${event ?? step.title} not received`
  if (kind !== 'answer')
    return sentence(
      event === null ? plainWords(step.title) : `${event} differs`,
      failureText(step) ?? '',
    )
  const which = `${isUnverified(arrived) ? 'an invalid ' : isStale(arrived) ? 'a stale ' : ''}${event ?? 'the delivery'}`
  switch (response?.kind) {
    case undefined:
      return `Your handler failed at ${which}`
    case 'status':
      return `Your handler returned ${response?.status ?? ''} to ${which}`
    case 'dropped':
      return `Your handler dropped the connection at ${which}`
    case 'timeout':
      return `Your handler didn't respond to ${which}`
    case 'unreachable':
      return sentence("Couldn't reach your handler", response?.error ?? '')
  }
}

/** Describes failed attempts, and whether a later one succeeded. */
function summarizeAttempts(deliveries: readonly FlowRunStep[]): string | null {
  const answered = deliveries.filter(
    ({ response, arrived }) => response?.by === 'receiver' && arrived?.verdict === 'valid',
  )
  const failed = answered.filter(({ response }) => response?.acknowledged === false)
  if (failed.length === 0) return null
  const retried = answered.filter(({ event }) => failed.some((step) => step.event === event))
  const words = responsesOf(retried)
  const last = retried.at(-1)
  if (failed.some(({ gaveUp }) => gaveUp)) return `Delivery abandoned: ${words.join(', ')}`
  if (last?.response?.acknowledged !== true) return `Not acknowledged: ${words.join(', ')}`
  return `Delivered on attempt ${last.arrived?.attempt ?? retried.length}: ${words.slice(0, -1).join(', ')}, then ${words.at(-1) ?? ''}`
}

/** Describes forged, stale and repeated deliveries. */
function summarizeUnusual(
  deliveries: readonly FlowRunStep[],
  { steps, handler }: SummarizedRun,
): string | null {
  const answers = steps.filter(({ kind }) => kind === 'answer')
  const rejected = (which: readonly FlowRunStep[]) => {
    const statuses = responsesOf(
      answers.filter(({ deliveryId }) => which.some((one) => one.deliveryId === deliveryId)),
    )
    if (statuses.length === 0)
      return handler === null ? 'recorded only: no handler in this run' : 'recorded only'
    if (new Set(statuses).size > 1) return `handler returned ${statuses.join(', ')}`
    const all = statuses.length === 1 ? 'it' : `all ${statuses.length}`
    return statuses[0]?.startsWith('4') === true
      ? `handler rejected ${all} with ${statuses[0]}`
      : `handler returned ${statuses[0] ?? ''}`
  }
  const forged = deliveries.filter(({ arrived }) => isUnverified(arrived))
  if (forged.length > 0)
    return `${counted(forged.length, 'forged delivery', 'forged deliveries')}: ${rejected(forged)}`
  const stale = deliveries.filter(({ arrived }) => isStale(arrived))
  if (stale.length > 0)
    return `${counted(stale.length, 'stale delivery', 'stale deliveries')}: ${rejected(stale)}`
  const repeated = deliveries.filter(({ arrived }) => arrived?.duplicateOf != null)
  if (repeated.length === 0) return null
  const statuses = responsesOf(answers)
  return sentence(
    counted(repeated.length, 'duplicate delivery', 'duplicate deliveries'),
    statuses.length === 0 ? '' : `handler returned ${statuses.join(', ')}`,
  )
}

function summarizePayloads(deliveries: readonly FlowRunStep[]): string | null {
  const last = (...events: readonly string[]) =>
    deliveries.findLast(({ event }) => event !== null && events.includes(event))
  const money = (step: FlowRunStep, which: 'amount' | 'cashback') => {
    const facts = step.arrived?.facts
    const value = facts?.[which] ?? null
    return value === null ? '' : amountText(value, facts?.currency ?? '')
  }
  const auth = last('transaction.auth.qualified', 'transaction.auth')
  const refund = last('transaction.refund', 'transaction.refund.qualified')
  const cleared = last('transaction.clearing.qualified', 'transaction.clearing')
  if (refund !== undefined) return sentence('Purchase refunded', money(refund, 'amount'))
  if (cleared !== undefined) {
    const [from, to] = [auth?.businessAt ?? cleared.businessAt, cleared.businessAt]
    const ms = from === null || to === null ? 0 : Date.parse(to) - Date.parse(from)
    const later = ms <= 0 ? '' : `${timeWords(ms)} later`
    const cashback = money(cleared, 'cashback')
    const words =
      cashback === ''
        ? [money(cleared, 'amount'), later]
        : [`${cashback} cashback`, later === '' ? '' : `cleared ${later}`]
    return sentence(
      cashback === '' ? 'Purchase cleared' : 'Purchase qualified',
      words.filter(Boolean).join(', '),
    )
  }
  if (auth !== undefined) return sentence('Purchase authorized', money(auth, 'amount'))
  const failed = last('card.failed')
  if (failed !== undefined) return sentence('Card link failed', failed.arrived?.facts?.status ?? '')
  const card = last('card.linked')
  if (card !== undefined)
    return sentence('Card linked', factsWords(card.event, card.arrived?.facts ?? null) ?? '')
  const locations = deliveries.filter(({ event }) => event === 'location.status')
  if (locations.length === 0)
    return last('brand.consent') === undefined ? null : 'Brand consent received'
  const statuses = locations.map(({ arrived }) => arrived?.facts?.status ?? '')
  const active = statuses.filter((status) => status === 'location.active').length
  const bad = statuses.filter((status) => status.includes('failed')).length
  return sentence(
    active === 0
      ? counted(locations.length, 'location report')
      : `${counted(active, 'scheme')} active`,
    bad === 0 ? '' : `${bad} failed`,
  )
}

/** Sums up a run: `Delivery abandoned: 500, timeout, dropped`. */
export function summarizeRun(run: SummarizedRun): string {
  const { steps, strays, state } = run
  const failed = steps.find(isFailedStep)
  if (failed !== undefined) return failureOf(failed, eventOf(failed, steps))
  const [unexpected] = strays
  if (unexpected !== undefined)
    return sentence(unexpectedTitle(unexpected), plainWords(unexpected.message))
  const deliveries = steps.filter(
    (step) => step.kind === 'delivery' && step.state === 'done' && step.deliveryId !== null,
  )
  if (deliveries.length === 0) return `Nothing received${state === 'done' ? '' : ' yet'}`
  return (
    summarizeAttempts(deliveries) ??
    summarizeUnusual(deliveries, run) ??
    summarizePayloads(deliveries) ??
    `${deliveryCount(deliveries.length)} received`
  )
}

/** Returns the event of a step, or of the delivery that it responds to. */
export function eventOf(step: FlowPlanStep, steps: readonly FlowPlanStep[]): string | null {
  if (step.event !== null || !isRunStep(step) || step.deliveryId === null) return step.event
  const same = steps.find(
    (other) =>
      other.kind === 'delivery' && isRunStep(other) && other.deliveryId === step.deliveryId,
  )
  return same?.event ?? null
}

function unexpectedTitle({ event, kind }: Pick<UnexpectedDelivery, 'event' | 'kind'>): string {
  return `${kind === 'duplicate' ? 'Duplicate' : 'Unexpected'} ${event ?? 'delivery'}`
}
