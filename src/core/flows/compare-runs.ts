/**
 * Two runs of one flow, step by step, compared by outcome and by the rule that failed: what was fixed, what regressed. Data differs
 * from run to run (ids, card numbers, durations) and is not compared.
 */
import type { FlowComparisonRow, FlowRun, FlowRunComparison, FlowRunStep } from '../../shared/model/flow-run.ts'
import { isFailedStep } from '../../shared/model/outcomes.ts'
import { summaryOfRun } from './run-summary.ts'

function changeOf(before: FlowRunStep, after: FlowRunStep): FlowComparisonRow['change'] {
  if (isFailedStep(before) && after.outcome === 'pass') return 'fixed'
  if (!isFailedStep(before) && isFailedStep(after)) return 'broken'
  return before.outcome === after.outcome && before.rule === after.rule ? 'same' : 'different'
}

function messageOf(change: FlowComparisonRow['change'], before: FlowRunStep, after: FlowRunStep): string {
  if (change === 'fixed') return `Before: ${before.message}`
  if (change === 'different') return `Before: ${before.message} Now: ${after.message}`
  return isFailedStep(after) ? after.message : ''
}

function rowOf(name: string, before: FlowRunStep | null, after: FlowRunStep | null): FlowComparisonRow {
  const title = after?.title ?? before?.title ?? name
  if (before === null) return { name, title, before, after, change: 'added', message: 'Only the later run has this step.' }
  if (after === null) return { name, title, before, after, change: 'removed', message: 'Only the earlier run has this step.' }
  const change = changeOf(before, after)
  return { name, title, before, after, change, message: messageOf(change, before, after) }
}

/** Compares a run with an earlier one of the same flow. */
export function compareRuns(before: FlowRun, after: FlowRun): FlowRunComparison {
  const names = [...new Set([...before.steps, ...after.steps].map(({ name }) => name))]
  const named = (run: FlowRun, name: string) => run.steps.find((step) => step.name === name) ?? null
  return {
    before: summaryOfRun(before),
    after: summaryOfRun(after),
    rows: names.map((name) => rowOf(name, named(before, name), named(after, name))),
  }
}
