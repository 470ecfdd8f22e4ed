/**
 * Flow as a sequence diagram: lanes, a row for each step, bands for long waits. `drawing.ts` draws
 * it.
 */
import { failureLines, actionRow, deliveryRow, gaveUpRow } from './step-rows.ts'
import {
  type DiagramItem,
  itemsOf,
  isSilence,
  actorsOf,
  outcomeOf,
  noItem,
} from './diagram-items.ts'
import type { DrawnFlow, DiagramRow, RowDraft } from './diagram-row.ts'
import type { FlowPlanStep, FlowRun, FlowSpeed } from '../model/flow-run.ts'
import { labelOf, type Outcome } from '../model/outcomes.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, MAX_ATTEMPTS } from '../service/limits.ts'
import { failureText } from './received-words.ts'
import { actorOrder, momentWords, plainWords, timeWords } from './words.ts'

const DAY_MS = 86_400_000

/** Formats a wait: `24 h`, `2 d 8 h`. */
const waitLength = (ms: number) => (ms === DAY_MS ? '24 h' : timeWords(ms))

function waitUntil({ step, run, unexpected }: DiagramItem): string {
  const event = step?.event ?? unexpected?.event ?? null
  const number = run?.arrived?.attempt ?? Number(/attempt (\d)/.exec(step?.title ?? '')?.[1] ?? 1)
  if (number > 1) return number === MAX_ATTEMPTS ? 'until last retry' : 'until retry'
  const [, phase] = event?.split('.') ?? []
  if (event?.startsWith('transaction.') === true && phase !== undefined) return `until ${phase}`
  return event === null ? 'later' : `until ${event}`
}

/** Sandbox milliseconds from which a pause is drawn. */
const LONG_MS = 60_000
const since = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))

class RowBuilder {
  readonly #drawn: DrawnFlow
  readonly #rows: DiagramRow[] = []
  readonly #startedAt: string | null
  readonly #speed: FlowSpeed
  readonly #clock: FlowRun['clock']
  #lastBusiness: string | null
  #lastReal: string | null
  #hasTimedOut = false

  constructor(drawn: DrawnFlow) {
    this.#drawn = drawn
    const run = 'startedAt' in drawn ? drawn : null
    this.#startedAt = run?.startedAt ?? null
    this.#speed = run?.speed ?? 'max'
    this.#clock = run?.clock ?? null
    this.#lastBusiness = run?.businessStartedAt ?? null
    this.#lastReal = this.#startedAt
  }

  build(): readonly DiagramRow[] {
    for (const item of itemsOf(this.#drawn)) {
      this.#addItem(item)
      this.#lastBusiness = item.businessAt ?? this.#lastBusiness
      this.#lastReal = item.at ?? this.#lastReal
      const response = item.run?.response
      this.#hasTimedOut = response?.by === 'receiver' && response.kind === 'timeout'
      if (item.run?.gaveUp !== true) continue
      const gaveUp = gaveUpRow(item.run, item)
      this.#add(gaveUp.row, gaveUp.item, null)
    }
    return this.#rows
  }

  #addItem(item: DiagramItem): void {
    const { step } = item
    const outcome = outcomeOf(item)
    if (step !== null && (step.kind === 'wait' || isSilence(item))) {
      this.#addWait(step, item, outcome)
      return
    }
    this.#addPause(item, outcome)
    const isDelivery = step === null || step.kind === 'delivery' || step.kind === 'answer'
    this.#add(
      isDelivery ? deliveryRow(item, outcome, this.#drawn.steps) : actionRow(step, item, outcome),
      item,
      outcome,
    )
  }

  #add(draft: RowDraft, item: DiagramItem, outcome: Outcome | null): void {
    const { step, unexpected, businessAt, at } = item
    const businessTime = businessAt === null ? null : momentWords(businessAt)
    const startedAt = this.#startedAt
    const row = {
      ...{ ...actorsOf(item), ink: 'text' as const, isEvent: false, extra: null, lines: [] },
      ...{ arrow: null, response: null, progress: null, outcome, businessTime },
      realTime: at === null || startedAt === null ? null : `+${timeWords(since(startedAt, at))}`,
      place: step === null ? (unexpected?.deliveryId ?? null) : String(step.index),
      ...draft,
    }
    this.#rows.push({ ...row, words: wordsOf(row) })
  }

  /** Adds the pause before a step. */
  #addPause(item: DiagramItem, outcome: Outcome): void {
    const { step, businessAt, at } = item
    const wait = (title: string, details: Partial<DiagramRow>) =>
      this.#add({ kind: 'wait', title: `${title} ${waitUntil(item)}`, ...details }, noItem, null)
    if (businessAt !== null && this.#lastBusiness !== null) {
      const all = since(this.#lastBusiness, businessAt)
      // A retry counts from the failure, which a timeout delays.
      const isDelayed = this.#hasTimedOut && all > ACKNOWLEDGE_TIMEOUT_MS + LONG_MS / 2
      const passed = isDelayed ? all - ACKNOWLEDGE_TIMEOUT_MS : all
      if (passed >= this.#longMs) wait(waitLength(passed), { lines: this.#realLines(at) })
    } else if (step?.afterMs != null && step.afterMs >= LONG_MS) {
      const isRunning = outcome.tone === 'active'
      wait(`At least ${waitLength(step.afterMs)}`, {
        ink: isRunning ? 'text' : 'text-subtle',
        progress: isRunning ? this.#progress(step.afterMs) : null,
      })
    }
  }

  /** Adds a step that lets time pass, or that waits for nothing to arrive. */
  #addWait(step: FlowPlanStep, item: DiagramItem, outcome: Outcome): void {
    const { run, businessAt, at } = item
    const isDone = outcome.tone === 'good' && businessAt !== null
    const passed =
      isDone && isSilence(item) && this.#lastBusiness !== null
        ? Math.max(since(this.#lastBusiness, businessAt), 1)
        : (step.lastsMs ?? 0)
    const ends = isSilence(item) ? `, ${plainWords(step.title)}` : ' pass'
    const isPlain = outcome.tone === 'bad' || (!isDone && !isSilence(item))
    this.#add(
      {
        kind: 'wait',
        title: isPlain ? plainWords(step.title) : `${waitLength(passed)}${ends}`,
        ink: outcome.tone === 'neutral' ? 'text-subtle' : 'text',
        lines: isDone ? this.#realLines(at) : failureLines(run && failureText(run)),
        progress: outcome.tone === 'active' ? this.#progress(step.lastsMs ?? 0) : null,
      },
      item,
      outcome,
    )
  }

  /** Shortest pause to draw, which takes at least a second of real time. */
  get #longMs(): number {
    return this.#speed === 'max' ? LONG_MS : Math.max(LONG_MS, this.#speed * 1_000)
  }

  #progress(ms: number): DiagramRow['progress'] {
    if (this.#clock === null || this.#lastBusiness === null) return null
    const passed = Math.min(since(this.#lastBusiness, this.#clock.businessAt), ms)
    return {
      share: passed / ms,
      restMs: this.#speed === 'max' ? null : (ms - passed) / this.#speed,
    }
  }

  #realLines(at: string | null): DiagramRow['lines'] {
    if (at === null || this.#lastReal === null) return []
    const text = `in ${timeWords(since(this.#lastReal, at))} of real time`
    return [{ text, ink: 'text-muted' }]
  }
}

/** Describes a row for readers who can't see the drawing. */
function wordsOf(row: Omit<DiagramRow, 'words'>): string {
  const { outcome, title, extra, arrow, lines, response, businessTime } = row
  const isValid = arrow?.ink === 'ok'
  const all = [
    extra === null ? title : `${title} ${extra}`,
    isValid ? 'valid' : null,
    ...lines.map(({ text }) => text),
    response?.text ?? null,
    businessTime,
  ].filter((text) => text !== null)
  return `${outcome === null ? '' : `${labelOf(outcome)}: `}${all.join(', ')}`
}

export type Diagram = ReturnType<typeof diagramOf>

export function diagramOf(drawn: DrawnFlow) {
  const rows = new RowBuilder(drawn).build()
  const taking = new Set(rows.flatMap(({ kind, from, to }) => (kind === 'wait' ? [] : [from, to])))
  return {
    title: drawn.title,
    lanes: actorOrder.filter((actor) => taking.has(actor)),
    handlerName: 'handlerName' in drawn ? drawn.handlerName : null,
    rows,
  }
}
