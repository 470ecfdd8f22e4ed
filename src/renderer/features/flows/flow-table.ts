/** The rows of the table of flows: each flow with its last result, in sections by outcome. */
import type {
  FlowChange,
  FlowGroup,
  FlowGroupRow,
  FlowRunSummary,
  FlowSummary,
} from '../../../shared/model/flow-run.ts'
import { groupChanges, stepOutcomes, type Outcome } from '../../../shared/model/outcomes.ts'
import { isRunOf } from './run-origin.ts'

/** One flow in the table, with its last result. */
export interface FlowTableRow {
  readonly flow: FlowSummary
  /** `pending` and `running` only while a group runs; `none` if it never ran. */
  readonly status: 'fail' | 'skip' | 'pass' | 'pending' | 'running' | 'none'
  readonly happened: string
  /** Null if only the run's summary is known. */
  readonly counts: FlowGroupRow['counts'] | null
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

const statusOf = ({
  state,
  outcome,
}: Pick<FlowGroupRow, 'state' | 'outcome'>): FlowTableRow['status'] =>
  state === 'done' ? (outcome ?? 'none') : state === 'running' ? 'running' : 'pending'

/** The flow's finished run, if it is newer than the group. Runs of a group are part of it. */
function newerRun(
  flow: FlowSummary,
  group: FlowGroup | undefined,
  runs: readonly FlowRunSummary[],
): FlowRunSummary | undefined {
  const last = runs.find(
    (run) => isRunOf({ name: flow.name, origin: null }, run) && run.outcome !== null,
  )
  if (last === undefined || group === undefined) return last
  const isPart = group.rows.some(({ runId }) => runId === last.id)
  return !isPart && last.startedAt > (group.endedAt ?? last.startedAt) ? last : undefined
}

/** Each flow with its result in the group, or its own newer run. */
export function flowTable(
  flows: readonly FlowSummary[],
  groups: readonly FlowGroup[],
  before: FlowGroup | undefined,
  runs: readonly FlowRunSummary[],
): readonly FlowTableRow[] {
  const [group] = groups
  const changes = group === undefined ? new Map<string, FlowChange>() : groupChanges(before, group)
  return flows.map((flow): FlowTableRow => {
    const row = group?.rows.find((one) => one.flow === flow.name)
    const run = newerRun(flow, group, runs)
    if (run !== undefined) {
      const ms = run.endedAt === null ? null : Date.parse(run.endedAt) - Date.parse(run.startedAt)
      return {
        flow,
        status: run.outcome ?? 'none',
        happened: run.summary,
        counts: null,
        change: null,
        ms,
        runId: run.id,
      }
    }
    if (row === undefined)
      return {
        flow,
        status: 'none',
        happened: '',
        counts: null,
        change: null,
        ms: null,
        runId: null,
      }
    const { happened, ms, runId } = row
    const counts = row.state === 'done' && row.outcome !== null ? row.counts : null
    return {
      flow,
      status: statusOf(row),
      happened,
      counts,
      change: changes.get(flow.name) ?? null,
      ms,
      runId,
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
