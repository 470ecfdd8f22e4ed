/**
 * Lays out a flow's sequence diagram: lanes that share the width, a row for each step with its request and response, bands for long
 * waits. Pure: the same run and width give the same drawing on screen and in a file.
 */
import type { FlowActor } from '../model/flow.ts'
import type { FlowPlan, FlowPlanStep, FlowRun } from '../model/flow-run.ts'
import { isFailedStep, labelOf, stepOutcomes } from '../model/outcomes.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../service/limits.ts'
import { counted } from '../text/counted.ts'
import { line, inkText, type LegendMark, type Shape } from './shapes.ts'
import { failureText, isInNext, isRunStep, isWithoutHandler } from './story.ts'
import { cutToWidth, textWidth } from './text-width.ts'
import { actorLabels, actorOrder, momentWords, plainWords, timeWords } from './words.ts'
import {
  type Lane,
  type DiagramRow,
  TIMES_WIDTH,
  VERDICT_WIDTH,
  LEFT,
  LABEL_Y,
  LINE,
  WAIT_HEIGHT,
  type DrawnItem,
  type RowDraft,
  badLooks,
  verdictShapes,
  type RowPlace,
  actionRow,
  checkRow,
  deliveryRow,
  gaveUpRow,
  waitLength,
  waitUntil,
  waitRow,
  lookOf,
} from './rows.ts'

export const FILE_WIDTH = 940
/** The lane heads, and the space below them. */
export const HEAD_HEIGHT = 52
const ROOMY = 8
/** Least distances between lanes: for a delivery's text, and for the lane heads. */
const LEAST_SPAN = 150
const LEAST_ACTION_SPAN = 100
/** Pauses from this length on, in sandbox time, are drawn as waits. In milliseconds. */
const LONG_MS = 60_000
const since = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))

/** A flow before it runs, or a run of it. */
export type Drawn =
  | Pick<FlowPlan, 'title' | 'steps'>
  | Pick<
      FlowRun,
      | 'title'
      | 'steps'
      | 'strays'
      | 'speed'
      | 'startedAt'
      | 'businessStartedAt'
      | 'clock'
      | 'handler'
      | 'handlerName'
    >

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

function itemsOf(drawn: Drawn): DrawnItem[] {
  const handler = 'handler' in drawn ? drawn.handler : null
  const steps = drawn.steps
    .filter(
      (step, index) => !isWithoutHandler(step, handler) && !isInNext(step, drawn.steps[index + 1]),
    )
    .map((step): DrawnItem => ({
      step,
      stray: null,
      businessAt: isRunStep(step) ? step.businessAt : null,
      at: isRunStep(step) ? step.at : null,
    }))
  const strays = 'strays' in drawn ? drawn.strays : []
  return [
    ...steps,
    ...strays.map((stray): DrawnItem => ({
      step: null,
      stray,
      businessAt: stray.businessAt,
      at: stray.at,
    })),
  ]
}

/** Steps that wait for nothing to arrive are drawn as waits. */
function isSilence(step: FlowPlanStep | null): boolean {
  return (
    step?.kind === 'delivery' &&
    step.title.startsWith('no ') &&
    (!isRunStep(step) || step.deliveryId === null)
  )
}

// Lanes

/** The room between two lanes goes to deliveries first: they have the most text. */
function lanesOf(
  items: readonly DrawnItem[],
  width: number,
  handlerName: string | null,
): { lanes: Lane[]; width: number } {
  const taking = new Set<FlowActor>()
  const busy: (readonly [FlowActor, FlowActor])[] = []
  for (const { step, stray } of items) {
    const [from, to] = step === null ? (['service', 'receiver'] as const) : [step.from, step.to]
    taking.add(from).add(to)
    if (stray !== null || step?.kind === 'delivery' || step?.kind === 'answer')
      busy.push([from, to])
  }
  const actors = actorOrder.filter((actor) => taking.has(actor))
  const isMany = actors.length > 3
  const least = width < 840 ? 92 : isMany ? 104 : 124
  const wanted = actors.map((actor) => {
    const name =
      actor === 'handler' && handlerName !== null ? textWidth(`@${handlerName}`, 'mono') + 6 : 0
    return Math.max(
      least,
      Math.ceil(textWidth(actorLabels[actor], 'bold') + Math.min(name, 100) + 24),
    )
  })
  const area = width - TIMES_WIDTH - VERDICT_WIDTH
  const first = Math.round(Math.max((wanted[0] ?? 0) / 2 + 4, isMany ? 0 : area * 0.127))
  const last = Math.round(Math.max((wanted.at(-1) ?? 0) / 2 + 6, isMany ? 0 : area * 0.116))
  const isBusy = actors.map((_, index) =>
    busy.some(
      ([from, to]) => index > 0 && actors.indexOf(from) < index && actors.indexOf(to) >= index,
    ),
  )
  const weights = actors.map((_, index) =>
    index === 0 ? 0 : isMany && isBusy[index] !== true ? 0.74 : 1.13,
  )
  // Five lanes must fit beside the verdicts of a narrow window, so what people do gets less.
  const isTight = actors.length > 4 && width < 840
  const leastAction = LEAST_ACTION_SPAN - (isTight ? 20 : 0)
  const leasts = actors.map((_, index) =>
    index === 0 ? 0 : isBusy[index] === true ? LEAST_SPAN : leastAction,
  )
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
  const taken =
    TIMES_WIDTH + first + spans.reduce((sum, span) => sum + span, 0) + last + VERDICT_WIDTH
  return { lanes, width: Math.max(width, Math.round(taken)) }
}

/** Shares a length by weight; none gets less than its least. */
function sharedOut(weights: readonly number[], leasts: readonly number[], total: number): number[] {
  const fixed = new Set<number>()
  for (;;) {
    const left =
      total - leasts.reduce((sum, least, index) => sum + (fixed.has(index) ? least : 0), 0)
    const sum = weights.reduce((all, weight, index) => all + (fixed.has(index) ? 0 : weight), 0)
    const share = (index: number) =>
      fixed.has(index) ? (leasts[index] ?? 0) : sum === 0 ? 0 : ((weights[index] ?? 0) * left) / sum
    const short = weights.findIndex(
      (_, index) => !fixed.has(index) && share(index) < (leasts[index] ?? 0),
    )
    if (short < 0) return weights.map((_, index) => share(index))
    fixed.add(short)
  }
}

// Rows

const startOf = (drawn: Drawn) => ('startedAt' in drawn ? drawn.startedAt : null)

/** The rows in order, with their places and lifelines. */
function rowsOf(drawn: Drawn, items: readonly DrawnItem[], place: RowPlace): DiagramRow[] {
  const { lanes, width, isRoomy } = place
  const rows: DiagramRow[] = []
  const startedAt = startOf(drawn)
  // At an hour per second, minutes don't count as a wait: only pauses of a second or more in real time count.
  const long =
    'speed' in drawn && drawn.speed !== 'max' ? Math.max(LONG_MS, drawn.speed * 1_000) : LONG_MS
  let top = 0
  let lastBusiness = 'businessStartedAt' in drawn ? drawn.businessStartedAt : null
  let lastReal = startedAt
  let lastTimedOut = false
  let hasEnded = false

  const add = (draft: RowDraft) => {
    const {
      kind,
      look,
      label,
      step = null,
      stray = null,
      businessAt = null,
      at = null,
      response = null,
      details = [],
    } = draft
    const isPause = kind === 'wait' && step === null
    const marks = [...(draft.marks ?? [])]
    const isJudged = !isPause && kind !== 'gave-up'
    if (isJudged && look === 'pass') marks.push('as-expected')
    if (isJudged && badLooks.has(look)) marks.push('failed')
    const height =
      draft.height + (isRoomy && (kind === 'action' || kind === 'delivery') ? ROOMY : 0)
    const businessTime = businessAt === null ? null : momentWords(businessAt)
    const realTime =
      at === null || startedAt === null ? null : `+${timeWords(since(startedAt, at))}`
    const timeY = draft.timeY === undefined ? LABEL_Y : draft.timeY
    const said = isJudged
      ? `${labelOf(stepOutcomes[look === 'stray' ? (stray?.kind ?? 'unexpected') : look])}: ${label}`
      : label
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
              ...(businessTime === null
                ? []
                : [line(LEFT, timeY, [inkText(businessTime, 'mono', 'muted')])]),
              ...(realTime === null
                ? []
                : [line(LEFT, timeY + LINE, [inkText(realTime, 'tiny', 'subtle')])]),
            ],
      shapes: [
        ...draft.shapes,
        ...(isJudged ? verdictShapes(look, width, draft.verdictY ?? LABEL_Y) : []),
      ],
      marks,
      ink: draft.ink ?? 'muted',
      businessTime: kind === 'wait' ? null : businessTime,
      realTime,
      step: kind === 'gave-up' ? null : (step?.index ?? null),
      deliveryId:
        kind === 'gave-up'
          ? null
          : (stray?.deliveryId ?? (step !== null && isRunStep(step) ? step.deliveryId : null)),
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
  function addPause({ step, stray, businessAt, at }: DrawnItem): void {
    const until = waitUntil(step, stray)
    if (businessAt !== null && lastBusiness !== null) {
      // A retry counts from the failure, which a timeout delays.
      const all = since(lastBusiness, businessAt)
      const passed =
        lastTimedOut && all > ACKNOWLEDGE_TIMEOUT_MS + LONG_MS / 2
          ? all - ACKNOWLEDGE_TIMEOUT_MS
          : all
      const label = `${waitLength(passed)} ${until}`
      if (passed >= long)
        add(
          waitRow(
            {
              label,
              short: waitLength(passed),
              detail: realWords(at),
              look: 'pass',
              progress: null,
              step: null,
            },
            place,
          ),
        )
      return
    }
    if (step?.afterMs == null || step.afterMs < LONG_MS) return
    const least = waitLength(step.afterMs)
    if (lookOf(step) !== 'running') {
      const label = `At least ${least} ${until}`
      add(
        waitRow(
          {
            label,
            short: `At least ${least}`,
            detail: null,
            look: 'planned',
            progress: null,
            step: null,
          },
          place,
        ),
      )
      return
    }
    const { passed, share } = progressOf(step.afterMs)
    const label = `${timeWords(passed)} of at least ${least}`
    add(
      waitRow(
        {
          label,
          short: timeWords(passed),
          detail: `sandbox time ${until}`,
          look: 'running',
          progress: share,
          step: null,
        },
        place,
      ),
    )
  }

  function addWait(step: FlowPlanStep, { at, businessAt }: DrawnItem): void {
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
    const length = waitLength(
      isDone && isSilent && lastBusiness !== null
        ? Math.max(since(lastBusiness, businessAt), 1)
        : ms,
    )
    const isFailed = isRunStep(step) && isFailedStep(step)
    const label = isFailed
      ? plainWords(step.title)
      : isDone && look === 'pass'
        ? `${length}${isSilent || !arrivedIn ? `, ${nothing}` : ' pass'}`
        : isSilent
          ? `${waitLength(ms)}, ${nothing}`
          : plainWords(step.title)
    const detail =
      look === 'running'
        ? `${timeWords(passed)} passed`
        : isFailed
          ? failureText(step)
          : isDone
            ? realWords(at)
            : null
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
      if (step === null || step.kind === 'delivery' || step.kind === 'answer')
        add(deliveryRow(item, place, drawn.steps))
      else add(step.from === step.to ? checkRow(step, item, place) : actionRow(step, item, place))
    }
    lastBusiness = businessAt ?? lastBusiness
    lastReal = at ?? lastReal
    lastTimedOut =
      step !== null &&
      isRunStep(step) &&
      step.response?.by === 'receiver' &&
      step.response.kind === 'timeout'
    if (step !== null && isRunStep(step) && step.gaveUp) {
      const isLast = !items
        .slice(index + 1)
        .some(
          (later) =>
            later.step?.from === 'service' &&
            later.step.kind === 'delivery' &&
            !isSilence(later.step),
        )
      add(gaveUpRow(item, step, place))
      hasEnded = isLast
    }
  }
  return rows
}

/** The lifelines of a row. The service's is dotted after it gave up. */
function lifeShapes(
  lanes: readonly Lane[],
  height: number,
  kind: DiagramRow['kind'],
  hasEnded: boolean,
): Shape[] {
  return lanes.map(({ actor, x }): Shape => {
    const as = hasEnded && actor === 'service' ? 'ended' : 'life'
    const at = x + 0.5
    const middle = WAIT_HEIGHT / 2
    // A zigzag interrupts it in a wait.
    const d =
      kind === 'wait'
        ? `M${at} 0V${middle - 12}M${at} ${middle + 12}V${height}`
        : `M${at} 0V${height}`
    return { kind: 'path', as, d, actor }
  })
}

const usualLanes: readonly FlowActor[] = ['cardholder', 'service', 'receiver', 'handler']

function notesOf(drawn: Drawn, lanes: readonly Lane[]): string[] {
  const handler = 'handler' in drawn ? drawn.handler : null
  const left = drawn.steps.filter((step) => isWithoutHandler(step, handler)).length
  const missing = usualLanes.filter(
    (actor) => !lanes.some((lane) => lane.actor === actor) && !(actor === 'handler' && left > 0),
  )
  return [
    ...(missing.length === 0
      ? []
      : [`Not in this flow: ${missing.map((actor) => actorLabels[actor]).join(', ')}`]),
    ...(left === 0 ? [] : [`${counted(left, 'step')} skipped: no handler in this run`]),
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

export function layoutDiagram(
  drawn: Drawn,
  { width: wanted = FILE_WIDTH, height }: LayoutOptions = {},
): DiagramLayout {
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
