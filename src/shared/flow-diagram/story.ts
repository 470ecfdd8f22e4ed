/**
 * A run in words and colors: what arrived, how it was answered, the verdict, and what happened. The drawing, the list, the files and
 * the header say the same, because they all ask here.
 */
import type {
  FlowActor,
  FlowArrived,
  FlowFacts,
  FlowPlanStep,
  FlowResponse,
  FlowRun,
  FlowRunStep,
  FlowStray,
} from '../model/flow.ts'
import { isFailedStep, labelOf, lookOfRun, type Tone } from '../model/outcomes.ts'
import { isTransactionEvent } from '../service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, MAX_ATTEMPTS } from '../service/limits.ts'
import { statusName } from '../http.ts'
import { amountText } from '../text/amount.ts'
import { counted, deliveryCount } from '../text/counted.ts'
import { inkText, part, type Ink, type Part } from './parts.ts'
import { plainWords, timeWords } from './words.ts'

/** What is known about a delivery, from a step or an unexpected delivery. */
export type Received = Pick<FlowRunStep, 'event' | 'arrived' | 'response'>

export function isRunStep(step: FlowPlanStep): step is FlowRunStep {
  return 'state' in step
}

// What arrived

/** Green valid, red invalid, amber stale. A delivery from the attacker is red unless it only is stale; others without a signature gray. */
export function inkOfArrived(arrived: FlowArrived | null, from: FlowActor): Ink {
  if (arrived === null) return from === 'attacker' ? 'bad' : 'muted'
  const { verdict, freshness } = arrived
  if (verdict === 'valid') return freshness === 'fresh' ? 'ok' : 'warn'
  return verdict === 'invalid' || from === 'attacker' ? 'bad' : 'muted'
}

const verdictNames: Readonly<Record<FlowArrived['verdict'], string>> = {
  valid: 'Valid',
  invalid: 'Invalid',
  unsigned: 'Unsigned',
  'unknown-hook': 'Unknown hook',
}
const freshnessNames: Readonly<Record<FlowArrived['freshness'], string>> = {
  fresh: 'Valid',
  stale: 'Stale',
  future: 'In the future',
  missing: 'No timestamp',
  unknown: 'Age unknown',
}

/** `Valid`, `Invalid`, `Stale`. */
export function arrivedName({
  verdict,
  freshness,
}: Pick<FlowArrived, 'verdict' | 'freshness'>): string {
  return verdict === 'valid' ? freshnessNames[freshness] : verdictNames[verdict]
}

/** `attempt 2 of 3`, or which delivery it repeats; null for a first attempt that succeeded. */
export function attemptWords({ arrived, response }: Received): string | null {
  if (arrived === null) return null
  if (arrived.duplicateOf !== null) return 'duplicate'
  const failed = response?.by === 'receiver' && !response.acknowledged
  return arrived.attempt > 1 || failed ? `attempt ${arrived.attempt} of ${MAX_ATTEMPTS}` : null
}

const cardDigits = (lastNumbers: string) => `····${lastNumbers}`

/** What a delivery is about, in short: its amount, its card, its scheme and status. Null if the payload says none of it. */
export function factsWords(event: string | null, facts: FlowFacts | null): string | null {
  if (facts === null) return null
  const { amount, cashback, fee, currency, scheme, lastNumbers, status } = facts
  const parts = [
    amount === null ? null : amountText(amount, currency ?? ''),
    cashback === null ? null : `${amountText(cashback, currency ?? '')} cashback`,
    fee === null ? null : `${amountText(fee, currency ?? '')} fee`,
    scheme,
    lastNumbers === null ? null : cardDigits(lastNumbers),
    status === null || (event !== null && isTransactionEvent(event)) ? null : statusWords(status),
  ]
  const said = parts.filter((one) => one !== null)
  return said.length === 0 ? null : said.join(' ')
}

/** `location.active` is `active` beside its scheme. */
function statusWords(status: string): string {
  return status.replace(/^[a-z]+\./, '')
}

/** A line of parts, with a space between each two. */
export function textLine(...parts: readonly Part[]): Part {
  return part('line', ...parts.flatMap((one, index) => (index === 0 ? [one] : [' ', one])))
}

/** The payload under a delivery's arrow. */
export function factLines(facts: FlowFacts | null): readonly Part[] {
  if (facts === null) return []
  const { amount, cashback, fee, currency, scheme, lastNumbers, status } = facts
  const money = (value: number) => amountText(value, currency ?? '')
  const row = (name: string, value: number | null, ink: Ink = 'plain'): Part[] =>
    value === null ? [] : [inkText(name, 'plain', 'muted'), inkText(money(value), 'mono', ink)]
  if (cashback !== null || fee !== null)
    return [
      part(
        'facts',
        ...row('Amount', amount),
        ...row('Cashback', cashback, (cashback ?? 0) > 0 ? 'ok' : 'plain'),
        ...row('Fee', fee),
      ),
    ]
  const main = amount !== null ? money(amount) : status === null ? null : statusWords(status)
  const card = lastNumbers === null ? null : cardDigits(lastNumbers)
  const about = [scheme, card].filter((word) => word !== null).join(' ')
  const mainPart =
    main === null || (amount === null && card !== null) ? [] : [inkText(main, 'mono')]
  const aboutPart = about === '' ? [] : [inkText(about, 'mono', 'muted')]
  const parts = amount === null ? [...aboutPart, ...mainPart] : [...mainPart, ...aboutPart]
  return parts.length === 0 ? [] : [textLine(...parts)]
}

// How it was answered

/** Countersign stores an invalid delivery and responds 200: that says nothing about the delivery. */
export function isRecordedOnly({ arrived, response }: Received): boolean {
  return (
    response?.by === 'receiver' &&
    response.acknowledged &&
    arrived !== null &&
    arrived.verdict !== 'valid'
  )
}

/** Green for a status that acknowledges, red for any other and for none; gray if the delivery was only recorded. */
export function inkOfResponse(received: Received): Ink {
  if (isRecordedOnly(received)) return 'subtle'
  return received.response?.acknowledged === true ? 'ok' : 'bad'
}

/** `12 ms`; a response in less than a millisecond took some time too. */
function tookWords(ms: number): string {
  return ms < 0.5 ? '<1 ms' : timeWords(ms)
}

/** A response in words: `500` `in 12 ms`, `No response` `within 20 s`. The first is the status, or what happened instead. */
export function wordsOfResponse(
  received: Received,
  expected: string | null,
): { readonly lead: string; readonly rest: string } | null {
  const { response } = received
  if (response === null) return null
  const { kind, status, ms, by } = response
  if (kind === 'timeout')
    return { lead: 'No response', rest: `within ${timeWords(ACKNOWLEDGE_TIMEOUT_MS)}` }
  if (kind === 'dropped')
    return { lead: 'Connection dropped', rest: ms === null ? '' : `after ${tookWords(ms)}` }
  if (kind === 'unreachable') return { lead: "Couldn't connect", rest: '' }
  const took = ms === null ? '' : `in ${tookWords(ms)}`
  const isNamed = by === 'handler' && status !== null && status !== 200 && expected === null
  const what =
    expected !== null ? `expected ${expected}` : isRecordedOnly(received) ? 'recorded only' : ''
  const name = isNamed ? statusName(status) : ''
  return {
    lead: String(status),
    rest: [`${name} ${took}`.trim(), what].filter(Boolean).join(', '),
  }
}

/** The status that was expected instead; null if the status isn't what failed. */
export function expectedStatus(step: FlowRunStep): string | null {
  if (step.kind !== 'answer' || step.outcome !== 'fail' || step.response?.kind !== 'status')
    return null
  const failed = step.checks.find(({ field }) => field === 'Status')
  if (failed !== undefined) return failed.passed ? null : failed.expected
  return step.checks.length > 0 ? null : step.expected?.startsWith('200') === true ? '200' : '4xx'
}

/** A response as one text: `500 in 12 ms`. */
export function responseText(received: Received, expected: string | null = null): string | null {
  const words = wordsOfResponse(received, expected)
  return words === null ? null : `${words.lead} ${words.rest}`.trim()
}

/** Why a step failed, in a line: its first failed expectation, or its message. Null if its status says it already. */
export function failureText(step: FlowRunStep): string | null {
  if (!isFailedStep(step) || expectedStatus(step) !== null) return null
  const failed = step.checks.find(({ passed }) => !passed)
  if (failed !== undefined)
    return plainWords(`${failed.field}: expected ${failed.expected}, actual ${failed.actual}`)
  return step.message === '' ? null : plainWords(step.message)
}

/** What happened in a step or with an unexpected delivery, in one line for lists. */
export function receivedWords(
  received: Received & { readonly kind?: string; readonly gaveUp?: boolean },
): string {
  const { arrived, event, kind, gaveUp } = received
  const parts = [
    arrived === null || kind === 'answer'
      ? null
      : arrived.cause === null
        ? arrivedName(arrived)
        : `${arrivedName(arrived)}: ${arrived.cause}`,
    kind === 'answer' ? null : attemptWords(received),
    arrived === null || kind === 'answer' ? null : factsWords(event, arrived.facts),
    responseText(received),
    gaveUp === true ? 'Gave up: delivery abandoned' : null,
  ]
  return parts.filter((one) => one !== null).join(' · ')
}

// Which steps are drawn

/** Whether a step can't apply: your handler's responses without a handler. They are counted, not drawn. */
export function isWithoutHandler(step: FlowPlanStep, handler: string | null): boolean {
  return isRunStep(step) && handler === null && step.kind === 'answer' && step.outcome === 'skip'
}

/** Whether the next step draws it: the attacker's preparation of the forged delivery that follows. */
export function isInNext(step: FlowPlanStep, next: FlowPlanStep | undefined): boolean {
  if (step.kind !== 'trigger' || next?.kind !== 'delivery' || next.from !== 'attacker') return false
  return !isRunStep(step) || (step.state !== 'running' && !isFailedStep(step))
}

// The header

/** Two words of the header: a bold one with its glyph and color, and the rest. */
export interface Said {
  readonly tone: Tone
  readonly head: string
  readonly rest: string
}

type StoryRun = Pick<FlowRun, 'steps' | 'strays' | 'handler' | 'state' | 'outcome' | 'current'>

/** The verdict of a run: `Passed: as expected`, `Failed at step 7`. */
export function verdictOf(run: StoryRun): Said {
  const { steps, strays, state } = run
  const { tone } = lookOfRun(run)
  const count = (outcome: FlowRunStep['outcome']) =>
    steps.filter((step) => step.outcome === outcome).length
  const passed = count('pass')
  const skipped = count('skip')
  if (state !== 'done') {
    const done = steps.filter((step) => step.state === 'done' && step.outcome !== 'skip').length
    const isOpen = state === 'running' || state === 'paused'
    const rest = isOpen
      ? `step ${Math.min(run.current + 1, steps.length)} of ${steps.length}`
      : `${counted(done, 'step')} done`
    return { tone, head: labelOf(lookOfRun(run)), rest }
  }
  if (run.outcome === 'pass')
    return {
      tone,
      head: 'Passed: as expected',
      rest: `${counted(passed, 'step')}${skipped === 0 ? '' : `, ${skipped} skipped`}`,
    }
  const failed = steps.find(isFailedStep)
  const head =
    failed === undefined
      ? strays.length > 0
        ? 'Failed: unexpected delivery'
        : 'Failed'
      : `Failed at step ${failed.index + 1}`
  return { tone, head, rest: `${counted(passed, 'step')} passed` }
}

const said = (tone: Tone, head: string, rest = ''): Said => ({ tone, head, rest })

/** A response in the shortest form: `500`, `timeout`, `dropped`. */
function shortResponse(response: FlowResponse): string {
  if (response.kind === 'status') return String(response.status)
  return response.kind === 'unreachable' ? 'not reachable' : response.kind
}

/** `handler rejected all 3 with 401`, or that no handler saw them. */
function rejectedWords(steps: readonly FlowRunStep[], handler: string | null): string {
  const statuses = steps.flatMap(({ kind, response }) =>
    kind === 'answer' && response !== null ? [shortResponse(response)] : [],
  )
  if (statuses.length === 0)
    return handler === null ? 'recorded only: no handler in this run' : 'recorded only'
  const same = new Set(statuses).size === 1
  const all = statuses.length === 1 ? 'it' : `all ${statuses.length}`
  return same
    ? `handler rejected ${all} with ${statuses[0] ?? ''}`
    : `handler returned ${statuses.join(', ')}`
}

/** Why a run failed. */
function failureOf(step: FlowRunStep, eventOf: (step: FlowRunStep) => string | null): Said {
  const event = eventOf(step)
  if (step.kind === 'answer') {
    const { response, arrived } = step
    const isForged = arrived !== null && arrived.verdict !== 'valid'
    const isStale = arrived !== null && !isForged && arrived.freshness !== 'fresh'
    const which =
      event === null ? '' : `to ${isForged ? 'an invalid ' : isStale ? 'a stale ' : ''}${event}`
    if (response === null) return said('bad', 'Your handler failed', which)
    if (response.kind === 'status')
      return said('bad', `Your handler returned ${response.status}`, which)
    const how =
      response.kind === 'dropped'
        ? 'dropped the connection'
        : response.kind === 'timeout'
          ? "didn't respond"
          : ''
    return how === ''
      ? said('bad', "Couldn't reach your handler", response.error ?? '')
      : said('bad', `Your handler ${how}`, which)
  }
  if (step.kind === 'delivery' && step.outcome === 'missing')
    return said('bad', `${event ?? step.title} not received`)
  return said(
    'bad',
    event === null ? plainWords(step.title) : `${event} differs`,
    failureText(step) ?? '',
  )
}

/** The finished deliveries of a run, without those that only went on to your handler. */
function deliveriesOf({ steps }: StoryRun): readonly FlowRunStep[] {
  return steps.filter(
    ({ kind, state, deliveryId }) => kind === 'delivery' && state === 'done' && deliveryId !== null,
  )
}

const elapsed = (from: FlowRunStep | undefined, to: FlowRunStep | undefined): number =>
  from?.businessAt == null || to?.businessAt == null
    ? 0
    : Math.max(0, Date.parse(to.businessAt) - Date.parse(from.businessAt))

/** Attempts that failed, in order, and whether a later one succeeded. */
function attemptsStory(deliveries: readonly FlowRunStep[]): Said | null {
  const answered = deliveries.filter(
    ({ response, arrived }) => response?.by === 'receiver' && arrived?.verdict === 'valid',
  )
  const failed = answered.filter(({ response }) => response?.acknowledged === false)
  if (failed.length === 0) return null
  const retried = answered.filter(({ event }) => failed.some((step) => step.event === event))
  const words = retried.flatMap(({ response }) =>
    response === null ? [] : [shortResponse(response)],
  )
  if (failed.some(({ gaveUp }) => gaveUp))
    return said('bad', 'Delivery abandoned', words.join(', '))
  const last = retried.at(-1)
  if (last?.response?.acknowledged !== true)
    return said('bad', 'Not acknowledged', words.join(', '))
  return said(
    'good',
    `Delivered on attempt ${last.arrived?.attempt ?? retried.length}`,
    `${words.slice(0, -1).join(', ')}, then ${words.at(-1) ?? ''}`,
  )
}

/** Forged, stale and repeated deliveries. */
function unusualStory(
  deliveries: readonly FlowRunStep[],
  { steps, handler }: StoryRun,
): Said | null {
  const answersTo = (some: readonly FlowRunStep[]) =>
    steps.filter(
      ({ kind, deliveryId }) =>
        kind === 'answer' && some.some((one) => one.deliveryId === deliveryId),
    )
  const forged = deliveries.filter(({ arrived }) => arrived !== null && arrived.verdict !== 'valid')
  if (forged.length > 0)
    return said(
      'bad',
      counted(forged.length, 'forged delivery', 'forged deliveries'),
      rejectedWords(answersTo(forged), handler),
    )
  const stale = deliveries.filter(
    ({ arrived }) => arrived !== null && arrived.freshness !== 'fresh',
  )
  if (stale.length > 0)
    return said(
      'warn',
      counted(stale.length, 'stale delivery', 'stale deliveries'),
      rejectedWords(answersTo(stale), handler),
    )
  const repeated = deliveries.filter(({ arrived }) => arrived?.duplicateOf != null)
  if (repeated.length === 0) return null
  const statuses = steps.flatMap(({ kind, response }) =>
    kind === 'answer' && response !== null ? [shortResponse(response)] : [],
  )
  return said(
    'warn',
    counted(repeated.length, 'duplicate delivery', 'duplicate deliveries'),
    statuses.length === 0 ? '' : `handler returned ${statuses.join(', ')}`,
  )
}

/** What the payloads tell: a purchase and its clearing, a refund, a card, locations. */
function businessStory(deliveries: readonly FlowRunStep[]): Said | null {
  const last = (...events: readonly string[]) =>
    deliveries.findLast(({ event }) => event !== null && events.includes(event))
  const money = (step: FlowRunStep | undefined, which: 'amount' | 'cashback') => {
    const facts = step?.arrived?.facts
    const value = facts?.[which] ?? null
    return value === null ? '' : amountText(value, facts?.currency ?? '')
  }
  const auth = last('transaction.auth.qualified', 'transaction.auth')
  const refund = last('transaction.refund', 'transaction.refund.qualified')
  const cleared = last('transaction.clearing.qualified', 'transaction.clearing')
  if (refund !== undefined) return said('good', 'Purchase refunded', money(refund, 'amount'))
  if (cleared !== undefined) {
    const later = elapsed(auth, cleared)
    const after = later === 0 ? '' : `${timeWords(later)} later`
    const cashback = money(cleared, 'cashback')
    if (cashback !== '')
      return said(
        'good',
        'Purchase qualified',
        [`${cashback} cashback`, after === '' ? '' : `cleared ${after}`].filter(Boolean).join(', '),
      )
    return said(
      'good',
      'Purchase cleared',
      [money(cleared, 'amount'), after].filter(Boolean).join(', '),
    )
  }
  if (auth !== undefined) return said('good', 'Purchase authorized', money(auth, 'amount'))
  const failed = last('card.failed')
  if (failed !== undefined)
    return said('bad', 'Card link failed', failed.arrived?.facts?.status ?? '')
  const card = last('card.linked')
  if (card !== undefined)
    return said('good', 'Card linked', factsWords(card.event, card.arrived?.facts ?? null) ?? '')
  return locationStory(deliveries)
}

function locationStory(deliveries: readonly FlowRunStep[]): Said | null {
  const locations = deliveries.filter(({ event }) => event === 'location.status')
  if (locations.length === 0) {
    const consent = deliveries.some(({ event }) => event === 'brand.consent')
    return consent ? said('good', 'Brand consent received') : null
  }
  const active = locations.filter(
    ({ arrived }) => arrived?.facts?.status === 'location.active',
  ).length
  const failed = locations.filter(
    ({ arrived }) => arrived?.facts?.status?.includes('failed') === true,
  ).length
  const head =
    active === 0
      ? counted(locations.length, 'location report')
      : `${counted(active, 'scheme')} active`
  return said(failed > 0 ? 'warn' : 'good', head, failed > 0 ? `${failed} failed` : '')
}

/** What happened in a run, whatever was expected: `Delivery abandoned`, `500, timeout, dropped`. */
export function happenedIn(run: StoryRun): Said {
  const { steps, strays, state } = run
  const eventOf = (step: FlowRunStep) =>
    step.event ??
    steps.find(
      ({ kind, deliveryId }) =>
        kind === 'delivery' && deliveryId !== null && deliveryId === step.deliveryId,
    )?.event ??
    null
  const failed = steps.find(isFailedStep)
  if (failed !== undefined) return failureOf(failed, eventOf)
  const [stray] = strays
  if (stray !== undefined) return said('bad', strayTitle(stray), plainWords(stray.message))
  const deliveries = deliveriesOf(run)
  const isKnown = deliveries.some(({ arrived }) => arrived !== null)
  const story = isKnown
    ? (attemptsStory(deliveries) ?? unusualStory(deliveries, run) ?? businessStory(deliveries))
    : null
  const tone: Tone = state === 'done' ? 'good' : 'neutral'
  if (story !== null) return state === 'done' || story.tone !== 'good' ? story : { ...story, tone }
  if (deliveries.length === 0)
    return said('neutral', state === 'done' ? 'Nothing received' : 'Nothing received yet')
  return said(isKnown ? tone : 'neutral', `${deliveryCount(deliveries.length)} received`)
}

/** The same as one line. */
export function happenedWords(run: StoryRun): string {
  const { head, rest } = happenedIn(run)
  if (rest === '') return head
  return rest.startsWith('to ') ? `${head} ${rest}` : `${head}: ${rest}`
}

/** `Unexpected card.linked`, `Duplicate card.linked`. */
export function strayTitle({ event, kind }: Pick<FlowStray, 'event' | 'kind'>): string {
  return `${kind === 'duplicate' ? 'Duplicate' : 'Unexpected'} ${event ?? 'delivery'}`
}
