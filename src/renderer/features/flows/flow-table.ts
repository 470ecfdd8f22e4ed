/** The rows of the list of flows: each flow with its last result, failures first. */
import type { FlowChange, FlowRunSummary, FlowSummary } from '../../../shared/model/flow-run.ts'
import { labelOf, type Outcome } from '../../../shared/model/outcomes.ts'
import { flowChangeOf, outcomeOfRun, stepOutcomes } from '../../../shared/model/flow-outcomes.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { counted } from '../../../shared/text/english.ts'
import { calendarDay, clockTime, dayUnlessToday } from '../../ui/moment.ts'

/** Flows that run one after the other. */
export interface FlowSeries {
  /** Names of the flows of the series, in order. */
  readonly names: readonly string[]
  /** Number of finished runs. */
  readonly done: number
  readonly isCancelled: boolean
}

/** Row of a flow, with its last finished run. */
export interface FlowTableRow {
  readonly flow: FlowSummary
  readonly outcome: Outcome
  readonly hasFailed: boolean
  /** Sentence about the last run; empty if the flow never ran. */
  readonly happened: string
  /** Since the run before. */
  readonly change: FlowChange | null
  readonly ms: number | null
  readonly runId: string | null
  readonly startedAt: string | null
}

/** Flows that contain every word in their name, title or description. */
export function searchFlows(flows: readonly FlowSummary[], text: string): readonly FlowSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return flows.filter(({ name, title, about, mode }) => {
    const whole = `${name} ${title} ${about ?? ''} ${mode}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}

function nameOfFile(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path
}

/**
 * Whether a run is of this flow. Compares names: the window knows only a file's name, the command
 * line its path.
 */
export function isRunOf(
  { name, origin }: { readonly name: string; readonly origin: string | null },
  run: Pick<FlowRunSummary, 'flow' | 'origin'>,
): boolean {
  if (run.flow !== name) return false
  if (origin === null || run.origin === null) return origin === run.origin
  return nameOfFile(origin) === nameOfFile(run.origin)
}

/** Returns the heading of a run: `Failed · 21 Nov 2026, 16:00:00.123 · @local`. */
export function runTitle(run: FlowRunSummary): string {
  const { startedAt, handler, handlerName } = run
  const to = handlerName === null ? handler : `@${handlerName}`
  return [labelOf(outcomeOfRun(run)), `${calendarDay(startedAt)}, ${clockTime(startedAt)}`, to]
    .filter((one) => one !== null)
    .join(' · ')
}

const notRun = stepOutcomes['not-run']
/** Outcome of a live flow once all others were run. */
const liveNotRun = { ...notRun }

/** Groups of rows, in their order, with their titles. */
const groupTitles = {
  failed: labelOf(stepOutcomes.fail),
  running: 'In progress',
  skipped: labelOf(stepOutcomes.skip),
  'live-not-run': 'Not run, live mode',
  passed: labelOf(stepOutcomes.pass),
  'not-run': labelOf(notRun),
} as const

type FlowGroup = keyof typeof groupTitles

const groupOrder = Object.keys(groupTitles) as readonly FlowGroup[]

function groupOf({ outcome }: Pick<FlowTableRow, 'outcome'>): FlowGroup {
  if (outcome === notRun) return 'not-run'
  if (outcome === liveNotRun) return 'live-not-run'
  if (outcome.glyph === 'fail') return 'failed'
  if (outcome.glyph === 'running' || outcome.glyph === 'waiting') return 'running'
  return outcome.glyph === 'skip' ? 'skipped' : 'passed'
}

/** Groups sorted rows by their outcome. */
export function groupRows(
  rows: readonly FlowTableRow[],
): readonly { readonly title: string; readonly rows: readonly FlowTableRow[] }[] {
  const groups = Map.groupBy(rows, groupOf)
  return [...groups].map(([group, members]) => ({ title: groupTitles[group], rows: members }))
}

type RunHandler = Pick<SavedHandler, 'name' | 'url'> | null

/** Whether a run's responses are those of a handler; null for none. */
function isRunWith(run: FlowRunSummary, handler: RunHandler): boolean {
  if (handler === null) return run.handler === null
  return run.handlerName === null ? run.handler === handler.url : run.handlerName === handler.name
}

/**
 * Lists each flow with its last finished run with a handler, or without one: failures first, then
 * those in progress.
 */
export function flowTable(
  flows: readonly FlowSummary[],
  allRuns: readonly FlowRunSummary[],
  { series, handler }: { readonly series: FlowSeries | null; readonly handler: RunHandler },
): readonly FlowTableRow[] {
  const runs = allRuns.filter((run) => isRunWith(run, handler))
  const isRestRun = flows.every(
    ({ name, mode }) => mode === 'live' || runs.some(({ flow }) => flow === name),
  )
  const rows = flows.map((flow): FlowTableRow => {
    const last = runs.find(
      (run) => isRunOf({ name: flow.name, origin: null }, run) && run.outcome !== null,
    )
    const place = series === null ? -1 : series.names.indexOf(flow.name) - series.done
    const missing = isRestRun && flow.mode === 'live' ? liveNotRun : notRun
    const finished = last === undefined ? missing : outcomeOfRun(last)
    const outcome = place < 0 ? finished : place === 0 ? stepOutcomes.running : stepOutcomes.planned
    return {
      flow,
      outcome,
      hasFailed: outcome.tone === 'bad',
      happened: last === undefined ? '' : last.reason || last.happened || last.summary,
      change: last === undefined ? null : flowChangeOf(last, runs),
      ms: last?.endedAt == null ? null : Date.parse(last.endedAt) - Date.parse(last.startedAt),
      runId: last?.id ?? null,
      startedAt: last?.startedAt ?? null,
    }
  })
  const rankOf = (row: FlowTableRow) => groupOrder.indexOf(groupOf(row))
  return rows.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/**
 * Sums up all flows: `@local, today 21:02: 11 of 24 flows failed, 2 regressed and 3 fixed since the
 * last run.`
 */
export function resultWords(rows: readonly FlowTableRow[], handler: RunHandler): string {
  const ran = rows.filter(({ runId }) => runId !== null)
  if (ran.length === 0) return handler === null ? 'Not run.' : `Not run with @${handler.name}.`
  const failed = ran.filter(({ hasFailed }) => hasFailed).length
  const checked = ran.filter(({ outcome }) => outcome.tone !== 'neutral').length
  const last =
    ran
      .map(({ startedAt }) => startedAt ?? '')
      .toSorted()
      .at(-1) ?? ''
  const when = `${dayUnlessToday(last) ?? 'today'} ${clockTime(last).slice(0, 5)}`
  const count =
    failed > 0
      ? `${failed} of ${ran.length} flows failed`
      : `${checked} of ${ran.length} flows passed`
  const head =
    handler === null && failed === 0
      ? `${counted(ran.length, 'flow')} run, ${when}. Not checked: no handler`
      : `${handler === null ? 'Without a handler' : `@${handler.name}`}, ${when}: ${count}`
  const changes = (['regressed', 'fixed'] as const).flatMap((change) => {
    const changed = ran.filter((row) => row.change === change).length
    return changed === 0 ? [] : [`${changed} ${change}`]
  })
  const live = rows.filter(({ outcome }) => outcome === liveNotRun).length
  const rest = live === 0 ? '' : ` ${counted(live, 'live flow')} not run.`
  const since = changes.length === 0 ? '' : `, ${changes.join(' and ')} since the last run`
  return `${head}${since}.${rest}`
}
