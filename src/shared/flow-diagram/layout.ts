/**
 * Where everything of a flow's sequence diagram stands: lifelines, arrows, notes, and the time in between, which is drawn as a gap
 * where the business waits for hours. Pure: the same run gives the same drawing on a screen and in a file.
 */
import type { FlowActor } from '../model/flow.ts'
import type { FlowPlan, FlowPlanStep, FlowRun, FlowRunStep, FlowStray } from '../model/flow-run.ts'
import { actorLabels, momentWords, timeWords } from './words.ts'

/** A flow before it runs, or a run of it. */
export type Drawn = Pick<FlowPlan, 'title' | 'steps'> | Pick<FlowRun, 'title' | 'steps' | 'strays' | 'startedAt'>

export interface Lifeline {
  readonly actor: FlowActor
  readonly label: string
  readonly x: number
}

/** How a step looks: as it went, or before it did. */
export type Look = 'planned' | 'running' | 'pass' | 'fail' | 'skip' | 'missing' | 'stray'

export interface DiagramRow {
  readonly kind: 'arrow' | 'note' | 'gap'
  /** Of the line; labels stand above it. */
  readonly y: number
  readonly height: number
  /** The same where a note stands on one lifeline. */
  readonly fromX: number
  readonly toX: number
  readonly label: string
  /** What is worth a second line: why it failed. */
  readonly detail: string | null
  readonly look: Look
  /** Business time and real time, in words; null before it happened. */
  readonly businessTime: string | null
  readonly realTime: string | null
  /** The step that it stands for; null for gaps and strays. */
  readonly step: number | null
  readonly deliveryId: string | null
}

export interface DiagramLayout {
  readonly title: string
  readonly width: number
  readonly height: number
  /** Where the lifelines begin. */
  readonly top: number
  readonly lifelines: readonly Lifeline[]
  readonly rows: readonly DiagramRow[]
}

const TIMES_WIDTH = 150
const SPACING = 204
const MARGIN = 24
const TOP = 72
const ROW = 46
const DETAIL = 18
const GAP = 44
/** So much business time between two rows is drawn as a gap, in milliseconds. */
const LONG_MS = 60_000

const order: readonly FlowActor[] = ['cardholder', 'brand', 'network', 'service', 'receiver', 'handler']

function isRunStep(step: FlowPlanStep): step is FlowRunStep {
  return 'state' in step
}

function lookOf(step: FlowPlanStep): Look {
  if (!isRunStep(step)) return 'planned'
  return step.outcome ?? (step.state === 'running' ? 'running' : 'planned')
}

/** What is drawn between two moments of business time. */
function gapBetween(before: string | null, after: string | null): number {
  if (before === null || after === null) return 0
  const ms = Date.parse(after) - Date.parse(before)
  return ms >= LONG_MS ? ms : 0
}

interface Item {
  readonly step: FlowPlanStep | null
  readonly stray: FlowStray | null
  readonly businessAt: string | null
  readonly at: string | null
}

function itemsOf(drawn: Drawn): Item[] {
  const steps = drawn.steps.map((step): Item => ({
    step,
    stray: null,
    businessAt: isRunStep(step) ? step.businessAt : null,
    at: isRunStep(step) ? step.at : null,
  }))
  const strays = 'strays' in drawn ? drawn.strays : []
  return [...steps, ...strays.map((stray): Item => ({ step: null, stray, businessAt: stray.businessAt, at: stray.at }))]
}

/** Since the run began; what arrived while another step was still going on has its own moment. */
function realTimeOf(at: string | null, drawn: Drawn): string | null {
  if (at === null || !('startedAt' in drawn)) return null
  return `+${timeWords(Math.max(0, Date.parse(at) - Date.parse(drawn.startedAt)))}`
}

/** `spacing`: between two lifelines, for a screen that has less room than a file. */
export function layoutDiagram(drawn: Drawn, { spacing = SPACING }: { readonly spacing?: number } = {}): DiagramLayout {
  const taking = new Set<FlowActor>(drawn.steps.flatMap(({ from, to }) => [from, to]))
  if ('strays' in drawn && drawn.strays.length > 0) taking.add('service').add('receiver')
  const lifelines = order
    .filter((actor) => taking.has(actor))
    .map((actor, index): Lifeline => ({
      actor,
      label: actorLabels[actor],
      x: TIMES_WIDTH + MARGIN + spacing / 2 + index * spacing,
    }))
  const xOf = (actor: FlowActor) => lifelines.find((lifeline) => lifeline.actor === actor)?.x ?? 0
  const left = lifelines[0]?.x ?? 0
  const right = lifelines.at(-1)?.x ?? left

  const rows: DiagramRow[] = []
  let y = TOP
  let lastBusiness: string | null = null
  const gap = (label: string, look: Look, step: number | null) => {
    y += GAP
    rows.push({
      kind: 'gap',
      y,
      height: GAP,
      fromX: left,
      toX: right,
      label,
      detail: null,
      look,
      businessTime: null,
      realTime: null,
      step,
      deliveryId: null,
    })
  }
  for (const { step, stray, businessAt, at } of itemsOf(drawn)) {
    if (step?.kind === 'wait') {
      gap(step.title, lookOf(step), step.index)
      lastBusiness = businessAt ?? lastBusiness
      continue
    }
    const passed = gapBetween(lastBusiness, businessAt)
    if (passed > 0) gap(`${timeWords(passed)} of business time`, 'planned', null)
    const look = step === null ? 'stray' : lookOf(step)
    const isWorthALine = look === 'fail' || look === 'missing' || look === 'stray'
    const message = stray?.message ?? (step !== null && isRunStep(step) ? step.message : '')
    const detail = isWorthALine && message !== '' ? message : null
    y += ROW
    rows.push({
      kind: step !== null && step.from === step.to ? 'note' : 'arrow',
      y,
      height: ROW + (detail === null ? 0 : DETAIL),
      fromX: xOf(step?.from ?? 'service'),
      toX: xOf(step?.to ?? 'receiver'),
      label: step?.title ?? `${stray?.event ?? 'a delivery'} (${stray?.kind ?? 'unexpected'})`,
      detail,
      look,
      businessTime: businessAt === null ? null : momentWords(businessAt),
      realTime: realTimeOf(at, drawn),
      step: step?.index ?? null,
      deliveryId: stray?.deliveryId ?? (step !== null && isRunStep(step) ? step.deliveryId : null),
    })
    if (detail !== null) y += DETAIL
    lastBusiness = businessAt ?? lastBusiness
  }
  return {
    title: drawn.title,
    width: Math.max(right + spacing / 2 + MARGIN, 480),
    height: y + ROW,
    top: TOP - 12,
    lifelines,
    rows,
  }
}
