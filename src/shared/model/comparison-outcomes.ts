import { createOutcome, type Outcome } from './outcomes.ts'
import type { PairOutcome } from './run-comparison.ts'

/** Outcomes of a comparison's deliveries. */
export const pairOutcomes: Readonly<Record<PairOutcome, Outcome>> = {
  regressed: createOutcome('regressed', 'bad', 'regressed'),
  unreachable: createOutcome('fail', 'bad', 'unreachable'),
  changed: createOutcome('warn', 'warn', 'changed'),
  fixed: createOutcome('fixed', 'good', 'fixed'),
  'not-compared': createOutcome('skip', 'neutral', 'not compared'),
  same: createOutcome('same', 'neutral', 'unchanged'),
}
