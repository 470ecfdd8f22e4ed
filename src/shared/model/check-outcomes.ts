/** Outcomes of cases of the handler check. */
import type { CheckResult } from './check.ts'
import { type Outcome, createOutcome } from './outcomes.ts'

export type ShownCase = CheckResult['outcome'] | 'warn' | 'unjudged' | 'waiting'

export const checkOutcomes: Readonly<Record<ShownCase, Outcome>> = {
  pass: createOutcome('pass', 'good', 'passed'),
  fail: createOutcome('fail', 'bad', 'failed'),
  warn: createOutcome('warn', 'warn', 'passed, slowly'),
  skip: createOutcome('skip', 'neutral', 'skipped'),
  unjudged: createOutcome('unknown', 'neutral', 'inconclusive'),
  waiting: createOutcome('waiting', 'neutral', 'pending'),
}

/** Returns how a case is shown; one that was skipped after exchanges is inconclusive. */
export function shownCase(
  result: Pick<CheckResult, 'outcome' | 'warning' | 'exchanges'> | null,
): ShownCase {
  if (result === null) return 'waiting'
  if (result.outcome === 'skip' && result.exchanges.length > 0) return 'unjudged'
  return result.outcome === 'pass' && result.warning !== null ? 'warn' : result.outcome
}
