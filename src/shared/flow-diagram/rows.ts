/** The rows of a flow's diagram: what each step, delivery and wait draws between the lifelines. */
import type { FlowActor, FlowPlanStep, FlowRunStep, FlowStray } from '../model/flow.ts'
import { eventTint } from '../service/event-type.ts'
import { MAX_ATTEMPTS } from '../service/limits.ts'
import {
  arrow,
  between,
  FIRST_LINE,
  icon,
  inkText,
  outline,
  part,
  type ArrowStyle,
  type IconName,
  type Ink,
  type LegendMark,
  type Part,
} from './parts.ts'
import {
  arrivedName,
  attemptWords,
  expectedStatus,
  factLines,
  factsWords,
  failureText,
  inkOfArrived,
  inkOfResponse,
  isRecordedOnly,
  isRunStep,
  textLine,
  responseText,
  strayTitle,
  wordsOfResponse,
  type Received,
} from './story.ts'
import { plainWords, timeWords } from './words.ts'

/** The look of a step before or after it ran. */
export type Look = 'planned' | 'running' | 'pass' | 'fail' | 'skip' | 'missing' | 'stray'

/** A step or an unexpected delivery, with its moments in sandbox time and real time. */
export interface DrawnItem {
  readonly step: FlowPlanStep | null
  readonly stray: FlowStray | null
  readonly businessAt: string | null
  readonly at: string | null
}

/** What a row says and draws, before its times and verdict. */
export interface RowDraft extends Partial<DrawnItem> {
  readonly kind: 'action' | 'delivery' | 'wait' | 'check' | 'gave-up'
  readonly look: Look
  /** The title as text. */
  readonly label: string
  readonly from: FlowActor
  readonly to: FlowActor
  /** The response as text, if one is drawn. */
  readonly response?: string | null
  /** More text, for readers who can't see the drawing: what arrived, or why it failed. */
  readonly details: readonly string[]
  readonly drawing: readonly Part[]
  readonly marks?: readonly LegendMark[]
  readonly isTimed: boolean
}

export function lookOf(step: FlowPlanStep): Look {
  if (!isRunStep(step)) return 'planned'
  return step.outcome ?? (step.state === 'running' ? 'running' : 'planned')
}

const badLooks = new Set<Look>(['fail', 'missing', 'stray'])
export const isBadLook = (look: Look): boolean => badLooks.has(look)
const isQuietLook = (look: Look) => look === 'planned' || look === 'skip'

/** The row's verdict, at its right edge. */
export function verdictPart(look: Look): Part | null {
  if (look === 'pass') return part('verdict', icon('check', 'ok'))
  if (isBadLook(look))
    return part('verdict', icon('cross', 'bad'), inkText('Failed', 'bold', 'bad'))
  if (look === 'skip') return part('verdict', icon('skip', 'subtle'))
  return look === 'running' ? part('verdict', icon('running', 'accent')) : null
}

/** The grid's line of a participant's lifeline. */
export const gridLine = (lanes: readonly FlowActor[], actor: FlowActor): number =>
  FIRST_LINE + lanes.indexOf(actor)

/** A name that may break after its dots. */
function nameParts(text: string): Part[] {
  const [first = '', ...rest] = text.split(/(?<=\.)(?=[a-z])/)
  return [first, ...rest.flatMap((piece): Part[] => [{ kind: 'break' }, piece])]
}

const failureLines = (failure: string | null): Part[] =>
  failure === null ? [] : [textLine(inkText(failure, 'plain', 'bad'))]

/** What someone does: a thin arrow. */
export function actionRow(
  step: FlowPlanStep,
  item: DrawnItem,
  lanes: readonly FlowActor[],
): RowDraft {
  const look = lookOf(step)
  const ends = [gridLine(lanes, step.from), gridLine(lanes, step.to)] as const
  const label = plainWords(step.title)
  const failure = isRunStep(step) ? failureText(step) : null
  const isQuiet = isQuietLook(look)
  const ink = look === 'fail' ? 'bad' : isQuiet ? 'subtle' : 'muted'
  const place = between(...ends)
  return {
    ...item,
    kind: 'action',
    look,
    label,
    from: step.from,
    to: step.to,
    details: failure === null ? [] : [failure],
    drawing: [
      part(`text title ${place}`, inkText(label, 'bold', isQuiet ? 'subtle' : 'plain')),
      arrow(isQuiet ? 'planned' : 'action', ends, ink),
      part(`text content ${place}`, ...failureLines(failure)),
    ],
    isTimed: true,
  }
}

/** A statement about one participant, in a box on its lifeline. */
export function checkRow(
  step: FlowPlanStep,
  item: DrawnItem,
  lanes: readonly FlowActor[],
): RowDraft {
  const look = lookOf(step)
  const label = plainWords(step.title)
  const failure = isRunStep(step) ? failureText(step) : null
  const isCheck = step.kind === 'check'
  const lane = lanes.indexOf(step.from)
  const edge =
    lanes.length === 1 ? '' : lane === 0 ? ' is-first' : lane === lanes.length - 1 ? ' is-last' : ''
  const place = edge === '' ? ` at-${FIRST_LINE + lane}` : edge
  const title = inkText(label, isCheck ? 'plain' : 'bold', isQuietLook(look) ? 'subtle' : 'plain')
  return {
    ...item,
    kind: 'check',
    look,
    label,
    from: step.from,
    to: step.to,
    details: failure === null ? [] : [failure],
    drawing: [
      part(
        `note${place}${isBadLook(look) ? ' is-bad' : ''}`,
        textLine(title),
        ...failureLines(failure),
      ),
    ],
    isTimed: !isCheck,
  }
}

/** The delivery of a step, or an unexpected one. */
function receivedOf({ step, stray }: DrawnItem, steps: readonly FlowPlanStep[]): Received {
  if (stray !== null) return stray
  if (step === null) return { event: null, arrived: null, response: null }
  const known = isRunStep(step) ? step : { arrived: null, response: null }
  return { event: eventOf(step, steps), arrived: known.arrived, response: known.response }
}

/** The event of a step. A response concerns the delivery that went to your handler. */
function eventOf(step: FlowPlanStep, steps: readonly FlowPlanStep[]): string | null {
  if (step.event !== null || step.kind !== 'answer') return step.event
  const id = isRunStep(step) ? step.deliveryId : null
  const same = steps.find(
    (other) =>
      other.kind === 'delivery' && isRunStep(other) && id !== null && other.deliveryId === id,
  )
  return same?.event ?? null
}

const iconOfInk: Readonly<Partial<Record<Ink, IconName>>> = {
  ok: 'valid',
  bad: 'invalid',
  warn: 'stale',
  muted: 'unknown',
}
const markOfInk: Readonly<Partial<Record<Ink, LegendMark>>> = {
  ok: 'valid',
  bad: 'invalid',
  warn: 'stale',
  muted: 'unsigned',
}

function markOfResponse(received: Received): LegendMark | null {
  const { response } = received
  if (response === null) return null
  if (isRecordedOnly(received)) return 'recorded'
  if (response.kind === 'timeout') return 'timeout'
  if (response.kind !== 'status') return 'dropped'
  if (response.acknowledged) return response.status === 200 ? 'acknowledged' : 'acknowledged-2xx'
  return (response.status ?? 0) >= 400 ? 'refused' : 'not-acknowledged'
}

/** What arrived, in words: `valid`, `invalid: signed with another secret`. */
function arrivedWords({ arrived }: Received): string | null {
  if (arrived === null) return null
  const name = arrivedName(arrived).toLowerCase()
  return arrived.cause === null ? name : `${name}: ${arrived.cause}`
}

/** What is wrong with a delivery, and its payload. */
function arrivedLines({ arrived }: Received, from: FlowActor): Part[] {
  if (arrived === null) return []
  const ink = inkOfArrived(arrived, from)
  const name = arrivedName(arrived)
  const trouble =
    ink === 'ok'
      ? []
      : [
          textLine(
            inkText(arrived.cause === null ? name : `${name}:`, 'bold', ink),
            ...(arrived.cause === null ? [] : [inkText(arrived.cause, 'plain', ink)]),
          ),
        ]
  return [...trouble, ...factLines(arrived.facts)]
}

/** The lines between a delivery's request and its response. */
function contentOf({ step, stray }: DrawnItem, received: Received): Part[] {
  if (stray !== null)
    return [...arrivedLines(received, 'service'), ...failureLines(plainWords(stray.message))]
  if (step === null) return []
  const isForwarded = step.kind === 'answer'
  const content = isForwarded ? [] : arrivedLines(received, step.from)
  if (!isRunStep(step)) return content
  if (received.arrived === null && !isForwarded && step.told !== null)
    content.push(textLine(inkText(step.told, 'plain', 'muted')))
  if (step.outcome === 'missing') content.push(textLine(inkText('Not received', 'bold', 'bad')))
  const isInResponse =
    isForwarded && received.response !== null && received.response.kind !== 'status'
  if (!isInResponse) content.push(...failureLines(failureText(step)))
  if (step.outcome === 'skip')
    content.push(textLine(inkText(plainWords(step.message) || 'Skipped', 'plain', 'subtle')))
  return content
}

/** The response on its way back: its words, its arrow, and a bar on the lifeline while the request was handled. */
function responseParts(
  received: Received,
  expected: string | null,
  [from, to]: readonly [number, number],
): Part[] {
  const { response } = received
  const words = wordsOfResponse(received, expected)
  if (response === null || words === null) return []
  const ink = inkOfResponse(received)
  const isQuiet = ink === 'subtle'
  const [style, glyph]: [ArrowStyle, IconName | null] =
    response.kind === 'status'
      ? ['back', isQuiet ? null : ink === 'ok' ? 'valid' : 'invalid']
      : ['back cut', response.kind === 'timeout' ? 'timeout' : 'dropped']
  return [
    part(`busy at-${to}`),
    part(
      `text response ${between(from, to)}`,
      inkText(words.lead, isQuiet ? 'plain' : 'bold', isQuiet ? 'muted' : ink),
      ...(words.rest === '' ? [] : [inkText(` ${words.rest}`, 'plain', 'muted')]),
    ),
    arrow(style, [to, from], ink, glyph),
  ]
}

/** A delivery: its request, what it says, and the response. */
export function deliveryRow(
  item: DrawnItem,
  lanes: readonly FlowActor[],
  steps: readonly FlowPlanStep[],
): RowDraft {
  const { step, stray } = item
  const look: Look = step === null ? 'stray' : lookOf(step)
  const run = step !== null && isRunStep(step) ? step : null
  const received = receivedOf(item, steps)
  const { event, arrived } = received
  const from: FlowActor = step?.from ?? 'service'
  const to: FlowActor = step?.to ?? 'receiver'
  const ends = [gridLine(lanes, from), gridLine(lanes, to)] as const
  const place = between(...ends)
  const isOpen = isQuietLook(look) || look === 'running' || look === 'missing'

  // The name in the event's tint, behind a dot.
  const tint: Ink = event === null ? 'plain' : (eventTint(event) ?? 'plain')
  const planned =
    step !== null && arrived === null ? (/attempt (\d)/.exec(step.title)?.[1] ?? null) : null
  const attempt =
    step?.kind === 'answer'
      ? null
      : planned === null
        ? attemptWords(received)
        : `attempt ${planned} of ${MAX_ATTEMPTS}`
  const extra = stray?.kind ?? attempt
  const isFaint = isOpen && look !== 'missing' && event === null
  const title = [
    ...(event === null ? [] : [part(`dot i-${tint === 'plain' ? 'muted' : tint}`)]),
    part(
      `bold i-${isFaint ? 'subtle' : tint}`,
      ...nameParts(event ?? plainWords(step?.title ?? 'Delivery')),
    ),
    ...(extra === null ? [] : [inkText(` ${extra}`, 'plain', stray === null ? 'muted' : 'bad')]),
  ]

  const ink: Ink = !isOpen
    ? inkOfArrived(arrived, from)
    : look === 'missing'
      ? 'bad'
      : look === 'running'
        ? 'accent'
        : 'subtle'
  const isDelivered = !isOpen && arrived !== null
  const glyph = isDelivered ? (iconOfInk[ink] ?? null) : look === 'missing' ? 'unknown' : null
  const expected = run === null ? null : expectedStatus(run)
  const back = isOpen ? null : markOfResponse(received)
  const isForwarded = step?.kind === 'answer'
  const failure = stray === null ? run && failureText(run) : plainWords(stray.message)
  return {
    ...item,
    kind: 'delivery',
    look,
    label:
      step === null
        ? strayTitle(stray ?? { event: null, kind: 'unexpected' })
        : plainWords(step.title),
    from,
    to,
    response: isOpen ? null : responseText(received, expected),
    details: [
      isForwarded ? event : null,
      attempt === null || step?.title.includes('attempt') === true ? null : attempt,
      ...(isOpen || isForwarded
        ? []
        : [arrivedWords(received), factsWords(event, arrived?.facts ?? null)]),
      arrived === null ? (run?.told ?? null) : null,
      failure,
    ].filter((detail) => detail !== null),
    drawing: [
      part(`text title ${place}`, ...title),
      arrow(isOpen ? 'planned' : 'request', ends, ink, glyph),
      part(`text content ${place}`, ...contentOf(item, received)),
      ...(isOpen ? [] : responseParts(received, expected, ends)),
    ],
    marks: [
      ...(isDelivered && markOfInk[ink] !== undefined ? [markOfInk[ink]] : []),
      ...(back === null ? [] : [back]),
    ],
    isTimed: true,
  }
}

/** The service stops after the last failed attempt. */
export function gaveUpRow(
  item: DrawnItem,
  step: FlowRunStep,
  lanes: readonly FlowActor[],
): RowDraft {
  const label = `Gave up after attempt ${step.arrived?.attempt ?? MAX_ATTEMPTS}`
  const detail = 'Delivery abandoned. No more retries.'
  const ms = step.response?.ms ?? 0
  const later = (iso: string | null) =>
    iso === null ? null : new Date(Date.parse(iso) + ms).toISOString()
  const at = gridLine(lanes, step.from)
  return {
    kind: 'gave-up',
    look: 'pass',
    label,
    from: step.from,
    to: step.from,
    details: [detail],
    drawing: [
      part(`terminal i-bad at-${at}`, icon('cross', 'bad')),
      part(
        `text at-${at} to-${FIRST_LINE + lanes.length}`,
        textLine(inkText(label, 'bold', 'bad')),
        textLine(inkText(detail, 'plain', 'muted')),
      ),
    ],
    marks: ['gave-up'],
    businessAt: later(item.businessAt),
    at: later(item.at),
    isTimed: true,
  }
}

const DAY_MS = 86_400_000

/** `24 h`, `2 d 8 h`. */
export function waitLength(ms: number): string {
  return ms === DAY_MS ? '24 h' : timeWords(ms)
}

/** What a pause leads to. */
export function waitUntil(step: FlowPlanStep | null, stray: FlowStray | null): string {
  const event = step?.event ?? stray?.event ?? null
  const attempt = step !== null && isRunStep(step) ? step.arrived?.attempt : undefined
  const number = attempt ?? Number(/attempt (\d)/.exec(step?.title ?? '')?.[1] ?? 1)
  if (number > 1) return number === MAX_ATTEMPTS ? 'until last retry' : 'until retry'
  const [, phase] = event?.split('.') ?? []
  if (event?.startsWith('transaction.') === true && phase !== undefined) return `until ${phase}`
  return event === null ? 'later' : `until ${event}`
}

interface Wait {
  readonly label: string
  readonly detail: string | null
  readonly look: Look
  /** The share that has passed; null unless it is running. */
  readonly progress: number | null
}

/** Time that passes: a band with its length, on which the lifelines are interrupted. */
export function waitRow(
  { label, detail, look, progress }: Wait,
  lanes: readonly FlowActor[],
): RowDraft {
  const bar = progress === null ? [] : [outline('passed', '0 0 1 1', `M0 0H${progress}V1H0z`)]
  return {
    kind: 'wait',
    look,
    label,
    from: lanes[0] ?? 'service',
    to: lanes.at(-1) ?? 'service',
    details: detail === null ? [] : [detail],
    drawing: [
      ...lanes.map((_, index) =>
        outline(`zigzag at-${FIRST_LINE + index}`, '-6 0 12 24', 'M0 0v4l5 4l-10 8l5 4v4'),
      ),
      ...bar,
      part(
        'length',
        part(`bold i-${look === 'planned' ? 'subtle' : 'plain'}`, ...nameParts(label)),
        ...(detail === null ? [] : [inkText(detail, 'plain', 'muted')]),
      ),
    ],
    isTimed: false,
  }
}
