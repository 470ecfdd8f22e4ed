/** The rows of a flow's diagram: what each step, delivery and wait draws between the lanes. */
import type { FlowActor } from '../model/flow.ts'
import type { FlowPlanStep, FlowResponse, FlowRunStep, FlowStray } from '../model/flow-run.ts'
import { eventTint } from '../service/event-type.ts'
import { MAX_ATTEMPTS } from '../service/limits.ts'
import {
  actionShapes,
  droppedShapes,
  firstFitting,
  gaveUpShapes,
  line,
  requestShapes,
  returnShapes,
  inkText,
  timeoutShapes,
  zigzag,
  type IconName,
  type InkedText,
  type LegendMark,
  type Shape,
} from './shapes.ts'
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
  responseText,
  strayTitle,
  wordsOfResponse,
  type Ink,
  type Received,
} from './story.ts'
import { cutToWidth, partsWidth, textWidth, wrapParts } from './text-width.ts'
import { plainWords, timeWords } from './words.ts'

export interface Lane {
  readonly actor: FlowActor
  readonly label: string
  /** The saved handler's name. */
  readonly name: string | null
  readonly x: number
  /** Half of the head's width. */
  readonly half: number
}

/** The look of a step before or after it ran. */
export type Look = 'planned' | 'running' | 'pass' | 'fail' | 'skip' | 'missing' | 'stray'

export interface DiagramRow {
  readonly kind: 'action' | 'delivery' | 'wait' | 'check' | 'gave-up'
  readonly top: number
  readonly height: number
  readonly look: Look
  /** The title as text. */
  readonly label: string
  /** All of it as text. */
  readonly words: string
  readonly from: FlowActor
  readonly to: FlowActor
  /** The response as text, if one is drawn. */
  readonly response: string | null
  /** More text for a drawing without colors: what arrived, or why it failed. */
  readonly details: readonly string[]
  /** Relative to the row's top. The times are apart: they stay while the rest scrolls sideways. */
  readonly lives: readonly Shape[]
  readonly times: readonly Shape[]
  readonly shapes: readonly Shape[]
  readonly marks: readonly LegendMark[]
  /** Its color in the overview of a narrow window. */
  readonly ink: Ink
  readonly businessTime: string | null
  readonly realTime: string | null
  /** The step of this row; null for pauses and unexpected deliveries. */
  readonly step: number | null
  readonly deliveryId: string | null
}

export const TIMES_WIDTH = 136
/** The "As expected" column. */
export const VERDICT_WIDTH = 80
export const LEFT = 16
export const LABEL_Y = 18
const ARROW_Y = 28
export const LINE = 16
/** From a lifeline to its text, and from the text to the next lifeline. */
const INDENT = 12
const OUTDENT = 8
export const WAIT_HEIGHT = 52
const GAVE_UP_HEIGHT = 48
const CHECK_HEIGHT = 40
const DAY_MS = 86_400_000

export interface DrawnItem {
  readonly step: FlowPlanStep | null
  readonly stray: FlowStray | null
  readonly businessAt: string | null
  readonly at: string | null
}

export function lookOf(step: FlowPlanStep): Look {
  if (!isRunStep(step)) return 'planned'
  return step.outcome ?? (step.state === 'running' ? 'running' : 'planned')
}

/** What a row draws, before its place is known. */
export interface RowDraft {
  readonly kind: DiagramRow['kind']
  readonly height: number
  readonly look: Look
  readonly label: string
  readonly from: FlowActor
  readonly to: FlowActor
  readonly shapes: readonly Shape[]
  readonly response?: string | null
  readonly details?: readonly string[]
  readonly marks?: readonly LegendMark[]
  readonly ink?: Ink
  readonly step?: FlowPlanStep | null
  readonly stray?: FlowStray | null
  readonly businessAt?: string | null
  readonly at?: string | null
  /** The baseline of the times; null for none. */
  readonly timeY?: number | null
  /** The baseline of the verdict. */
  readonly verdictY?: number
}

export const badLooks = new Set<Look>(['fail', 'missing', 'stray'])

/** The row's verdict, at its right edge. */
export function verdictShapes(look: Look, width: number, y: number): Shape[] {
  const x = width - VERDICT_WIDTH / 2
  const icon = (name: IconName, ink: Ink, at = x): Shape => ({
    kind: 'icon',
    icon: name,
    x: at,
    y: y - 4,
    size: 14,
    ink,
    onLine: false,
  })
  if (look === 'pass') return [icon('check', 'ok')]
  if (badLooks.has(look))
    return [icon('cross', 'bad', x - 21), line(x - 10, y, [inkText('Failed', 'bold', 'bad')])]
  if (look === 'skip') return [icon('skip', 'subtle')]
  return look === 'running' ? [icon('running', 'accent')] : []
}

export interface RowPlace {
  readonly lanes: readonly Lane[]
  readonly width: number
  readonly isRoomy: boolean
}

function xOf({ lanes }: RowPlace, actor: FlowActor): number {
  return lanes.find((lane) => lane.actor === actor)?.x ?? 0
}

/** The room for text right of a lifeline. */
function roomAt({ lanes, width }: RowPlace, x: number): number {
  const next = lanes.find((lane) => lane.x > x)?.x ?? width - VERDICT_WIDTH
  return next - x - INDENT - OUTDENT
}

const inkOfLook: Readonly<Record<Look, Ink>> = {
  planned: 'subtle',
  running: 'accent',
  pass: 'muted',
  fail: 'bad',
  skip: 'subtle',
  missing: 'bad',
  stray: 'bad',
}

function textLines(lines: readonly (readonly InkedText[])[], x: number, y: number): Shape[] {
  return lines.map((parts, index) => line(x, y + index * LINE, parts))
}

const wrapped = (parts: readonly InkedText[], room: number, most: number) =>
  wrapParts(parts, room, most) as InkedText[][]

/** What someone does: a thin arrow, or a box if it concerns one lane only. */
export function actionRow(step: FlowPlanStep, item: DrawnItem, place: RowPlace): RowDraft {
  const look = lookOf(step)
  const [from, to] = [xOf(place, step.from), xOf(place, step.to)]
  const label = plainWords(step.title)
  const failure = isRunStep(step) ? failureText(step) : null
  const left = Math.min(from, to)
  const room = roomAt(place, left)
  const isQuiet = look === 'planned' || look === 'skip'
  const titles = wrapped([inkText(label, 'bold', isQuiet ? 'subtle' : 'plain')], room, 3)
  const reasons = failure === null ? [] : wrapped([inkText(failure, 'plain', 'bad')], room, 4)
  const y = ARROW_Y + (titles.length - 1) * LINE
  return {
    kind: 'action',
    height: y + (reasons.length === 0 ? 16 : LABEL_Y + (reasons.length - 1) * LINE + 12),
    look,
    label,
    from: step.from,
    to: step.to,
    details: failure === null ? [] : [failure],
    shapes: [
      ...actionShapes(from, to, y, look === 'fail' ? 'bad' : isQuiet ? 'subtle' : 'muted', isQuiet),
      ...textLines(titles, left + INDENT, LABEL_Y),
      ...textLines(reasons, left + INDENT, y + LABEL_Y),
    ],
    ink: inkOfLook[look],
    ...item,
  }
}

/** A statement about one lane, in a box on its lifeline. */
export function checkRow(step: FlowPlanStep, item: DrawnItem, place: RowPlace): RowDraft {
  const look = lookOf(step)
  const label = plainWords(step.title)
  const failure = isRunStep(step) ? failureText(step) : null
  const least = TIMES_WIDTH + 4
  const most = place.width - VERDICT_WIDTH - 4
  const room = Math.min(360, most - least - 28)
  const isQuiet = look === 'planned' || look === 'skip'
  const lines = [
    ...wrapped(
      [inkText(label, step.kind === 'check' ? 'plain' : 'bold', isQuiet ? 'subtle' : 'plain')],
      room,
      3,
    ),
    ...(failure === null ? [] : wrapped([inkText(failure, 'plain', 'bad')], room, 4)),
  ]
  const boxWidth =
    Math.ceil(
      Math.max(
        ...lines.map((parts) =>
          parts.reduce((sum, part) => sum + textWidth(part.text, part.font), 0),
        ),
      ),
    ) + 28
  const middle = Math.max(
    least + boxWidth / 2,
    Math.min(most - boxWidth / 2, xOf(place, step.from)),
  )
  const boxHeight = lines.length * LINE + 8
  const top = (CHECK_HEIGHT - 24) / 2
  const isTimed = step.kind !== 'check'
  return {
    kind: 'check',
    height: boxHeight + 2 * top,
    look,
    label,
    from: step.from,
    to: step.to,
    details: failure === null ? [] : [failure],
    shapes: [
      {
        kind: 'box',
        as: 'note',
        x: middle - boxWidth / 2,
        y: top,
        width: boxWidth,
        height: boxHeight,
        radius: 6,
        ...(badLooks.has(look) ? { ink: 'bad' } : {}),
      },
      ...lines.map((parts, index): Shape => ({
        kind: 'text',
        x: middle,
        y: top + LINE * (index + 1),
        parts,
        anchor: 'middle',
      })),
    ],
    verdictY: top + LINE,
    timeY: isTimed ? LABEL_Y : null,
    ink: inkOfLook[look],
    ...item,
  }
}

/** An older run's response, from its words. */
function oldResponse(step: FlowRunStep): FlowResponse | null {
  if (step.kind !== 'answer' || step.got === null || step.outcome === 'skip') return null
  const [, status, ms] = /^(\d{3}) after (\d+) ms$/.exec(step.got) ?? []
  const base = { by: 'handler', sendId: null, error: null } as const
  if (status === undefined)
    return {
      ...base,
      kind: 'dropped',
      status: null,
      ms: null,
      acknowledged: false,
      error: step.got,
    }
  return {
    ...base,
    kind: 'status',
    status: Number(status),
    ms: Number(ms),
    acknowledged: status === '200',
  }
}

/** The delivery of a step or an unexpected one, also for runs stored before the details were recorded. */
function receivedOf(
  step: FlowPlanStep | null,
  stray: FlowStray | null,
  steps: readonly FlowPlanStep[],
): Received {
  if (stray !== null) return stray
  if (step === null || !isRunStep(step))
    return { event: step === null ? null : eventOf(step, steps), arrived: null, response: null }
  return {
    event: eventOf(step, steps),
    arrived: step.arrived,
    response: step.response ?? oldResponse(step),
  }
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

const glyphOfInk: Readonly<Partial<Record<Ink, IconName>>> = {
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

/** The lines between a delivery's request and its response. */
function contentOf(
  step: FlowPlanStep | null,
  stray: FlowStray | null,
  received: Received,
  room: number,
): (readonly InkedText[])[] {
  const { arrived } = received
  const lines: (readonly InkedText[])[] = []
  const isForwarded = step?.kind === 'answer'
  if (arrived !== null && !isForwarded) {
    const ink = inkOfArrived(arrived, step?.from ?? 'service')
    if (ink !== 'ok') {
      const name = arrivedName(arrived)
      const parts =
        arrived.cause === null
          ? [inkText(name, 'bold', ink)]
          : [inkText(`${name}:`, 'bold', ink), inkText(arrived.cause, 'plain', ink, 4)]
      lines.push(...wrapped(parts, room, 3))
    }
    for (const fact of factLines(arrived.facts)) {
      if (fact.kind === 'row') {
        const value = textWidth(fact.value, 'mono')
        const names = textWidth('Cashback')
        const column = Math.min(room, Math.max(140, names + 12 + value))
        const gap = Math.max(8, column - textWidth(fact.name) - value)
        const row = [
          inkText(fact.name, 'plain', 'muted'),
          inkText(fact.value, 'mono', fact.ink, gap),
        ]
        const stacked = [
          [inkText(fact.name, 'plain', 'muted')],
          ...wrapped([inkText(fact.value, 'mono', fact.ink)], room, 2),
        ]
        lines.push(...(partsWidth(row) <= room ? [row] : stacked))
      } else {
        const ways = fact.ways.map((parts) =>
          parts.map((part, index) =>
            inkText(part.text, part.isData ? 'mono' : 'plain', part.ink, index === 0 ? 0 : 12),
          ),
        )
        const best = firstFitting(ways, room)
        lines.push(...wrapped(best, room, 2))
      }
    }
  } else if (!isForwarded && step !== null && isRunStep(step) && step.told !== null)
    lines.push(...wrapped([inkText(step.told, 'plain', 'muted')], room, 2))
  if (stray !== null)
    lines.push(...wrapped([inkText(plainWords(stray.message), 'plain', 'bad')], room, 4))
  if (step !== null && isRunStep(step)) {
    if (step.outcome === 'missing')
      lines.push(...wrapped([inkText('Not received', 'bold', 'bad')], room, 1))
    const isInResponse =
      isForwarded && received.response !== null && received.response.kind !== 'status'
    const failure = isInResponse ? null : failureText(step)
    if (failure !== null) lines.push(...wrapped([inkText(failure, 'plain', 'bad')], room, 4))
    if (step.outcome === 'skip')
      lines.push(
        ...wrapped([inkText(plainWords(step.message) || 'Skipped', 'plain', 'subtle')], room, 3),
      )
  }
  return lines
}

/** A delivery: its request, what it says, and the response. */
export function deliveryRow(
  item: DrawnItem,
  place: RowPlace,
  steps: readonly FlowPlanStep[],
): RowDraft {
  const { step, stray } = item
  const look: Look = step === null ? 'stray' : lookOf(step)
  const received = receivedOf(step, stray, steps)
  const { event, arrived, response } = received
  const [fromActor, toActor]: readonly [FlowActor, FlowActor] =
    step === null ? ['service', 'receiver'] : [step.from, step.to]
  const [from, to] = [xOf(place, fromActor), xOf(place, toActor)]
  const x = from + INDENT
  const room = roomAt(place, from)
  const isOpen = look === 'planned' || look === 'skip' || look === 'running' || look === 'missing'
  const hasArrived = !isOpen

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
  const title = event ?? plainWords(step?.title ?? 'Delivery')
  const names = wrapped(
    [inkText(title, 'bold', isOpen && look !== 'missing' && event === null ? 'subtle' : tint)],
    room - 14,
    3,
  )
  const extra = stray !== null ? stray.kind : attempt
  if (extra !== null) {
    const last = names.at(-1) ?? []
    const ink: Ink = stray === null ? 'muted' : 'bad'
    const ways = [extra, extra.replace('attempt ', '')].map((words) => [
      ...last,
      inkText(words, 'plain', ink, 8),
    ])
    const fits = ways.find(
      (parts) =>
        parts.reduce(
          (sum, part, index) =>
            sum + textWidth(part.text, part.font) + (index === 0 ? 0 : part.gap),
          0,
        ) <=
        room - 14,
    )
    if (fits === undefined) names.push([inkText(extra, 'plain', ink)])
    else names[names.length - 1] = fits
  }
  const y = ARROW_Y + (names.length - 1) * LINE

  const ink: Ink = hasArrived
    ? inkOfArrived(arrived, fromActor)
    : look === 'missing'
      ? 'bad'
      : look === 'running'
        ? 'accent'
        : 'subtle'
  const glyph =
    hasArrived && arrived !== null
      ? (glyphOfInk[ink] ?? null)
      : look === 'missing'
        ? 'unknown'
        : null
  const content = contentOf(step, stray, received, room)
  let bottom = content.length === 0 ? y : y + LABEL_Y + (content.length - 1) * LINE
  const shapes: Shape[] = [
    ...(isOpen ? actionShapes(from, to, y, ink, true) : requestShapes(from, to, y, ink, glyph)),
    ...(isOpen && glyph !== null
      ? [{ kind: 'icon', icon: glyph, x: to - 22, y, size: 14, ink, onLine: true } as const]
      : []),
    ...textLines(content, x, y + LABEL_Y),
  ]

  const expected = step !== null && isRunStep(step) ? expectedStatus(step) : null
  const words = hasArrived ? wordsOfResponse(received, expected) : null
  if (response !== null && words !== null) {
    const textY = bottom + (content.length === 0 ? 20 : LABEL_Y)
    const isStatus = response.kind === 'status'
    const back = textY + (isStatus ? 12 : 16)
    const inkBack = inkOfResponse(received)
    const isPlain = inkBack === 'subtle'
    const lead = inkText(words.lead, isPlain ? 'plain' : 'bold', isPlain ? 'muted' : inkBack)
    const ways = words.rests.map((rest) =>
      rest === '' ? [lead] : [lead, inkText(rest, 'plain', 'muted', isPlain ? 3.5 : 6)],
    )
    shapes.push(
      { kind: 'box', as: 'busy', x: to - 1.5, y, width: 4, height: back - y, radius: 1 },
      line(x, textY, firstFitting(ways, room)),
      ...(isStatus
        ? returnShapes(
            to,
            from,
            back,
            inkBack,
            isPlain ? null : inkBack === 'ok' ? 'valid' : 'invalid',
          )
        : response.kind === 'timeout'
          ? timeoutShapes(to, from, back)
          : droppedShapes(to, from, back)),
    )
    bottom = back
  }
  // The dot and the name come last: nothing covers them.
  if (event !== null)
    shapes.push({
      kind: 'dot',
      x: x + 4,
      y: LABEL_Y - 4.5,
      r: 3.5,
      ink: tint === 'plain' ? 'muted' : tint,
    })
  shapes.push(...textLines(names, event === null ? x : x + 14, LABEL_Y))

  const isDelivered = hasArrived && arrived !== null
  const markBack = words === null ? null : markOfResponse(received)
  const failure = step !== null && isRunStep(step) ? failureText(step) : null
  return {
    kind: 'delivery',
    height: bottom + (bottom === y ? 16 : 12),
    look,
    label:
      step === null
        ? strayTitle(stray ?? { event: null, kind: 'unexpected' })
        : plainWords(step.title),
    from: fromActor,
    to: toActor,
    response: words === null ? null : responseText(received, expected),
    details: [
      ...(step?.kind === 'answer' && event !== null ? [event] : []),
      ...(attempt === null || step?.title.includes('attempt') === true ? [] : [attempt]),
      ...(hasArrived && step?.kind !== 'answer'
        ? [arrivedWords(received), factsWords(event, arrived?.facts ?? null)]
        : []),
      step !== null && isRunStep(step) && arrived === null ? step.told : null,
      stray === null ? failure : plainWords(stray.message),
    ].filter((detail) => detail !== null),
    shapes,
    marks: [
      ...(isDelivered && markOfInk[ink] !== undefined ? [markOfInk[ink]] : []),
      ...(markBack === null ? [] : [markBack]),
    ],
    ink: badLooks.has(look)
      ? 'bad'
      : isDelivered
        ? response !== null && response.by === 'handler'
          ? inkOfResponse(received)
          : ink
        : inkOfLook[look],
    ...item,
  }
}

/** The service stops after the last failed attempt. */
export function gaveUpRow(item: DrawnItem, step: FlowRunStep, place: RowPlace): RowDraft {
  const x = xOf(place, step.from)
  const room = roomAt(place, x) - 8
  const attempt = step.arrived?.attempt ?? MAX_ATTEMPTS
  const ms = step.response?.ms ?? 0
  const later = (iso: string | null) =>
    iso === null ? null : new Date(Date.parse(iso) + ms).toISOString()
  const ways = ['Delivery abandoned. No more retries.', 'Delivery abandoned.', 'No more retries.']
  return {
    kind: 'gave-up',
    height: GAVE_UP_HEIGHT,
    look: 'pass',
    label: `Gave up after attempt ${attempt}`,
    from: step.from,
    to: step.from,
    details: ['Delivery abandoned. No more retries.'],
    shapes: [
      ...gaveUpShapes(x + 0.5, GAVE_UP_HEIGHT / 2),
      line(
        x + 20,
        21,
        firstFitting(
          [
            [inkText(`Gave up after attempt ${attempt}`, 'bold', 'bad')],
            [inkText('Gave up', 'bold', 'bad')],
          ],
          room,
        ),
      ),
      line(
        x + 20,
        37,
        firstFitting(
          ways.map((words) => [inkText(words, 'plain', 'muted')]),
          room,
        ),
      ),
    ],
    marks: ['gave-up'],
    ink: 'bad',
    timeY: 21,
    businessAt: later(item.businessAt),
    at: later(item.at),
  }
}

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
  const [, part] = event?.split('.') ?? []
  if (event?.startsWith('transaction.') === true && part !== undefined) return `until ${part}`
  return event === null ? 'later' : `until ${event}`
}

interface Wait {
  readonly label: string
  /** A shorter label, if the first doesn't fit. */
  readonly short: string
  readonly detail: string | null
  readonly look: Look
  readonly progress: number | null
  readonly step: FlowPlanStep | null
}

export function waitRow(
  { label, short, detail, look, progress, step }: Wait,
  place: RowPlace,
): RowDraft {
  const { lanes, width } = place
  const middle = WAIT_HEIGHT / 2
  const room = (lanes[0]?.x ?? width) - LEFT - 14
  const isQuiet = look === 'planned'
  const ink: Ink = isQuiet ? 'subtle' : 'plain'
  const fits = textWidth(label, 'bold') <= room ? label : cutToWidth(short, room / 1.035, 'plain')
  return {
    kind: 'wait',
    height: WAIT_HEIGHT,
    look,
    label,
    from: lanes[0]?.actor ?? 'service',
    to: lanes.at(-1)?.actor ?? 'service',
    details: detail === null ? [] : [detail],
    shapes: [
      { kind: 'box', as: 'band', x: 0, y: 4, width, height: WAIT_HEIGHT - 8, radius: 0 },
      ...(progress === null
        ? []
        : [
            {
              kind: 'box',
              as: 'passed',
              x: 0,
              y: WAIT_HEIGHT - 6,
              width: Math.round(width * progress),
              height: 2,
              radius: 0,
            } as const,
          ]),
      ...lanes.map(({ x }): Shape => ({ kind: 'path', as: 'zigzag', d: zigzag(x + 0.5, middle) })),
      line(LEFT, detail === null ? middle + 4 : 23, [inkText(fits, 'bold', ink)]),
      ...(detail === null
        ? []
        : [line(LEFT, 39, [inkText(cutToWidth(detail, room, 'small'), 'small', 'muted')])]),
    ],
    verdictY: middle + 4,
    timeY: null,
    ink: 'subtle',
    ...(step === null ? {} : { step }),
  }
}
