/** Presents a stored check to people and programs. */
import {
  countOutcomes,
  scoreOf,
  type CheckComparison,
  type CheckResult,
  type CheckRun,
  type CheckSummary,
} from '../../shared/model/check.ts'
import type { StoredCheck, WholeCheck } from '../store/check-runs.ts'
import type { HandlerEvidence } from '../store/handler-evidence.ts'
import { checkCases } from './cases.ts'
import { findCauses } from './handler-causes.ts'
import { caseTexts } from './run-cases.ts'

/** Summarizes a check; a running one without its process was interrupted. */
export function checkSummaryOf(check: StoredCheck, isRunning: boolean): CheckSummary {
  const { id, problem, requests, otherHost, score, cases, counts, createdAt, state } = check
  const { targetCa: _, ...settings } = check.settings
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    ...settings,
    state: state === 'running' && !isRunning ? 'interrupted' : state,
    problem,
    requests,
    otherHost,
    total: cases.length,
    ended: counts.passed + counts.failed + counts.skipped,
    ...counts,
    score,
  }
}

/** Shows a check; `evidence` is what else failed at its handler. */
export function checkRunOf(
  check: WholeCheck,
  isRunning: boolean,
  evidence: HandlerEvidence,
): CheckRun {
  const { results, conclusions, comparison, cases } = check
  const ended = new Set(results.map(({ name }) => name))
  return {
    ...checkSummaryOf(check, isRunning),
    results: [...results],
    waiting: checkCases
      .filter(({ name }) => cases.includes(name) && !ended.has(name))
      .map(caseTexts),
    conclusions: [...conclusions],
    explained: findCauses(check, evidence),
    comparison,
  }
}

export function withResults(check: WholeCheck, results: readonly CheckResult[]): WholeCheck {
  return { ...check, results, counts: countOutcomes(results), score: scoreOf(results) }
}

/** Replaces the result of one case, in the order of the check's cases. */
export function withResult(check: WholeCheck, result: CheckResult): WholeCheck {
  const placeOf = ({ name }: CheckResult) => check.cases.indexOf(name)
  const otherResults = check.results.filter(({ name }) => name !== result.name)
  return withResults(
    check,
    [...otherResults, result].toSorted((a, b) => placeOf(a) - placeOf(b)),
  )
}

/** Lists the cases that failed or passed only now, compared with an earlier check. */
export function compareChecks(
  results: readonly CheckResult[],
  before: WholeCheck,
): CheckComparison {
  const outcomes = new Map(before.results.map(({ name, outcome }) => [name, outcome]))
  const namesOf = (now: CheckResult['outcome'], then: CheckResult['outcome']) =>
    results
      .filter(({ name, outcome }) => outcome === now && outcomes.get(name) === then)
      .map(({ name }) => name)
  return {
    runId: before.id,
    createdAt: new Date(before.createdAt).toISOString(),
    newlyFailing: namesOf('fail', 'pass'),
    fixed: namesOf('pass', 'fail'),
  }
}
