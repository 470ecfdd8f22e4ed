/**
 * A flow as a sequence diagram: a lane for each participant, a row for each step with its request and response, bands for long waits.
 * CSS places it (`diagramRules`). The same run gives the same drawing in the window and in the report.
 */
import type { FlowActor, FlowPlan, FlowPlanStep, FlowRun } from '../model/flow.ts'
import { isFailedStep, labelOf, stepOutcomes } from '../model/outcomes.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../service/limits.ts'
import { counted } from '../text/counted.ts'
import { FIRST_LINE, inkText, legend, ofActor, part, type LegendMark, type Part } from './parts.ts'
import {
  actionRow,
  checkRow,
  deliveryRow,
  gaveUpRow,
  isBadLook,
  lookOf,
  verdictPart,
  waitLength,
  waitRow,
  waitUntil,
  type DrawnItem,
  type Look,
  type RowDraft,
} from './rows.ts'
import { failureText, isInNext, isRunStep, isWithoutHandler } from './story.ts'
import { actorLabels, actorOrder, momentWords, plainWords, timeWords } from './words.ts'

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

export interface DiagramRow {
  readonly kind: RowDraft['kind']
  readonly look: Look
  readonly label: string
  /** All of it as text. */
  readonly words: string
  readonly from: FlowActor
  readonly to: FlowActor
  readonly response: string | null
  readonly details: readonly string[]
  readonly drawing: readonly Part[]
  readonly businessTime: string | null
  /** What a click selects: a step's number, or the ID of an unexpected delivery. Null for a pause and for giving up. */
  readonly place: string | null
}

export interface Diagram {
  readonly title: string
  readonly lanes: readonly FlowActor[]
  /** The saved handler's name. */
  readonly handlerName: string | null
  /** The grid's columns, for CSS. */
  readonly columns: string
  readonly heads: Part
  readonly rows: readonly DiagramRow[]
  /** The ends of the lifelines. */
  readonly feet: Part
  readonly marks: readonly LegendMark[]
  /** What isn't drawn: lanes that take no part, steps that don't apply. */
  readonly notes: readonly string[]
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

const isDelivery = ({ step }: DrawnItem) =>
  step === null || step.kind === 'delivery' || step.kind === 'answer'

const endsOf = ({ step }: DrawnItem): readonly [FlowActor, FlowActor] =>
  step === null ? ['service', 'receiver'] : [step.from, step.to]

/**
 * The times, a margin, a span between each two lanes, a margin, and the verdict. Spans with deliveries get more: they have the most
 * text.
 */
function columnsOf(lanes: readonly FlowActor[], items: readonly DrawnItem[]): string {
  const deliveries = items
    .filter(isDelivery)
    .map((item) => endsOf(item).map((actor) => lanes.indexOf(actor)))
  const spans = lanes.slice(1).map((_, index) => {
    const isBusy = deliveries.some(
      (ends) => Math.min(...ends) <= index && index < Math.max(...ends),
    )
    return isBusy ? 'minmax(150px,5fr)' : 'minmax(92px,3fr)'
  })
  return ['136px', 'minmax(60px,1fr)', ...spans, 'minmax(76px,1fr)', '80px'].join(' ')
}

// Rows

/** Pauses from this length on, in sandbox time, are drawn as waits. In milliseconds. */
const LONG_MS = 60_000
const since = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))

/** The lifelines of a row. The service's is dotted after it gave up. */
function lifelines(lanes: readonly FlowActor[], hasEnded: boolean): Part[] {
  return lanes.map((actor, index) => {
    const style = hasEnded && actor === 'service' ? 'life ended' : 'life'
    return part(`${style} ${ofActor(actor)} at-${FIRST_LINE + index}`)
  })
}

/** The rows in order, what the legend explains, and whether the service gave up for good. */
function rowsOf(drawn: Drawn, items: readonly DrawnItem[], lanes: readonly FlowActor[]) {
  const rows: DiagramRow[] = []
  const seen = new Set<LegendMark>()
  const startedAt = 'startedAt' in drawn ? drawn.startedAt : null
  // At an hour per second, minutes don't count as a wait: only pauses of a second or more in real time count.
  const long =
    'speed' in drawn && drawn.speed !== 'max' ? Math.max(LONG_MS, drawn.speed * 1_000) : LONG_MS
  let lastBusiness = 'businessStartedAt' in drawn ? drawn.businessStartedAt : null
  let lastReal = startedAt
  let lastTimedOut = false
  let hasEnded = false

  const add = (draft: RowDraft) => {
    const { kind, look, label, from, to, details } = draft
    const { step = null, stray = null, businessAt = null, at = null, response = null } = draft
    const isJudged = kind !== 'gave-up' && (kind !== 'wait' || step !== null)
    for (const mark of draft.marks ?? []) seen.add(mark)
    if (isJudged && look === 'pass') seen.add('as-expected')
    if (isJudged && isBadLook(look)) seen.add('failed')
    const businessTime = businessAt === null ? null : momentWords(businessAt)
    const times = [
      ...(businessTime === null ? [] : [part('', businessTime)]),
      ...(at === null || startedAt === null
        ? []
        : [part('small', `+${timeWords(since(startedAt, at))}`)]),
    ]
    const verdict = isJudged ? verdictPart(look) : null
    const said = isJudged
      ? `${labelOf(stepOutcomes[look === 'stray' ? (stray?.kind ?? 'unexpected') : look])}: ${label}`
      : label
    rows.push({
      kind,
      look,
      label,
      words: [said, ...details, response, businessTime].filter((one) => one !== null).join(', '),
      from,
      to,
      response,
      details,
      drawing: [
        ...lifelines(lanes, hasEnded),
        ...draft.drawing,
        ...(draft.isTimed ? [part('times', ...times)] : []),
        ...(verdict === null ? [] : [verdict]),
      ],
      businessTime: kind === 'wait' ? null : businessTime,
      place: step === null ? (stray?.deliveryId ?? null) : String(step.index),
    })
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
        add(waitRow({ label, detail: realWords(at), look: 'pass', progress: null }, lanes))
      return
    }
    if (step?.afterMs == null || step.afterMs < LONG_MS) return
    const least = waitLength(step.afterMs)
    if (lookOf(step) !== 'running') {
      const label = `At least ${least} ${until}`
      add(waitRow({ label, detail: null, look: 'planned', progress: null }, lanes))
      return
    }
    const { passed, share } = progressOf(step.afterMs)
    const label = `${timeWords(passed)} of at least ${least}`
    const detail = `sandbox time ${until}`
    add(waitRow({ label, detail, look: 'running', progress: share }, lanes))
  }

  function addWait(step: FlowPlanStep, { at, businessAt }: DrawnItem): void {
    const look = lookOf(step)
    const ms = step.lastsMs ?? 0
    const { passed, share } = progressOf(ms)
    const isRunning = look === 'running'
    const isDone = !isRunning && businessAt !== null
    const isSilent = isSilence(step)
    const nothing = isSilent ? plainWords(step.title) : 'nothing received'
    const before = lastBusiness
    const arrivedIn = items.some(
      (other) =>
        other.step !== step &&
        (other.stray !== null || other.step?.kind === 'delivery') &&
        other.businessAt !== null &&
        businessAt !== null &&
        before !== null &&
        other.businessAt > before &&
        other.businessAt < businessAt,
    )
    const length = waitLength(
      isDone && isSilent && before !== null ? Math.max(since(before, businessAt), 1) : ms,
    )
    const isFailed = isRunStep(step) && isFailedStep(step)
    const label = isFailed
      ? plainWords(step.title)
      : isDone && look === 'pass'
        ? `${length}${isSilent || !arrivedIn ? `, ${nothing}` : ' pass'}`
        : isSilent
          ? `${waitLength(ms)}, ${nothing}`
          : plainWords(step.title)
    const detail = isRunning
      ? `${timeWords(passed)} passed`
      : isFailed
        ? failureText(step)
        : isDone
          ? realWords(at)
          : null
    add({
      ...waitRow({ label, detail, look, progress: isRunning ? share : null }, lanes),
      step,
      businessAt,
    })
  }

  for (const [index, item] of items.entries()) {
    const { step, businessAt, at } = item
    if (step !== null && (step.kind === 'wait' || isSilence(step))) addWait(step, item)
    else {
      addPause(item)
      if (step === null || isDelivery(item)) add(deliveryRow(item, lanes, drawn.steps))
      else add(step.from === step.to ? checkRow(step, item, lanes) : actionRow(step, item, lanes))
    }
    lastBusiness = businessAt ?? lastBusiness
    lastReal = at ?? lastReal
    const run = step !== null && isRunStep(step) ? step : null
    lastTimedOut = run?.response?.by === 'receiver' && run.response.kind === 'timeout'
    if (run?.gaveUp === true) {
      add(gaveUpRow(item, run, lanes))
      hasEnded = !items
        .slice(index + 1)
        .some(
          ({ step: later }) =>
            later?.from === 'service' && later.kind === 'delivery' && !isSilence(later),
        )
    }
  }
  return { rows, seen, hasEnded }
}

const usualLanes: readonly FlowActor[] = ['cardholder', 'service', 'receiver', 'handler']

function notesOf(drawn: Drawn, lanes: readonly FlowActor[]): string[] {
  const handler = 'handler' in drawn ? drawn.handler : null
  const left = drawn.steps.filter((step) => isWithoutHandler(step, handler)).length
  const missing = usualLanes.filter(
    (actor) => !lanes.includes(actor) && !(actor === 'handler' && left > 0),
  )
  return [
    ...(missing.length === 0
      ? []
      : [`Not in this flow: ${missing.map((actor) => actorLabels[actor]).join(', ')}`]),
    ...(left === 0 ? [] : [`${counted(left, 'step')} skipped: no handler in this run`]),
  ]
}

/** The heads of the lanes and of both columns. */
function headsPart(lanes: readonly FlowActor[], handlerName: string | null): Part {
  return part(
    'heads',
    ...lifelines(lanes, false),
    ...lanes.map((actor, index) => {
      const isRed = actor === 'attacker'
      return part(
        `head${isRed ? ' is-red' : ''} ${ofActor(actor)} at-${FIRST_LINE + index}`,
        inkText(actorLabels[actor], 'bold', isRed ? 'bad' : 'plain'),
        ...(actor === 'handler' && handlerName !== null
          ? [inkText(`@${handlerName}`, 'mono', 'muted')]
          : []),
      )
    }),
    part('times small', part('', 'Sandbox time'), part('', '+ real time')),
    part('verdict small', 'As expected'),
  )
}

/** The diagram of a flow that is still to run, or of a run. */
export function diagramOf(drawn: Drawn): Diagram {
  const items = itemsOf(drawn)
  const taking = new Set(items.flatMap(endsOf))
  const lanes = actorOrder.filter((actor) => taking.has(actor))
  const { rows, seen, hasEnded } = rowsOf(drawn, items, lanes)
  const handlerName = 'handlerName' in drawn ? drawn.handlerName : null
  return {
    title: drawn.title,
    lanes,
    handlerName,
    columns: columnsOf(lanes, items),
    heads: headsPart(lanes, handlerName),
    rows,
    feet: part('feet', ...lifelines(lanes, hasEnded)),
    marks: (Object.keys(legend) as LegendMark[]).filter((mark) => seen.has(mark)),
    notes: notesOf(drawn, lanes),
  }
}
