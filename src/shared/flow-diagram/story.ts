/** A run in words: what arrived, how it was answered, the verdict, and what happened. The window, reports and files say the same. */
import type {
  FlowArrived,
  FlowFacts,
  FlowPlanStep,
  FlowResponse,
  FlowRun,
  FlowRunStep,
  UnexpectedDelivery,
} from '../model/flow.ts'
import { isFailedStep, outcomeOfRun, type Outcome } from '../model/outcomes.ts'
import { isTransactionEvent } from '../service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, MAX_ATTEMPTS } from '../service/limits.ts'
import { statusName } from '../http.ts'
import { amountText } from '../text/amount.ts'
import { counted, deliveryCount } from '../text/counted.ts'
import { plainWords, timeWords } from './words.ts'

/** What is known about a delivery, from a step or an unexpected delivery. */
export type Received = Pick<FlowRunStep, 'arrived' | 'response'>

export function isRunStep(step: FlowPlanStep): step is FlowRunStep {
  return 'state' in step
}

// What arrived

const verdictNames: Readonly<Record<FlowArrived['verdict'], string>> = {
  valid: 'valid',
  invalid: 'invalid',
  unsigned: 'unsigned',
  'unknown-hook': 'unknown hook',
}
const freshnessNames: Readonly<Record<FlowArrived['freshness'], string>> = {
  fresh: 'valid',
  stale: 'stale',
  future: 'in the future',
  missing: 'no timestamp',
  unknown: 'age unknown',
}

/** `valid`, `stale: signed 10 minutes before receipt`, `invalid: signed with another secret`. */
export function arrivedWords({ verdict, freshness, cause }: FlowArrived): string {
  const name = verdict === 'valid' ? freshnessNames[freshness] : verdictNames[verdict]
  return cause === null ? name : `${name}: ${cause}`
}

const isForged = (arrived: FlowArrived | null) => arrived !== null && arrived.verdict !== 'valid'
const isStale = (arrived: FlowArrived | null) =>
  arrived?.verdict === 'valid' && arrived.freshness !== 'fresh'

/** `attempt 2 of 3`, or `duplicate`; null for a first attempt that succeeded. */
export function attemptWords({ arrived, response }: Received): string | null {
  if (arrived === null) return null
  if (arrived.duplicateOf !== null) return 'duplicate'
  const failed = response?.by === 'receiver' && !response.acknowledged
  return arrived.attempt > 1 || failed ? `attempt ${arrived.attempt} of ${MAX_ATTEMPTS}` : null
}

/** What a delivery is about: its amount, card, scheme and status. Null if the payload says none of it. */
export function factsWords(event: string | null, facts: FlowFacts | null): string | null {
  if (facts === null) return null
  const { amount, cashback, fee, currency, scheme, lastNumbers, status } = facts
  const money = (value: number | null, name: string) =>
    value === null ? null : `${amountText(value, currency ?? '')}${name}`
  const isSettled = event !== null && isTransactionEvent(event)
  const about = [
    scheme,
    lastNumbers === null ? null : `····${lastNumbers}`,
    // `location.active` is `active` beside its scheme.
    status === null || isSettled ? null : status.replace(/^[a-z]+\./, ''),
  ].filter((one) => one !== null)
  const words = [
    money(amount, ''),
    money(cashback, ' cashback'),
    money(fee, ' fee'),
    about.join(' '),
  ]
  return words.filter(Boolean).join(' · ') || null
}

// How it was answered

/** Countersign stores any delivery and responds 200: that says nothing about an unverified one. */
export function isRecordedOnly({ arrived, response }: Received): boolean {
  return response?.by === 'receiver' && response.acknowledged && isForged(arrived)
}

/** The status that was expected instead; null if the status isn't what failed. */
function expectedStatus({ kind, outcome, response, checks, expected }: FlowRunStep): string | null {
  if (kind !== 'answer' || outcome !== 'fail' || response?.kind !== 'status') return null
  const failed = checks.find(({ field }) => field === 'Status')
  if (failed !== undefined) return failed.passed ? null : failed.expected
  return checks.length > 0 ? null : expected?.startsWith('200') === true ? '200' : '4xx'
}

/** A response in words: `500 in 12 ms, expected 200`, `No response within 20 s`. Null without one. */
export function responseText(step: Received | FlowRunStep): string | null {
  const { response } = step
  if (response === null) return null
  const { kind, status, ms, by } = response
  // Less than a millisecond is some time, too.
  const took = ms === null ? '' : ms < 0.5 ? '<1 ms' : timeWords(ms)
  if (kind === 'timeout') return `No response within ${timeWords(ACKNOWLEDGE_TIMEOUT_MS)}`
  if (kind === 'dropped') return `Connection dropped${took === '' ? '' : ` after ${took}`}`
  if (kind === 'unreachable') return "Couldn't connect"
  const expected = 'outcome' in step ? expectedStatus(step) : null
  const isNamed = by === 'handler' && status !== null && status !== 200 && expected === null
  const words = [String(status), isNamed ? statusName(status) : '', took === '' ? '' : `in ${took}`]
  const note =
    expected !== null ? `, expected ${expected}` : isRecordedOnly(step) ? ', recorded only' : ''
  return `${words.filter(Boolean).join(' ')}${note}`
}

/** Why a step failed: its first failed expectation, or its message. Null if its status says it already. */
export function failureText(step: FlowRunStep): string | null {
  if (!isFailedStep(step) || expectedStatus(step) !== null) return null
  const failed = step.checks.find(({ passed }) => !passed)
  if (failed !== undefined)
    return plainWords(`${failed.field}: expected ${failed.expected}, actual ${failed.actual}`)
  return plainWords(step.message) || null
}

// The verdict, and what happened

type StoryRun = Pick<FlowRun, 'steps' | 'strays' | 'handler' | 'state' | 'outcome' | 'current'>

/** The verdict of a run: `3 of 9 steps failed`, `Not checked: no handler`. */
export function verdictOf(run: StoryRun): Outcome {
  const shown = outcomeOfRun(run)
  return { ...shown, word: verdictWords(run, shown.word) }
}

function verdictWords({ steps, strays, state, outcome, current, handler }: StoryRun, word: string) {
  if (state === 'running' || state === 'paused')
    return `${word}, step ${Math.min(current + 1, steps.length)} of ${steps.length}`
  const count = (...wanted: readonly FlowRunStep['outcome'][]) =>
    steps.filter((step) => wanted.includes(step.outcome)).length
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

/** A response in the shortest form: `500`, `timeout`, `dropped`. */
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
  const which = `${isForged(arrived) ? 'an invalid ' : isStale(arrived) ? 'a stale ' : ''}${event ?? 'the delivery'}`
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

/** Attempts that failed, in order, and whether a later one succeeded. */
function attemptsStory(deliveries: readonly FlowRunStep[]): string | null {
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

/** Forged, stale and repeated deliveries, and what your handler returned. */
function unusualStory(
  deliveries: readonly FlowRunStep[],
  { steps, handler }: StoryRun,
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
  const forged = deliveries.filter(({ arrived }) => isForged(arrived))
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

/** What the payloads tell: a purchase and its clearing, a refund, a card, locations. */
function businessStory(deliveries: readonly FlowRunStep[]): string | null {
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

/** What happened in a run, whatever was expected: `Delivery abandoned: 500, timeout, dropped`. */
export function happenedIn(run: StoryRun): string {
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
    attemptsStory(deliveries) ??
    unusualStory(deliveries, run) ??
    businessStory(deliveries) ??
    `${deliveryCount(deliveries.length)} received`
  )
}

/** The event of a step. A response is about the delivery that went to your handler. */
export function eventOf(step: FlowPlanStep, steps: readonly FlowPlanStep[]): string | null {
  if (step.event !== null || !isRunStep(step) || step.deliveryId === null) return step.event
  const same = steps.find(
    (other) =>
      other.kind === 'delivery' && isRunStep(other) && other.deliveryId === step.deliveryId,
  )
  return same?.event ?? null
}

/** `Unexpected card.linked`, `Duplicate card.linked`. */
function unexpectedTitle({ event, kind }: Pick<UnexpectedDelivery, 'event' | 'kind'>): string {
  return `${kind === 'duplicate' ? 'Duplicate' : 'Unexpected'} ${event ?? 'delivery'}`
}
