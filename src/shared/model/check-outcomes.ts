import type { CheckResult } from './check.ts'
import { type Outcome, mark } from './outcomes.ts'

export type ShownCase = CheckResult['outcome'] | 'warn' | 'unjudged' | 'waiting'

export const checkOutcomes: Readonly<Record<ShownCase, Outcome>> = {
  pass: mark('pass', 'good', 'passed'),
  fail: mark('fail', 'bad', 'failed'),
  warn: mark('warn', 'warn', 'passed, slowly'),
  skip: mark('skip', 'neutral', 'skipped'),
  unjudged: mark('unknown', 'neutral', 'inconclusive'),
  waiting: mark('waiting', 'neutral', 'pending'),
}

/** Returns how a case is shown; one that was skipped after exchanges is inconclusive. */
export function shownCase(
  result: Pick<CheckResult, 'outcome' | 'warning' | 'exchanges'> | null,
): ShownCase {
  if (result === null) return 'waiting'
  if (result.outcome === 'skip' && result.exchanges.length > 0) return 'unjudged'
  return result.outcome === 'pass' && result.warning !== null ? 'warn' : result.outcome
}
