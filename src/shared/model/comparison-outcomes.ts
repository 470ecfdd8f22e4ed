import { createOutcome, type Outcome } from './outcomes.ts'
import type { FailOn, PairOutcome, RunComparison } from './run-comparison.ts'

/** Outcomes of a comparison's deliveries. */
export const pairOutcomes: Readonly<Record<PairOutcome, Outcome>> = {
  regressed: createOutcome('regressed', 'bad', 'regressed'),
  unreachable: createOutcome('fail', 'bad', 'unreachable'),
  changed: createOutcome('warn', 'warn', 'changed'),
  fixed: createOutcome('fixed', 'good', 'fixed'),
  'not-compared': createOutcome('skip', 'neutral', 'not compared'),
  same: createOutcome('same', 'neutral', 'unchanged'),
}

/**
 * Whether a comparison's answer is "no": something regressed, an endpoint wasn't reachable, or,
 * unless only regressions count, anything else changed.
 */
export function isComparisonFailed(
  { regressed, changed, fixed, unreachable }: RunComparison,
  failOn: FailOn,
): boolean {
  return regressed + unreachable > 0 || (failOn === 'changed' && changed + fixed > 0)
}
