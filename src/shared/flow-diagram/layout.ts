/**
 * Lays out a flow's sequence diagram: lanes that share the width, a row for each step with its request and response, bands for long
 * waits. Pure: the same run and width give the same drawing on screen and in a file.
 */
import type { FlowActor } from '../model/flow.ts'
import type { FlowPlan, FlowPlanStep, FlowResponse, FlowRun, FlowRunStep, FlowStray } from '../model/flow-run.ts'
import { isFailedStep, labelOf, stepOutcomes } from '../model/outcomes.ts'
import { eventTint } from '../service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, MAX_ATTEMPTS } from '../service/limits.ts'
import { counted } from '../text/counted.ts'
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
  isInNext,
  isRecordedOnly,
  isRunStep,
  isWithoutHandler,
  responseText,
  strayTitle,
  wordsOfResponse,
  type Ink,
  type Received,
} from './story.ts'
import { cutToWidth, partsWidth, textWidth, wrapParts } from './text-width.ts'
import { actorLabels, actorOrder, momentWords, plainWords, timeWords } from './words.ts'

/** A flow before it runs, or a run of it. */
export type Drawn =
  | Pick<FlowPlan, 'title' | 'steps'>
  | Pick<
      FlowRun,
      'title' | 'steps' | 'strays' | 'speed' | 'startedAt' | 'businessStartedAt' | 'clock' | 'handler' | 'handlerName'
    >

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

export interface DiagramLayout {
  readonly title: string
  readonly width: number
  /** Height of all rows. */
  readonly height: number
  readonly lanes: readonly Lane[]
  readonly rows: readonly DiagramRow[]
  readonly marks: readonly LegendMark[]
  /** What isn't drawn: lanes that take no part, steps that don't apply. */
  readonly notes: readonly string[]
}

export interface LayoutOptions {
  /** The room there is; the drawing is wider if its lanes need more. */
  readonly width?: number
  /** The visible height: rows get more space if all of them fit. Without it, they always do. */
  readonly height?: number
}

export const FILE_WIDTH = 940
export const TIMES_WIDTH = 136
/** The "As expected" column. */
export const VERDICT_WIDTH = 80
/** The lane heads, and the space below them. */
export const HEAD_HEIGHT = 52
const LEFT = 16
const LABEL_Y = 18
const ARROW_Y = 28
const LINE = 16
/** From a lifeline to its text, and from the text to the next lifeline. */
const INDENT = 12
const OUTDENT = 8
const WAIT_HEIGHT = 52
const GAVE_UP_HEIGHT = 48
const CHECK_HEIGHT = 40
const ROOMY = 8
/** Least distances between lanes: for a delivery's text, and for the lane heads. */
const LEAST_SPAN = 150
const LEAST_ACTION_SPAN = 100
/** Pauses from this length on, in sandbox time, are drawn as waits. In milliseconds. */
const LONG_MS = 60_000
const DAY_MS = 86_400_000

interface Item {
  readonly step: FlowPlanStep | null
  readonly stray: FlowStray | null
  readonly businessAt: string | null
  readonly at: string | null
}

const since = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))

function lookOf(step: FlowPlanStep): Look {
  if (!isRunStep(step)) return 'planned'
  return step.outcome ?? (step.state === 'running' ? 'running' : 'planned')
}

function itemsOf(drawn: Drawn): Item[] {
  const handler = 'handler' in drawn ? drawn.handler : null
  const steps = drawn.steps
    .filter((step, index) => !isWithoutHandler(step, handler) && !isInNext(step, drawn.steps[index + 1]))
    .map((step): Item => ({
      step,
      stray: null,
      businessAt: isRunStep(step) ? step.businessAt : null,
      at: isRunStep(step) ? step.at : null,
    }))
  const strays = 'strays' in drawn ? drawn.strays : []
  return [...steps, ...strays.map((stray): Item => ({ step: null, stray, businessAt: stray.businessAt, at: stray.at }))]
}

/** Steps that wait for nothing to arrive are drawn as waits. */
function isSilence(step: FlowPlanStep | null): boolean {
  return step?.kind === 'delivery' && step.title.startsWith('no ') && (!isRunStep(step) || step.deliveryId === null)
}

// Lanes

/** The room between two lanes goes to deliveries first: they have the most text. */
function lanesOf(items: readonly Item[], width: number, handlerName: string | null): { lanes: Lane[]; width: number } {
  const taking = new Set<FlowActor>()
  const busy: (readonly [FlowActor, FlowActor])[] = []
  for (const { step, stray } of items) {
    const [from, to] = step === null ? (['service', 'receiver'] as const) : [step.from, step.to]
    taking.add(from).add(to)
    if (stray !== null || step?.kind === 'delivery' || step?.kind === 'answer') busy.push([from, to])
  }
  const actors = actorOrder.filter((actor) => taking.has(actor))
  const isMany = actors.length > 3
  const least = width < 840 ? 92 : isMany ? 104 : 124
  const wanted = actors.map((actor) => {
    const name = actor === 'handler' && handlerName !== null ? textWidth(`@${handlerName}`, 'mono') + 6 : 0
    return Math.max(least, Math.ceil(textWidth(actorLabels[actor], 'bold') + Math.min(name, 100) + 24))
  })
  const area = width - TIMES_WIDTH - VERDICT_WIDTH
  const first = Math.round(Math.max((wanted[0] ?? 0) / 2 + 4, isMany ? 0 : area * 0.127))
  const last = Math.round(Math.max((wanted.at(-1) ?? 0) / 2 + 6, isMany ? 0 : area * 0.116))
  const isBusy = actors.map((_, index) =>
    busy.some(([from, to]) => index > 0 && actors.indexOf(from) < index && actors.indexOf(to) >= index),
  )
  const weights = actors.map((_, index) => (index === 0 ? 0 : isMany && isBusy[index] !== true ? 0.74 : 1.13))
  // Five lanes must fit beside the verdicts of a narrow window, so what people do gets less.
  const isTight = actors.length > 4 && width < 840
  const leastAction = LEAST_ACTION_SPAN - (isTight ? 20 : 0)
  const leasts = actors.map((_, index) => (index === 0 ? 0 : isBusy[index] === true ? LEAST_SPAN : leastAction))
  const total = Math.max(
    area - first - last,
    leasts.reduce<number>((sum, value) => sum + value, 0),
  )
  const spans = sharedOut(weights, leasts, total)
  let x = TIMES_WIDTH + (actors.length === 1 ? area / 2 : first)
  const xs = spans.map((span) => (x += span))
  // Two heads share the span between them by the length of their names.
  const needed = actors.map((actor) => textWidth(actorLabels[actor], 'bold') + 10)
  const halfBeside = (index: number, beside: number, span: number | undefined) => {
    const [own, other] = [needed[index] ?? 0, needed[beside] ?? 0]
    if (span === undefined || other === 0) return Number.POSITIVE_INFINITY
    return span < 130 ? ((span - 6) * own) / (own + other) : (span - 6) / 2 + 12
  }
  const lanes = actors.map((actor, index): Lane => {
    const half = Math.min(
      (wanted[index] ?? 0) / 2,
      index === 0 ? Number.POSITIVE_INFINITY : halfBeside(index, index - 1, spans[index]),
      halfBeside(index, index + 1, spans[index + 1]),
    )
    return {
      actor,
      label: actorLabels[actor],
      name: actor === 'handler' ? handlerName : null,
      x: Math.round(xs[index] ?? 0),
      half: Math.floor(half),
    }
  })
  const taken = TIMES_WIDTH + first + spans.reduce((sum, span) => sum + span, 0) + last + VERDICT_WIDTH
  return { lanes, width: Math.max(width, Math.round(taken)) }
}

/** Shares a length by weight; none gets less than its least. */
function sharedOut(weights: readonly number[], leasts: readonly number[], total: number): number[] {
  const fixed = new Set<number>()
  for (;;) {
    const left = total - leasts.reduce((sum, least, index) => sum + (fixed.has(index) ? least : 0), 0)
    const sum = weights.reduce((all, weight, index) => all + (fixed.has(index) ? 0 : weight), 0)
    const share = (index: number) =>
      fixed.has(index) ? (leasts[index] ?? 0) : sum === 0 ? 0 : ((weights[index] ?? 0) * left) / sum
    const short = weights.findIndex((_, index) => !fixed.has(index) && share(index) < (leasts[index] ?? 0))
    if (short < 0) return weights.map((_, index) => share(index))
    fixed.add(short)
  }
}

// Rows

/** What a row draws, before its place is known. */
interface RowDraft {
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

const badLooks = new Set<Look>(['fail', 'missing', 'stray'])

/** The row's verdict, at its right edge. */
function verdictShapes(look: Look, width: number, y: number): Shape[] {
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
  if (badLooks.has(look)) return [icon('cross', 'bad', x - 21), line(x - 10, y, [inkText('Failed', 'bold', 'bad')])]
  if (look === 'skip') return [icon('skip', 'subtle')]
  return look === 'running' ? [icon('running', 'accent')] : []
}

interface Place {
  readonly lanes: readonly Lane[]
  readonly width: number
  readonly isRoomy: boolean
}

function xOf({ lanes }: Place, actor: FlowActor): number {
  return lanes.find((lane) => lane.actor === actor)?.x ?? 0
}

/** The room for text right of a lifeline. */
function roomAt({ lanes, width }: Place, x: number): number {
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

const wrapped = (parts: readonly InkedText[], room: number, most: number) => wrapParts(parts, room, most) as InkedText[][]

/** What someone does: a thin arrow, or a box if it concerns one lane only. */
function actionRow(step: FlowPlanStep, item: Item, place: Place): RowDraft {
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
function checkRow(step: FlowPlanStep, item: Item, place: Place): RowDraft {
  const look = lookOf(step)
  const label = plainWords(step.title)
  const failure = isRunStep(step) ? failureText(step) : null
  const least = TIMES_WIDTH + 4
  const most = place.width - VERDICT_WIDTH - 4
  const room = Math.min(360, most - least - 28)
  const isQuiet = look === 'planned' || look === 'skip'
  const lines = [
    ...wrapped([inkText(label, step.kind === 'check' ? 'plain' : 'bold', isQuiet ? 'subtle' : 'plain')], room, 3),
    ...(failure === null ? [] : wrapped([inkText(failure, 'plain', 'bad')], room, 4)),
  ]
  const boxWidth =
    Math.ceil(Math.max(...lines.map((parts) => parts.reduce((sum, part) => sum + textWidth(part.text, part.font), 0)))) + 28
  const middle = Math.max(least + boxWidth / 2, Math.min(most - boxWidth / 2, xOf(place, step.from)))
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
      ...lines.map((parts, index): Shape => ({ kind: 'text', x: middle, y: top + LINE * (index + 1), parts, anchor: 'middle' })),
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
  if (status === undefined) return { ...base, kind: 'dropped', status: null, ms: null, acknowledged: false, error: step.got }
  return { ...base, kind: 'status', status: Number(status), ms: Number(ms), acknowledged: status === '200' }
}

/** The delivery of a step or an unexpected one, also for runs stored before the details were recorded. */
function receivedOf(step: FlowPlanStep | null, stray: FlowStray | null, steps: readonly FlowPlanStep[]): Received {
  if (stray !== null) return stray
  if (step === null || !isRunStep(step))
    return { event: step === null ? null : eventOf(step, steps), arrived: null, response: null }
  return { event: eventOf(step, steps), arrived: step.arrived, response: step.response ?? oldResponse(step) }
}

/** The event of a step. A response concerns the delivery that went to your handler. */
function eventOf(step: FlowPlanStep, steps: readonly FlowPlanStep[]): string | null {
  if (step.event !== null || step.kind !== 'answer') return step.event
  const id = isRunStep(step) ? step.deliveryId : null
  const same = steps.find((other) => other.kind === 'delivery' && isRunStep(other) && id !== null && other.deliveryId === id)
  return same?.event ?? null
}

const glyphOfInk: Readonly<Partial<Record<Ink, IconName>>> = { ok: 'valid', bad: 'invalid', warn: 'stale', muted: 'unknown' }
const markOfInk: Readonly<Partial<Record<Ink, LegendMark>>> = { ok: 'valid', bad: 'invalid', warn: 'stale', muted: 'unsigned' }

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
        const row = [inkText(fact.name, 'plain', 'muted'), inkText(fact.value, 'mono', fact.ink, gap)]
        const stacked = [[inkText(fact.name, 'plain', 'muted')], ...wrapped([inkText(fact.value, 'mono', fact.ink)], room, 2)]
        lines.push(...(partsWidth(row) <= room ? [row] : stacked))
      } else {
        const ways = fact.ways.map((parts) =>
          parts.map((part, index) => inkText(part.text, part.isData ? 'mono' : 'plain', part.ink, index === 0 ? 0 : 12)),
        )
        const best = firstFitting(ways, room)
        lines.push(...wrapped(best, room, 2))
      }
    }
  } else if (!isForwarded && step !== null && isRunStep(step) && step.told !== null)
    lines.push(...wrapped([inkText(step.told, 'plain', 'muted')], room, 2))
  if (stray !== null) lines.push(...wrapped([inkText(plainWords(stray.message), 'plain', 'bad')], room, 4))
  if (step !== null && isRunStep(step)) {
    if (step.outcome === 'missing') lines.push(...wrapped([inkText('Not received', 'bold', 'bad')], room, 1))
    const isSaid = isForwarded && received.response !== null && received.response.kind !== 'status'
    const failure = isSaid ? null : failureText(step)
    if (failure !== null) lines.push(...wrapped([inkText(failure, 'plain', 'bad')], room, 4))
    if (step.outcome === 'skip')
      lines.push(...wrapped([inkText(plainWords(step.message) || 'Skipped', 'plain', 'subtle')], room, 3))
  }
  return lines
}

/** A delivery: its request, what it says, and the response. */
function deliveryRow(item: Item, place: Place, steps: readonly FlowPlanStep[]): RowDraft {
  const { step, stray } = item
  const look: Look = step === null ? 'stray' : lookOf(step)
  const received = receivedOf(step, stray, steps)
  const { event, arrived, response } = received
  const [fromActor, toActor]: readonly [FlowActor, FlowActor] = step === null ? ['service', 'receiver'] : [step.from, step.to]
  const [from, to] = [xOf(place, fromActor), xOf(place, toActor)]
  const x = from + INDENT
  const room = roomAt(place, from)
  const isOpen = look === 'planned' || look === 'skip' || look === 'running' || look === 'missing'
  const hasArrived = !isOpen

  // The name in the event's tint, behind a dot.
  const tint: Ink = event === null ? 'plain' : (eventTint(event) ?? 'plain')
  const planned = step !== null && arrived === null ? (/attempt (\d)/.exec(step.title)?.[1] ?? null) : null
  const attempt =
    step?.kind === 'answer' ? null : planned === null ? attemptWords(received) : `attempt ${planned} of ${MAX_ATTEMPTS}`
  const title = event ?? plainWords(step?.title ?? 'Delivery')
  const names = wrapped([inkText(title, 'bold', isOpen && look !== 'missing' && event === null ? 'subtle' : tint)], room - 14, 3)
  const extra = stray !== null ? stray.kind : attempt
  if (extra !== null) {
    const last = names.at(-1) ?? []
    const ink: Ink = stray === null ? 'muted' : 'bad'
    const ways = [extra, extra.replace('attempt ', '')].map((words) => [...last, inkText(words, 'plain', ink, 8)])
    const fits = ways.find(
      (parts) =>
        parts.reduce((sum, part, index) => sum + textWidth(part.text, part.font) + (index === 0 ? 0 : part.gap), 0) <= room - 14,
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
  const glyph = hasArrived && arrived !== null ? (glyphOfInk[ink] ?? null) : look === 'missing' ? 'unknown' : null
  const content = contentOf(step, stray, received, room)
  let bottom = content.length === 0 ? y : y + LABEL_Y + (content.length - 1) * LINE
  const shapes: Shape[] = [
    ...(isOpen ? actionShapes(from, to, y, ink, true) : requestShapes(from, to, y, ink, glyph)),
    ...(isOpen && glyph !== null ? [{ kind: 'icon', icon: glyph, x: to - 22, y, size: 14, ink, onLine: true } as const] : []),
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
    const ways = words.rests.map((rest) => (rest === '' ? [lead] : [lead, inkText(rest, 'plain', 'muted', isPlain ? 3.5 : 6)]))
    shapes.push(
      { kind: 'box', as: 'busy', x: to - 1.5, y, width: 4, height: back - y, radius: 1 },
      line(x, textY, firstFitting(ways, room)),
      ...(isStatus
        ? returnShapes(to, from, back, inkBack, isPlain ? null : inkBack === 'ok' ? 'valid' : 'invalid')
        : response.kind === 'timeout'
          ? timeoutShapes(to, from, back)
          : droppedShapes(to, from, back)),
    )
    bottom = back
  }
  // The dot and the name come last: nothing covers them.
  if (event !== null) shapes.push({ kind: 'dot', x: x + 4, y: LABEL_Y - 4.5, r: 3.5, ink: tint === 'plain' ? 'muted' : tint })
  shapes.push(...textLines(names, event === null ? x : x + 14, LABEL_Y))

  const isDelivered = hasArrived && arrived !== null
  const markBack = words === null ? null : markOfResponse(received)
  const failure = step !== null && isRunStep(step) ? failureText(step) : null
  return {
    kind: 'delivery',
    height: bottom + (bottom === y ? 16 : 12),
    look,
    label: step === null ? strayTitle(stray ?? { event: null, kind: 'unexpected' }) : plainWords(step.title),
    from: fromActor,
    to: toActor,
    response: words === null ? null : responseText(received, expected),
    details: [
      ...(step?.kind === 'answer' && event !== null ? [event] : []),
      ...(attempt === null || step?.title.includes('attempt') === true ? [] : [attempt]),
      ...(hasArrived && step?.kind !== 'answer' ? [arrivedWords(received), factsWords(event, arrived?.facts ?? null)] : []),
      step !== null && isRunStep(step) && arrived === null ? step.told : null,
      stray === null ? failure : plainWords(stray.message),
    ].filter((detail) => detail !== null),
    shapes,
    marks: [...(isDelivered && markOfInk[ink] !== undefined ? [markOfInk[ink]] : []), ...(markBack === null ? [] : [markBack])],
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
function gaveUpRow(item: Item, step: FlowRunStep, place: Place): RowDraft {
  const x = xOf(place, step.from)
  const room = roomAt(place, x) - 8
  const attempt = step.arrived?.attempt ?? MAX_ATTEMPTS
  const ms = step.response?.ms ?? 0
  const later = (iso: string | null) => (iso === null ? null : new Date(Date.parse(iso) + ms).toISOString())
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
        firstFitting([[inkText(`Gave up after attempt ${attempt}`, 'bold', 'bad')], [inkText('Gave up', 'bold', 'bad')]], room),
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
function waitLength(ms: number): string {
  return ms === DAY_MS ? '24 h' : timeWords(ms)
}

/** What a pause leads to. */
function untilWords(step: FlowPlanStep | null, stray: FlowStray | null): string {
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

function waitRow({ label, short, detail, look, progress, step }: Wait, place: Place): RowDraft {
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
      ...(detail === null ? [] : [line(LEFT, 39, [inkText(cutToWidth(detail, room, 'small'), 'small', 'muted')])]),
    ],
    verdictY: middle + 4,
    timeY: null,
    ink: 'subtle',
    ...(step === null ? {} : { step }),
  }
}

const startOf = (drawn: Drawn) => ('startedAt' in drawn ? drawn.startedAt : null)

/** The rows in order, with their places and lifelines. */
function rowsOf(drawn: Drawn, items: readonly Item[], place: Place): DiagramRow[] {
  const { lanes, width, isRoomy } = place
  const rows: DiagramRow[] = []
  const startedAt = startOf(drawn)
  // At an hour per second, minutes don't count as a wait: only pauses of a second or more in real time count.
  const long = 'speed' in drawn && drawn.speed !== 'max' ? Math.max(LONG_MS, drawn.speed * 1_000) : LONG_MS
  let top = 0
  let lastBusiness = 'businessStartedAt' in drawn ? drawn.businessStartedAt : null
  let lastReal = startedAt
  let lastTimedOut = false
  let hasEnded = false

  const add = (draft: RowDraft) => {
    const { kind, look, label, step = null, stray = null, businessAt = null, at = null, response = null, details = [] } = draft
    const isPause = kind === 'wait' && step === null
    const marks = [...(draft.marks ?? [])]
    const isJudged = !isPause && kind !== 'gave-up'
    if (isJudged && look === 'pass') marks.push('as-expected')
    if (isJudged && badLooks.has(look)) marks.push('failed')
    const height = draft.height + (isRoomy && (kind === 'action' || kind === 'delivery') ? ROOMY : 0)
    const businessTime = businessAt === null ? null : momentWords(businessAt)
    const realTime = at === null || startedAt === null ? null : `+${timeWords(since(startedAt, at))}`
    const timeY = draft.timeY === undefined ? LABEL_Y : draft.timeY
    const said = isJudged ? `${labelOf(stepOutcomes[look === 'stray' ? (stray?.kind ?? 'unexpected') : look])}: ${label}` : label
    rows.push({
      kind,
      top,
      height,
      look,
      label,
      words: [said, ...details, response, businessTime].filter((part) => part !== null).join(', '),
      from: draft.from,
      to: draft.to,
      response,
      details,
      lives: lifeShapes(lanes, height, kind, hasEnded),
      times:
        timeY === null
          ? []
          : [
              ...(businessTime === null ? [] : [line(LEFT, timeY, [inkText(businessTime, 'mono', 'muted')])]),
              ...(realTime === null ? [] : [line(LEFT, timeY + LINE, [inkText(realTime, 'tiny', 'subtle')])]),
            ],
      shapes: [...draft.shapes, ...(isJudged ? verdictShapes(look, width, draft.verdictY ?? LABEL_Y) : [])],
      marks,
      ink: draft.ink ?? 'muted',
      businessTime: kind === 'wait' ? null : businessTime,
      realTime,
      step: kind === 'gave-up' ? null : (step?.index ?? null),
      deliveryId: kind === 'gave-up' ? null : (stray?.deliveryId ?? (step !== null && isRunStep(step) ? step.deliveryId : null)),
    })
    top += height
  }

  /** The progress of a running wait, by the run's last known clock. */
  const progressOf = (ms: number): { readonly passed: number; readonly share: number } => {
    const now = 'clock' in drawn ? drawn.clock : null
    const passed = now === null || lastBusiness === null ? 0 : since(lastBusiness, now.businessAt)
    return { passed, share: Math.min(1, passed / ms) }
  }

  const realWords = (at: string | null) =>
    at === null || lastReal === null ? null : `in ${timeWords(since(lastReal, at))} of real time`

  /** The pause before a step: the time passed once it happened, the expected time before. */
  function addPause({ step, stray, businessAt, at }: Item): void {
    const until = untilWords(step, stray)
    if (businessAt !== null && lastBusiness !== null) {
      // A retry counts from the failure, which a timeout delays.
      const all = since(lastBusiness, businessAt)
      const passed = lastTimedOut && all > ACKNOWLEDGE_TIMEOUT_MS + LONG_MS / 2 ? all - ACKNOWLEDGE_TIMEOUT_MS : all
      const label = `${waitLength(passed)} ${until}`
      if (passed >= long)
        add(waitRow({ label, short: waitLength(passed), detail: realWords(at), look: 'pass', progress: null, step: null }, place))
      return
    }
    if (step?.afterMs == null || step.afterMs < LONG_MS) return
    const least = waitLength(step.afterMs)
    if (lookOf(step) !== 'running') {
      const label = `At least ${least} ${until}`
      add(waitRow({ label, short: `At least ${least}`, detail: null, look: 'planned', progress: null, step: null }, place))
      return
    }
    const { passed, share } = progressOf(step.afterMs)
    const label = `${timeWords(passed)} of at least ${least}`
    add(
      waitRow(
        { label, short: timeWords(passed), detail: `sandbox time ${until}`, look: 'running', progress: share, step: null },
        place,
      ),
    )
  }

  function addWait(step: FlowPlanStep, { at, businessAt }: Item): void {
    const look = lookOf(step)
    const ms = step.lastsMs ?? 0
    const { passed, share } = progressOf(ms)
    const isDone = look !== 'running' && businessAt !== null
    const isSilent = isSilence(step)
    const nothing = isSilent ? plainWords(step.title) : 'nothing received'
    const arrivedIn = items.some(
      (other) =>
        other.step !== step &&
        (other.stray !== null || other.step?.kind === 'delivery') &&
        other.businessAt !== null &&
        businessAt !== null &&
        lastBusiness !== null &&
        other.businessAt > lastBusiness &&
        other.businessAt < businessAt,
    )
    const length = waitLength(isDone && isSilent && lastBusiness !== null ? Math.max(since(lastBusiness, businessAt), 1) : ms)
    const isFailed = isRunStep(step) && isFailedStep(step)
    const label = isFailed
      ? plainWords(step.title)
      : isDone && look === 'pass'
        ? `${length}${isSilent || !arrivedIn ? `, ${nothing}` : ' pass'}`
        : isSilent
          ? `${waitLength(ms)}, ${nothing}`
          : plainWords(step.title)
    const detail =
      look === 'running' ? `${timeWords(passed)} passed` : isFailed ? failureText(step) : isDone ? realWords(at) : null
    add({
      ...waitRow(
        {
          label,
          short: isSilent ? `${length}, ${nothing.replace('transaction.', '…')}` : label,
          detail,
          look,
          progress: look === 'running' ? share : null,
          step,
        },
        place,
      ),
      businessAt,
    })
  }

  for (const [index, item] of items.entries()) {
    const { step, businessAt, at } = item
    if (step !== null && (step.kind === 'wait' || isSilence(step))) addWait(step, item)
    else {
      addPause(item)
      if (step === null || step.kind === 'delivery' || step.kind === 'answer') add(deliveryRow(item, place, drawn.steps))
      else add(step.from === step.to ? checkRow(step, item, place) : actionRow(step, item, place))
    }
    lastBusiness = businessAt ?? lastBusiness
    lastReal = at ?? lastReal
    lastTimedOut = step !== null && isRunStep(step) && step.response?.by === 'receiver' && step.response.kind === 'timeout'
    if (step !== null && isRunStep(step) && step.gaveUp) {
      const isLast = !items
        .slice(index + 1)
        .some((later) => later.step?.from === 'service' && later.step.kind === 'delivery' && !isSilence(later.step))
      add(gaveUpRow(item, step, place))
      hasEnded = isLast
    }
  }
  return rows
}

/** The lifelines of a row. The service's is dotted after it gave up. */
function lifeShapes(lanes: readonly Lane[], height: number, kind: DiagramRow['kind'], hasEnded: boolean): Shape[] {
  return lanes.map(({ actor, x }): Shape => {
    const as = hasEnded && actor === 'service' ? 'ended' : 'life'
    const at = x + 0.5
    const middle = WAIT_HEIGHT / 2
    // A zigzag interrupts it in a wait.
    const d = kind === 'wait' ? `M${at} 0V${middle - 12}M${at} ${middle + 12}V${height}` : `M${at} 0V${height}`
    return { kind: 'path', as, d, actor }
  })
}

const usualLanes: readonly FlowActor[] = ['cardholder', 'service', 'receiver', 'handler']

function notesOf(drawn: Drawn, lanes: readonly Lane[]): string[] {
  const handler = 'handler' in drawn ? drawn.handler : null
  const left = drawn.steps.filter((step) => isWithoutHandler(step, handler)).length
  const missing = usualLanes.filter((actor) => !lanes.some((lane) => lane.actor === actor) && !(actor === 'handler' && left > 0))
  return [
    ...(missing.length === 0 ? [] : [`Not in this flow: ${missing.map((actor) => actorLabels[actor]).join(', ')}`]),
    ...(left === 0 ? [] : [`${counted(left, 'step')} skipped: no handler set`]),
  ]
}

const markOrder: readonly LegendMark[] = [
  'valid',
  'invalid',
  'stale',
  'unsigned',
  'acknowledged',
  'acknowledged-2xx',
  'recorded',
  'refused',
  'not-acknowledged',
  'timeout',
  'dropped',
  'gave-up',
  'as-expected',
  'failed',
]

export function layoutDiagram(drawn: Drawn, { width: wanted = FILE_WIDTH, height }: LayoutOptions = {}): DiagramLayout {
  const items = itemsOf(drawn)
  const { lanes, width } = lanesOf(items, wanted, 'handlerName' in drawn ? drawn.handlerName : null)
  const tight = rowsOf(drawn, items, { lanes, width, isRoomy: false })
  const end = (rows: readonly DiagramRow[]) => rows.reduce((sum, row) => sum + row.height, 0)
  const roomy = rowsOf(drawn, items, { lanes, width, isRoomy: true })
  const rows = height === undefined || end(roomy) + HEAD_HEIGHT + ROOMY <= height ? roomy : tight
  const seen = new Set(rows.flatMap(({ marks }) => marks))
  return {
    title: drawn.title,
    width,
    height: end(rows),
    lanes,
    rows,
    marks: markOrder.filter((mark) => seen.has(mark)),
    notes: notesOf(drawn, lanes),
  }
}

/** The heads of the lanes and of both columns, `HEAD_HEIGHT` high. */
export function headShapes({ lanes, width }: DiagramLayout): readonly Shape[] {
  return [
    line(LEFT, 20, [inkText('Sandbox time', 'small', 'subtle')]),
    line(LEFT, 36, [inkText('+ real time', 'small', 'subtle')]),
    {
      kind: 'text',
      x: width - VERDICT_WIDTH / 2,
      y: 28,
      parts: [inkText('As expected', 'small', 'subtle')],
      anchor: 'middle',
    },
    ...lanes.flatMap(({ actor, label, name, x, half }): Shape[] => {
      const isRed = actor === 'attacker'
      const room = 2 * half - 8
      const plain = cutToWidth(label, room, 'bold')
      const left = room - textWidth(plain, 'bold') - 6
      const short = name === null || left < 30 ? null : cutToWidth(`@${name}`, left, 'mono')
      const parts = [
        inkText(plain, 'bold', isRed ? 'bad' : 'plain'),
        ...(short === null ? [] : [inkText(short, 'mono', 'muted', 6)]),
      ]
      return [
        {
          kind: 'box',
          as: isRed ? 'red-head' : 'head',
          x: x - half + 0.5,
          y: 8.5,
          width: 2 * half,
          height: 31,
          radius: 6,
          actor,
        },
        { kind: 'text', x, y: 28, parts, anchor: 'middle', actor },
        { kind: 'path', as: 'life', d: `M${x + 0.5} 40V${HEAD_HEIGHT}`, actor },
      ]
    }),
  ]
}
