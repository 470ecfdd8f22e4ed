/** What a list shows of a run: all but its steps. */
import type { FlowRun, FlowRunSummary } from '../../shared/model/flow-run.ts'

export function summaryOfRun(run: FlowRun): FlowRunSummary {
  const { id, flow, origin, title, environment, mode, target, speed, handler, startedAt, endedAt, state, outcome, summary } = run
  return { id, flow, origin, title, environment, mode, target, speed, handler, startedAt, endedAt, state, outcome, summary }
}
