/** Two runs of one flow, step by step: what was mended, what broke, and what only went otherwise. */
import type { FlowComparisonRow, FlowRun, FlowRunComparison, FlowRunStep } from '../../shared/model/flow-run.ts'
import { summaryOfRun } from './run-summary.ts'

/** Times and ids differ from run to run by their nature. */
function withoutNature(text: string | null): string {
  return (text ?? '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replaceAll(/[\d.]+ (ms|s|h)\b/g, 'time')
}

function isGood({ outcome }: FlowRunStep): boolean {
  return outcome === 'pass' || outcome === 'skip'
}

function rowOf(name: string, before: FlowRunStep | null, after: FlowRunStep | null): FlowComparisonRow {
  const title = after?.title ?? before?.title ?? name
  if (before === null) return { name, title, before, after, change: 'added', message: 'Only the later run has this step.' }
  if (after === null) return { name, title, before, after, change: 'removed', message: 'Only the earlier run has this step.' }
  const row = { name, title, before, after }
  if (!isGood(before) && isGood(after)) return { ...row, change: 'fixed', message: `Before: ${before.message}` }
  if (isGood(before) && !isGood(after)) return { ...row, change: 'broken', message: after.message }
  const isSame = before.outcome === after.outcome && withoutNature(before.message) === withoutNature(after.message)
  return isSame
    ? { ...row, change: 'same', message: '' }
    : { ...row, change: 'different', message: `Before: ${before.message} Now: ${after.message}` }
}

export function compareRuns(before: FlowRun, after: FlowRun): FlowRunComparison {
  const names = [...new Set([...before.steps, ...after.steps].map(({ name }) => name))]
  const named = (run: FlowRun, name: string) => run.steps.find((step) => step.name === name) ?? null
  return {
    before: summaryOfRun(before),
    after: summaryOfRun(after),
    rows: names.map((name) => rowOf(name, named(before, name), named(after, name))),
  }
}
