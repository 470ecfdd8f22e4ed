import type {
  FlowChange,
  FlowOutcome,
  FlowRun,
  FlowRunSummary,
  UnexpectedDelivery,
} from './flow-run.ts'
import { type Outcome, mark } from './outcomes.ts'

export const stepOutcomes: Readonly<
  Record<FlowOutcome | 'planned' | 'running' | UnexpectedDelivery['kind'], Outcome>
> = {
  planned: mark('waiting', 'neutral', 'pending'),
  running: mark('running', 'active', 'running'),
  pass: mark('pass', 'good', 'passed'),
  fail: mark('fail', 'bad', 'failed'),
  skip: mark('skip', 'neutral', 'skipped'),
  missing: mark('missing', 'bad', 'missing'),
  unexpected: mark('warn', 'bad', 'unexpected'),
  duplicate: mark('warn', 'bad', 'duplicate'),
}

const runStates: Readonly<Record<Exclude<FlowRunSummary['state'], 'done'>, Outcome>> = {
  running: mark('running', 'active', 'running'),
  paused: mark('waiting', 'warn', 'paused'),
  cancelled: mark('skip', 'neutral', 'cancelled'),
  interrupted: mark('skip', 'warn', 'interrupted'),
}

/** Judges a flow run; without a handler, nothing was checked. */
export function outcomeOfRun({
  state,
  outcome,
  handler,
}: Pick<FlowRunSummary, 'state' | 'outcome' | 'handler'>): Outcome {
  if (state !== 'done') return runStates[state]
  return outcome === 'pass' && handler === null ? notChecked : stepOutcomes[outcome ?? 'fail']
}

const notChecked = mark('skip', 'neutral', 'not checked')

export function isFailedStep({ outcome }: { readonly outcome: FlowOutcome | null }): boolean {
  return outcome === 'fail' || outcome === 'missing'
}

export function stepCounts({ steps, strays }: Pick<FlowRun, 'steps' | 'strays'>) {
  const count = (counted: FlowOutcome) => steps.filter(({ outcome }) => outcome === counted).length
  return {
    passed: count('pass'),
    failed: count('fail') + count('missing') + strays.length,
    skipped: count('skip'),
  }
}

/**
 * Compares a finished run with the previous one against its handler; `runs` are newest first. Null
 * if a failure is gone without a handler.
 */
export function flowChangeOf(
  { id, flow, origin, handler, outcome }: FlowRunSummary,
  runs: readonly FlowRunSummary[],
): FlowChange | null {
  const before = runs.find(
    (run) =>
      run.id < id &&
      run.flow === flow &&
      run.origin === origin &&
      run.handler === handler &&
      run.outcome !== null,
  )
  if (before === undefined || outcome === null) return null
  if (outcome === 'pass' && before.outcome === 'pass') return 'unchanged'
  if (outcome === 'pass') return handler === null ? null : 'fixed'
  return before.outcome === 'pass' ? 'regressed' : 'still-failing'
}

export const flowChanges: Readonly<Record<FlowChange, Outcome>> = {
  fixed: mark('fixed', 'good', 'fixed'),
  regressed: mark('regressed', 'bad', 'regressed'),
  'still-failing': mark('fail', 'bad', 'still failing'),
  unchanged: mark('same', 'neutral', 'unchanged'),
}
