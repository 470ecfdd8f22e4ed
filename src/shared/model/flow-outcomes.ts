/** Outcomes of flow runs and their steps. */
import type {
  FlowChange,
  FlowOutcome,
  FlowRun,
  FlowRunStep,
  FlowRunSummary,
  UnexpectedDelivery,
} from './flow-run.ts'
import { type Outcome, createOutcome } from './outcomes.ts'

export const stepOutcomes: Readonly<
  Record<FlowOutcome | 'not-run' | 'planned' | 'running' | UnexpectedDelivery['kind'], Outcome>
> = {
  'not-run': createOutcome('waiting', 'neutral', 'not run'),
  planned: createOutcome('waiting', 'neutral', 'pending'),
  running: createOutcome('running', 'active', 'running'),
  pass: createOutcome('pass', 'good', 'passed'),
  fail: createOutcome('fail', 'bad', 'failed'),
  skip: createOutcome('skip', 'neutral', 'skipped'),
  missing: createOutcome('missing', 'bad', 'missing'),
  unexpected: createOutcome('warn', 'bad', 'unexpected'),
  duplicate: createOutcome('warn', 'bad', 'duplicate'),
}

const runStates: Readonly<Record<Exclude<FlowRunSummary['state'], 'done'>, Outcome>> = {
  running: createOutcome('running', 'active', 'running'),
  paused: createOutcome('waiting', 'warn', 'paused'),
  cancelled: createOutcome('skip', 'neutral', 'cancelled'),
  interrupted: createOutcome('skip', 'warn', 'interrupted'),
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

const notChecked = createOutcome('skip', 'neutral', 'not checked')

/** Returns the outcome of a step; null is a step of a plan. */
export function outcomeOfStep(step: Pick<FlowRunStep, 'outcome' | 'state'> | null): Outcome {
  if (step === null) return stepOutcomes['not-run']
  return stepOutcomes[step.outcome ?? (step.state === 'running' ? 'running' : 'planned')]
}

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
  fixed: createOutcome('fixed', 'good', 'fixed'),
  regressed: createOutcome('regressed', 'bad', 'regressed'),
  'still-failing': createOutcome('fail', 'bad', 'still failing'),
  unchanged: createOutcome('same', 'neutral', 'unchanged'),
}
