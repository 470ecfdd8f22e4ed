/**
 * A flow as a sequence diagram: a lane for each participant, a row for each step with its request and response, bands for long waits.
 * Rows are data: the window and the HTML report draw them (`drawing.ts`).
 */
import type {
  FlowActor,
  FlowPlan,
  FlowPlanStep,
  FlowRun,
  FlowRunStep,
  UnexpectedDelivery,
} from '../model/flow.ts'
import { isFailedStep, labelOf, stepOutcomes, type Outcome } from '../model/outcomes.ts'
import { eventTint, type EventTint } from '../service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, MAX_ATTEMPTS } from '../service/limits.ts'
import {
  arrivedWords,
  attemptWords,
  eventOf,
  factsWords,
  failureText,
  isRecordedOnly,
  isRunStep,
  responseText,
  type Received,
} from './story.ts'
import { actorOrder, momentWords, plainWords, timeWords } from './words.ts'

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

/** A color by its name in the app's themes. */
export type DiagramColor =
  'text' | 'text-muted' | 'text-subtle' | 'accent' | 'ok' | 'bad' | 'warn' | `event-${EventTint}`

export interface DiagramArrow {
  readonly ink: DiagramColor
  /** Before its tip; empty for none. */
  readonly glyph: string
  readonly isPlanned: boolean
}

export interface DiagramRow {
  readonly kind: 'action' | 'delivery' | 'check' | 'wait' | 'gave-up'
  /** Null if nothing is judged: a pause, or giving up. */
  readonly outcome: Outcome | null
  readonly from: FlowActor
  readonly to: FlowActor
  readonly title: string
  readonly ink: DiagramColor
  /** Whether the title is the name of an event. */
  readonly isEvent: boolean
  /** Beside the title: the attempt. */
  readonly extra: string | null
  /** What arrived, and what is wrong. */
  readonly lines: readonly { readonly text: string; readonly ink: DiagramColor }[]
  /** Null if the row is about one participant. */
  readonly arrow: DiagramArrow | null
  /** `isCut`: there was no complete response. */
  readonly response:
    (Omit<DiagramArrow, 'isPlanned'> & { readonly text: string; readonly isCut: boolean }) | null
  /** In sandbox time and since the start of the run; null until it happened. */
  readonly businessTime: string | null
  readonly realTime: string | null
  /** For a wait in progress: the share that has passed, and the real time left, in milliseconds; null if unknown. */
  readonly progress: { readonly share: number; readonly restMs: number | null } | null
  /** What a click selects: a step's number, or the ID of an unexpected delivery. Null for a pause and for giving up. */
  readonly place: string | null
  /** All of it as text. */
  readonly words: string
}

/** A step or an unexpected delivery, with its moments in sandbox time and real time. */
interface Item {
  readonly step: FlowPlanStep | null
  readonly run: FlowRunStep | null
  readonly unexpected: UnexpectedDelivery | null
  readonly businessAt: string | null
  readonly at: string | null
}

function itemsOf(drawn: Drawn): Item[] {
  const isHandled = !('handler' in drawn) || drawn.handler !== null
  const steps = drawn.steps.flatMap((step, index): Item[] => {
    const run = isRunStep(step) ? step : null
    const isLeftOut = !isHandled && step.kind === 'answer' && run?.outcome === 'skip'
    if (isLeftOut || isInNext(step, drawn.steps[index + 1])) return []
    return [
      { step, run, unexpected: null, businessAt: run?.businessAt ?? null, at: run?.at ?? null },
    ]
  })
  const strays = 'strays' in drawn ? drawn.strays : []
  return [
    ...steps,
    ...strays.map((unexpected): Item => ({ ...unexpected, step: null, run: null, unexpected })),
  ]
}

/** Whether the next step draws it: the attacker's preparation of the forged delivery that follows. */
function isInNext(step: FlowPlanStep, next: FlowPlanStep | undefined): boolean {
  if (step.kind !== 'trigger' || next?.kind !== 'delivery' || next.from !== 'attacker') return false
  return !isRunStep(step) || (step.state !== 'running' && !isFailedStep(step))
}

/** Whether nothing must arrive, as in a wait. */
const isSilence = ({ step, run }: Item) =>
  step?.kind === 'delivery' &&
  step.title.startsWith('no ') &&
  (run === null || run.deliveryId === null)

const endsOf = ({ step }: Item) => ({
  from: step?.from ?? ('service' as const),
  to: step?.to ?? ('receiver' as const),
})

function outcomeOf({ run, unexpected }: Item): Outcome {
  if (unexpected !== null) return stepOutcomes[unexpected.kind]
  return stepOutcomes[run?.outcome ?? (run?.state === 'running' ? 'running' : 'planned')]
}

// Rows

type Draft = Pick<DiagramRow, 'kind' | 'title'> & Partial<DiagramRow>

const failureLines = (text: string | null) => (text === null ? [] : [{ text, ink: 'bad' as const }])

/** What someone does, or a statement about one participant. */
function actionRow(step: FlowPlanStep, item: Item, outcome: Outcome): Draft {
  const isPlanned = outcome.tone === 'neutral'
  const ink = isPlanned ? 'text-subtle' : outcome.tone === 'bad' ? 'bad' : 'text-muted'
  return {
    kind: step.from === step.to ? 'check' : 'action',
    title: plainWords(step.title),
    ink: isPlanned ? 'text-subtle' : 'text',
    lines: failureLines(item.run && failureText(item.run)),
    arrow: step.from === step.to ? null : { ink, glyph: '', isPlanned },
  }
}

/** Green valid, red invalid, amber stale; gray without a signature, unless it is the attacker's. */
function requestArrow({ arrived }: Received, from: FlowActor): DiagramArrow {
  const drawn = (ink: DiagramColor, glyph: string) => ({ ink, glyph, isPlanned: false })
  if (arrived === null) return drawn(from === 'attacker' ? 'bad' : 'text-muted', '')
  if (arrived.verdict === 'valid')
    return arrived.freshness === 'fresh' ? drawn('ok', '✓') : drawn('warn', '!')
  return arrived.verdict === 'invalid' || from === 'attacker'
    ? drawn('bad', '✕')
    : drawn('text-muted', '?')
}

/** Green if it is what the step expects or the service counts, red otherwise; gray if the delivery was only recorded. */
function responseOf(item: Item, received: Received): DiagramRow['response'] {
  const text = responseText(item.run ?? received)
  const { response } = received
  if (response === null || text === null) return null
  const isCut = response.kind !== 'status'
  if (isRecordedOnly(received)) return { text, ink: 'text-subtle', glyph: '', isCut }
  // Your handler must reject a forged delivery, so its step judges the response.
  const isGood =
    response.by === 'handler' && item.run?.outcome != null
      ? item.run.outcome === 'pass'
      : response.acknowledged
  return { text, ink: isGood ? 'ok' : 'bad', glyph: isGood ? '✓' : '✕', isCut }
}

function deliveryRow(item: Item, outcome: Outcome, steps: readonly FlowPlanStep[]): Draft {
  const { step, run, unexpected } = item
  const received = run ?? unexpected ?? { arrived: null, response: null }
  const { arrived } = received
  const event = step === null ? (unexpected?.event ?? null) : eventOf(step, steps)
  const isForwarded = step?.kind === 'answer'
  const isOpen =
    outcome.tone === 'neutral' || outcome.tone === 'active' || run?.outcome === 'missing'
  const tint = event === null ? null : eventTint(event)
  const planned = arrived === null ? /attempt (\d)/.exec(step?.title ?? '')?.[1] : undefined
  const isWrong = arrived !== null && (arrived.verdict !== 'valid' || arrived.freshness !== 'fresh')
  const request = requestArrow(received, endsOf(item).from)
  const facts = isOpen || isForwarded ? null : factsWords(event, arrived?.facts ?? null)
  const openInk =
    run?.outcome === 'missing' ? 'bad' : outcome.tone === 'active' ? 'accent' : 'text-subtle'
  return {
    kind: 'delivery',
    title: event ?? plainWords(step?.title ?? 'Delivery'),
    ink: tint === null ? 'text' : `event-${tint}`,
    isEvent: event !== null,
    extra: isForwarded
      ? null
      : planned === undefined
        ? attemptWords(received)
        : `attempt ${planned} of ${MAX_ATTEMPTS}`,
    lines: [
      ...(isWrong && !isForwarded
        ? [{ text: labelOf({ word: arrivedWords(arrived) }), ink: request.ink }]
        : []),
      ...(facts === null ? [] : [{ text: facts, ink: 'text' as const }]),
      ...failureLines(
        unexpected === null ? run && failureText(run) : plainWords(unexpected.message),
      ),
      ...(run?.outcome === 'skip'
        ? [{ text: plainWords(run.message), ink: 'text-subtle' as const }]
        : []),
    ],
    arrow: isOpen ? { ink: openInk, glyph: '', isPlanned: true } : request,
    response: isOpen ? null : responseOf(item, received),
  }
}

/** The service stops after the last failed attempt. */
function gaveUpRow({ arrived, response, from }: FlowRunStep, { businessAt, at }: Item) {
  const later = (iso: string | null) =>
    iso === null ? null : new Date(Date.parse(iso) + (response?.ms ?? 0)).toISOString()
  const row: Draft = {
    kind: 'gave-up',
    title: `Gave up after attempt ${arrived?.attempt ?? MAX_ATTEMPTS}`,
    ink: 'bad',
    lines: [{ text: 'Delivery abandoned. No more retries.', ink: 'text-muted' }],
    from,
    to: from,
  }
  return { row, item: { ...noItem, businessAt: later(businessAt), at: later(at) } }
}

const noItem: Item = { step: null, run: null, unexpected: null, businessAt: null, at: null }

const DAY_MS = 86_400_000

/** `24 h`, `2 d 8 h`. */
const waitLength = (ms: number) => (ms === DAY_MS ? '24 h' : timeWords(ms))

/** What a pause leads to. */
function waitUntil({ step, run, unexpected }: Item): string {
  const event = step?.event ?? unexpected?.event ?? null
  const number = run?.arrived?.attempt ?? Number(/attempt (\d)/.exec(step?.title ?? '')?.[1] ?? 1)
  if (number > 1) return number === MAX_ATTEMPTS ? 'until last retry' : 'until retry'
  const [, phase] = event?.split('.') ?? []
  if (event?.startsWith('transaction.') === true && phase !== undefined) return `until ${phase}`
  return event === null ? 'later' : `until ${event}`
}

/** Pauses from this length on, in sandbox time, are drawn as waits. In milliseconds. */
const LONG_MS = 60_000
const since = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))

function rowsOf(drawn: Drawn): DiagramRow[] {
  const rows: DiagramRow[] = []
  const startedAt = 'startedAt' in drawn ? drawn.startedAt : null
  const speed = 'speed' in drawn ? drawn.speed : 'max'
  const clock = 'clock' in drawn ? drawn.clock : null
  // At an hour per second, minutes don't count as a wait: only pauses of a second or more in real time count.
  const long = speed === 'max' ? LONG_MS : Math.max(LONG_MS, speed * 1_000)
  let lastBusiness = 'businessStartedAt' in drawn ? drawn.businessStartedAt : null
  let lastReal = startedAt
  let hasTimedOut = false

  const add = (draft: Draft, item: Item, outcome: Outcome | null) => {
    const { step, unexpected, businessAt, at } = item
    const businessTime = businessAt === null ? null : momentWords(businessAt)
    const row = {
      ...{ ...endsOf(item), ink: 'text' as const, isEvent: false, extra: null, lines: [] },
      ...{ arrow: null, response: null, progress: null, outcome, businessTime },
      realTime: at === null || startedAt === null ? null : `+${timeWords(since(startedAt, at))}`,
      place: step === null ? (unexpected?.deliveryId ?? null) : String(step.index),
      ...draft,
    }
    rows.push({ ...row, words: wordsOf(row) })
  }

  /** A wait in progress, by the run's last known clock. */
  const progressOf = (ms: number): DiagramRow['progress'] => {
    if (clock === null || lastBusiness === null) return null
    const passed = Math.min(since(lastBusiness, clock.businessAt), ms)
    return { share: passed / ms, restMs: speed === 'max' ? null : (ms - passed) / speed }
  }
  const realLines = (at: string | null) =>
    at === null || lastReal === null
      ? []
      : [{ text: `in ${timeWords(since(lastReal, at))} of real time`, ink: 'text-muted' as const }]

  /** The pause before a step: the time passed once it happened, the expected time before. */
  function addPause(item: Item, outcome: Outcome): void {
    const { step, businessAt, at } = item
    const wait = (title: string, more: Partial<DiagramRow>) =>
      add({ kind: 'wait', title: `${title} ${waitUntil(item)}`, ...more }, noItem, null)
    if (businessAt !== null && lastBusiness !== null) {
      const all = since(lastBusiness, businessAt)
      // A retry counts from the failure, which a timeout delays.
      const isDelayed = hasTimedOut && all > ACKNOWLEDGE_TIMEOUT_MS + LONG_MS / 2
      const passed = isDelayed ? all - ACKNOWLEDGE_TIMEOUT_MS : all
      if (passed >= long) wait(waitLength(passed), { lines: realLines(at) })
    } else if (step?.afterMs != null && step.afterMs >= LONG_MS) {
      const isRunning = outcome.tone === 'active'
      wait(`At least ${waitLength(step.afterMs)}`, {
        ink: isRunning ? 'text' : 'text-subtle',
        progress: isRunning ? progressOf(step.afterMs) : null,
      })
    }
  }

  /** A step that lets time pass, or that waits for nothing to arrive. */
  function addWait(step: FlowPlanStep, item: Item, outcome: Outcome): void {
    const { run, businessAt, at } = item
    const isDone = outcome.tone === 'good' && businessAt !== null
    const passed =
      isDone && isSilence(item) && lastBusiness !== null
        ? Math.max(since(lastBusiness, businessAt), 1)
        : (step.lastsMs ?? 0)
    const ends = isSilence(item) ? `, ${plainWords(step.title)}` : ' pass'
    const isPlain = outcome.tone === 'bad' || (!isDone && !isSilence(item))
    add(
      {
        kind: 'wait',
        title: isPlain ? plainWords(step.title) : `${waitLength(passed)}${ends}`,
        ink: outcome.tone === 'neutral' ? 'text-subtle' : 'text',
        lines: isDone ? realLines(at) : failureLines(run && failureText(run)),
        progress: outcome.tone === 'active' ? progressOf(step.lastsMs ?? 0) : null,
      },
      item,
      outcome,
    )
  }

  for (const item of itemsOf(drawn)) {
    const { step, run, businessAt, at } = item
    const outcome = outcomeOf(item)
    if (step !== null && (step.kind === 'wait' || isSilence(item))) addWait(step, item, outcome)
    else {
      addPause(item, outcome)
      const isDelivery = step === null || step.kind === 'delivery' || step.kind === 'answer'
      add(
        isDelivery ? deliveryRow(item, outcome, drawn.steps) : actionRow(step, item, outcome),
        item,
        outcome,
      )
    }
    lastBusiness = businessAt ?? lastBusiness
    lastReal = at ?? lastReal
    hasTimedOut = run?.response?.by === 'receiver' && run.response.kind === 'timeout'
    if (run?.gaveUp === true) {
      const gaveUp = gaveUpRow(run, item)
      add(gaveUp.row, gaveUp.item, null)
    }
  }
  return rows
}

/** A row as text, for readers who can't see the drawing. */
function wordsOf(row: Omit<DiagramRow, 'words'>): string {
  const { outcome, title, extra, arrow, lines, response, businessTime } = row
  const isValid = arrow?.ink === 'ok'
  const all = [
    extra === null ? title : `${title} ${extra}`,
    isValid ? 'valid' : null,
    ...lines.map(({ text }) => text),
    response?.text ?? null,
    businessTime,
  ].filter((one) => one !== null)
  return `${outcome === null ? '' : `${labelOf(outcome)}: `}${all.join(', ')}`
}

export type Diagram = ReturnType<typeof diagramOf>

export function diagramOf(drawn: Drawn) {
  const rows = rowsOf(drawn)
  const taking = new Set(rows.flatMap(({ kind, from, to }) => (kind === 'wait' ? [] : [from, to])))
  return {
    title: drawn.title,
    lanes: actorOrder.filter((actor) => taking.has(actor)),
    handlerName: 'handlerName' in drawn ? drawn.handlerName : null,
    rows,
  }
}
