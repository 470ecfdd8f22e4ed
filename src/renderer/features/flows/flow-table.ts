/** The rows of the table of flows: each flow with its last result, in sections by outcome. */
import type { FlowChange, FlowRunSummary, FlowSummary } from '../../../shared/model/flow.ts'
import { flowChangeOf, stepOutcomes, type Outcome } from '../../../shared/model/outcomes.ts'
import type { FlowSeries } from './flow-list-slice.ts'

/** One flow in the table, with its last result. */
export interface FlowTableRow {
  readonly flow: FlowSummary
  /** `pending` and `running` only while flows run one after the other; `none` if it never ran. */
  readonly status: 'fail' | 'skip' | 'pass' | 'pending' | 'running' | 'none'
  readonly happened: string
  /** Since the run before. */
  readonly change: FlowChange | null
  readonly ms: number | null
  readonly runId: string | null
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

/** The window knows only a file's name and the command line its path, so compare names. */
export function isRunOf(
  { name, origin }: { readonly name: string; readonly origin: string | null },
  run: Pick<FlowRunSummary, 'flow' | 'origin'>,
): boolean {
  if (run.flow !== name) return false
  if (origin === null || run.origin === null) return origin === run.origin
  return nameOfFile(origin) === nameOfFile(run.origin)
}

/** Each flow with its last finished run. */
export function flowTable(
  flows: readonly FlowSummary[],
  runs: readonly FlowRunSummary[],
  { series, includesLive }: { readonly series: FlowSeries | null; readonly includesLive: boolean },
): readonly FlowTableRow[] {
  return flows.map((flow): FlowTableRow => {
    const last = runs.find(
      (run) => isRunOf({ name: flow.name, origin: null }, run) && run.outcome !== null,
    )
    const place = series === null ? -1 : series.names.indexOf(flow.name) - series.done
    const underWay = place < 0 ? null : place === 0 ? 'running' : 'pending'
    if (last === undefined) {
      const isLeftOut = flow.mode === 'live' && !includesLive
      return {
        flow,
        status: underWay ?? (isLeftOut ? 'skip' : 'none'),
        happened: isLeftOut ? 'Live-mode payloads not allowed.' : '',
        change: null,
        ms: null,
        runId: null,
      }
    }
    const { id, outcome, happened, summary, startedAt, endedAt } = last
    return {
      flow,
      status: underWay ?? outcome ?? 'none',
      happened: happened || summary,
      change: flowChangeOf(last, runs),
      ms: endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt),
      runId: id,
    }
  })
}

const sections: readonly (readonly [
  title: string,
  outcome: Outcome,
  ...statuses: FlowTableRow['status'][],
])[] = [
  ['Failed', stepOutcomes.fail, 'fail'],
  ['In progress', stepOutcomes.running, 'running', 'pending'],
  ['Skipped', stepOutcomes.skip, 'skip'],
  ['Passed', stepOutcomes.pass, 'pass'],
  ['Not run yet', stepOutcomes.planned, 'none'],
]

/** The sections of the table in a fixed order, without empty ones. */
export function flowSections(rows: readonly FlowTableRow[]) {
  return sections
    .map(([title, outcome, ...statuses]) => ({
      title,
      outcome,
      rows: rows.filter(({ status }) => statuses.includes(status)),
    }))
    .filter((section) => section.rows.length > 0)
}

const outcomeOf: Readonly<Record<FlowTableRow['status'], Outcome>> = {
  ...{ fail: stepOutcomes.fail, skip: stepOutcomes.skip, pass: stepOutcomes.pass },
  ...{ pending: stepOutcomes.planned, running: stepOutcomes.running, none: stepOutcomes.planned },
}

export function lookOfRow({ status }: Pick<FlowTableRow, 'status'>): Outcome {
  return status === 'none' ? { ...stepOutcomes.planned, word: 'not run yet' } : outcomeOf[status]
}
