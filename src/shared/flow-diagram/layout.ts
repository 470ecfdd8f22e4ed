/**
 * Lays out a flow's sequence diagram: lifelines, arrows, notes, and gaps for long pauses. Pure: the same run gives the same drawing
 * on screen and in a file.
 */
import type { FlowActor } from '../model/flow.ts'
import type { FlowPlan, FlowPlanStep, FlowRun, FlowRunStep, FlowStray } from '../model/flow-run.ts'
import { breakLines, textWidth } from './text-width.ts'
import { actorLabels, actorOrder, momentWords, timeWords } from './words.ts'

/** A flow before it runs, or a run of it. */
export type Drawn =
  | Pick<FlowPlan, 'title' | 'steps'>
  | Pick<FlowRun, 'title' | 'steps' | 'strays' | 'speed' | 'startedAt' | 'businessStartedAt' | 'clock'>

export interface Lifeline {
  readonly actor: FlowActor
  readonly label: string
  readonly x: number
}

/** The look of a step before or after it ran. */
export type Look = 'planned' | 'running' | 'pass' | 'fail' | 'skip' | 'missing' | 'stray'

export interface DiagramRow {
  readonly kind: 'arrow' | 'note' | 'gap'
  readonly top: number
  readonly height: number
  /** The position of the arrow, or the middle of a note or gap. */
  readonly y: number
  /** Equal for a note on one lifeline. */
  readonly fromX: number
  readonly toX: number
  /** The size of a note's box. */
  readonly boxWidth: number
  readonly label: string
  /** The label's lines. */
  readonly lines: readonly string[]
  /** Additional text: why it failed, or what a delivery contained. */
  readonly detail: string | null
  readonly details: readonly string[]
  /** The response of your handler, shown on the way back. */
  readonly answer: string | null
  readonly look: Look
  /** Deliveries are the subject, so they are drawn bolder. */
  readonly isDelivery: boolean
  /** How much of a gap has passed, from 0 to 1; null if unknown. */
  readonly progress: number | null
  /** Sandbox time and real time as text; null before it happened. */
  readonly businessTime: string | null
  readonly realTime: string | null
  /** The step of this row; null for gaps and unexpected deliveries. */
  readonly step: number | null
  readonly deliveryId: string | null
}

export interface DiagramLayout {
  readonly title: string
  readonly width: number
  readonly height: number
  /** The top of the first row. */
  readonly top: number
  readonly lifelines: readonly Lifeline[]
  readonly rows: readonly DiagramRow[]
}

/** Width of the time column, and of each lifeline in a file. */
export const TIMES_WIDTH = 136
const SPACING = 196
const TOP = 84
const PAD = 9
export const LINE = 15
/** From the top of a line to its baseline. */
export const ASCENT = 11
const SHORTEST = 42
const GAP = 48
const REPLY = 22
/** Pauses from this length on, in sandbox time, are drawn as gaps. In milliseconds. */
const LONG_MS = 60_000

function isRunStep(step: FlowPlanStep): step is FlowRunStep {
  return 'state' in step
}

function lookOf(step: FlowPlanStep): Look {
  if (!isRunStep(step)) return 'planned'
  return step.outcome ?? (step.state === 'running' ? 'running' : 'planned')
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

const since = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))

/** The text under a step's arrow: why it failed, or what a delivery contained. */
function detailOf(step: FlowPlanStep | null, stray: FlowStray | null, look: Look): string | null {
  if (stray !== null) return stray.message
  if (step === null || !isRunStep(step)) return null
  if (look === 'fail' || look === 'missing') return step.message === '' ? null : step.message
  return look === 'pass' && step.kind === 'delivery' ? step.told : null
}

function answerOf(step: FlowPlanStep | null): string | null {
  if (step === null || !isRunStep(step) || step.kind !== 'answer' || step.state !== 'done' || step.outcome === 'skip') return null
  return step.got
}

interface Gap {
  readonly label: string
  readonly detail: string | null
  readonly look: Look
  readonly ms: number
  readonly progress: number | null
  readonly step: number | null
}

/** Longer waits are taller: a minute is 48 pixels, two days 62. */
function gapHeight(ms: number): number {
  return Math.round(GAP + 4 * Math.log10(Math.max(1, ms / LONG_MS)))
}

/** `spacing`: the distance between lifelines, for screens narrower than a file. */
export function layoutDiagram(drawn: Drawn, { spacing = SPACING }: { readonly spacing?: number } = {}): DiagramLayout {
  const taking = new Set<FlowActor>(drawn.steps.flatMap(({ from, to }) => [from, to]))
  if ('strays' in drawn && drawn.strays.length > 0) taking.add('service').add('receiver')
  const lifelines = actorOrder
    .filter((actor) => taking.has(actor))
    .map((actor, index): Lifeline => ({ actor, label: actorLabels[actor], x: TIMES_WIDTH + spacing / 2 + index * spacing }))
  const xOf = (actor: FlowActor) => lifelines.find((lifeline) => lifeline.actor === actor)?.x ?? 0
  const left = lifelines[0]?.x ?? 0
  const right = lifelines.at(-1)?.x ?? left
  const width = Math.max(right + spacing / 2, 480)
  const edge = width - 12

  // At an hour per second, minutes don't count as a wait: only gaps of a second or more in real time count.
  const long = 'speed' in drawn && drawn.speed !== 'max' ? Math.max(LONG_MS, drawn.speed * 1_000) : LONG_MS
  const rows: DiagramRow[] = []
  let top = TOP
  let lastBusiness = 'businessStartedAt' in drawn ? drawn.businessStartedAt : null
  let lastReal = 'startedAt' in drawn ? drawn.startedAt : null

  const add = (row: Omit<DiagramRow, 'top'>) => {
    rows.push({ ...row, top })
    top += row.height
  }
  const addGap = ({ label, detail, look, ms, progress, step }: Gap) => {
    const height = gapHeight(ms)
    add({
      kind: 'gap',
      height,
      y: top + height / 2,
      fromX: left,
      toX: right,
      boxWidth: 0,
      label,
      lines: [label],
      detail,
      details: detail === null ? [] : [detail],
      answer: null,
      look,
      isDelivery: false,
      progress,
      businessTime: null,
      realTime: null,
      step,
      deliveryId: null,
    })
  }

  /** The progress of a running wait, by the run's last known clock. */
  const progressOf = (ms: number): { readonly passed: number; readonly share: number } => {
    const now = 'clock' in drawn ? drawn.clock : null
    const passed = now === null || lastBusiness === null ? 0 : since(lastBusiness, now.businessAt)
    return { passed, share: Math.min(1, passed / ms) }
  }

  /** The pause before a delivery: the time passed once it arrived, the expected time before. */
  function gapBefore(step: FlowPlanStep | null, businessAt: string | null, at: string | null): void {
    const look = step === null ? 'pass' : lookOf(step)
    if (businessAt !== null && lastBusiness !== null) {
      const passed = since(lastBusiness, businessAt)
      const real = at === null || lastReal === null ? null : `in ${timeWords(since(lastReal, at))} of real time`
      if (passed >= long)
        addGap({
          label: `${timeWords(passed)} of sandbox time`,
          detail: real,
          look: 'pass',
          ms: passed,
          progress: null,
          step: null,
        })
      return
    }
    if (step?.afterMs == null || step.afterMs < LONG_MS) return
    const least = timeWords(step.afterMs)
    const { passed, share } = progressOf(step.afterMs)
    if (look === 'running')
      addGap({
        label: `${timeWords(passed)} of at least ${least}`,
        detail: 'of sandbox time passed',
        look,
        ms: step.afterMs,
        progress: share,
        step: null,
      })
    else addGap({ label: `At least ${least} of sandbox time`, detail: null, look, ms: step.afterMs, progress: null, step: null })
  }

  function addWait(step: FlowPlanStep, businessAt: string | null, at: string | null): void {
    const look = lookOf(step)
    const ms = step.lastsMs ?? 0
    const { passed, share } = progressOf(ms)
    const real = at === null || lastReal === null ? null : `in ${timeWords(since(lastReal, at))} of real time`
    const detail = look === 'running' ? `${timeWords(passed)} passed` : businessAt === null ? null : real
    addGap({ label: step.title, detail, look, ms, progress: look === 'running' ? share : null, step: step.index })
  }

  /** The row of an item. */
  function addRow({ step, stray, businessAt, at }: Item): void {
    const look = step === null ? 'stray' : lookOf(step)
    const from = xOf(step?.from ?? 'service')
    const to = xOf(step?.to ?? 'receiver')
    const start = Math.min(from, to)
    const isNote = step !== null && step.from === step.to
    const label = step?.title ?? `${stray?.event ?? 'delivery'} (${stray?.kind ?? 'unexpected'})`
    const detail = detailOf(step, stray, look)
    const answer = answerOf(step)
    // The label starts with a status icon.
    const within = isNote ? Math.min(260, edge - TIMES_WIDTH) : Math.abs(to - from) - 16 - 14
    const broken = breakLines(label, within, 3)
    // Text that doesn't fit above its arrow in two lines extends beyond it.
    const lines = isNote || broken.length < 3 ? broken : breakLines(label, edge - start - 22, 2)
    const isBad = look === 'fail' || look === 'missing' || look === 'stray'
    const details =
      detail === null ? [] : breakLines(detail, isBad || isNote ? edge - start - 8 : Math.max(within + 14, 150), isBad ? 3 : 2)
    const boxWidth = isNote ? Math.max(...lines.map((line) => textWidth(line))) + 14 + 20 : 0
    const head = PAD + lines.length * LINE + (isNote ? PAD : 3)
    const foot = (details.length === 0 ? 0 : details.length * LINE + 4) + (answer === null ? 0 : REPLY) + PAD
    add({
      kind: isNote ? 'note' : 'arrow',
      height: Math.max(SHORTEST, head + foot),
      y: top + (isNote ? head / 2 + 2 : head),
      fromX: from,
      toX: to,
      boxWidth,
      label,
      lines,
      detail,
      details,
      answer,
      look,
      isDelivery: step === null || step.kind === 'delivery',
      progress: null,
      businessTime: businessAt === null ? null : momentWords(businessAt),
      realTime: at === null || !('startedAt' in drawn) ? null : `+${timeWords(since(drawn.startedAt, at))}`,
      step: step?.index ?? null,
      deliveryId: stray?.deliveryId ?? (step !== null && isRunStep(step) ? step.deliveryId : null),
    })
  }

  for (const item of itemsOf(drawn)) {
    const { step, businessAt, at } = item
    if (step?.kind === 'wait') addWait(step, businessAt, at)
    else {
      gapBefore(step, businessAt, at)
      addRow(item)
    }
    lastBusiness = businessAt ?? lastBusiness
    lastReal = at ?? lastReal
  }
  return { title: drawn.title, width, height: top + 20, top: TOP, lifelines, rows }
}
