/** Turns a stored check into the form shown to people and programs, and compares it with the previous one. */
import {
  countOutcomes,
  scoreOf,
  type CheckComparison,
  type CheckResult,
  type CheckRun,
  type CheckSummary,
} from '../../shared/model/check.ts'
import type { StoredCheck, WholeCheck } from '../store/runs-repo.ts'
import { checkCases } from './cases/all.ts'
import { wordsOf } from './run-check.ts'

/** `isGoing` says whether this process runs the check. A check stored as running that isn't was interrupted. */
export function summaryOf(check: StoredCheck, isGoing: boolean): CheckSummary {
  const { id, problem, requests, otherHost, score, cases, counts, createdAt, state } = check
  const { targetCa: _, ...settings } = check.settings
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    ...settings,
    state: state === 'running' && !isGoing ? 'interrupted' : state,
    problem,
    requests,
    otherHost,
    total: cases.length,
    ended: counts.passed + counts.failed + counts.skipped,
    ...counts,
    score,
  }
}

export function runOf(check: WholeCheck, isGoing: boolean): CheckRun {
  const { results, conclusions, comparison, cases } = check
  const ended = new Set(results.map(({ name }) => name))
  return {
    ...summaryOf(check, isGoing),
    results: [...results],
    waiting: checkCases.filter(({ name }) => cases.includes(name) && !ended.has(name)).map(wordsOf),
    conclusions: [...conclusions],
    comparison,
  }
}

export function withResults(check: WholeCheck, results: readonly CheckResult[]): WholeCheck {
  return { ...check, results, counts: countOutcomes(results), score: scoreOf(results) }
}

/** Replaces the result of one case. */
export function withResult(check: WholeCheck, result: CheckResult): WholeCheck {
  const placeOf = ({ name }: CheckResult) => check.cases.indexOf(name)
  const others = check.results.filter(({ name }) => name !== result.name)
  return withResults(
    check,
    [...others, result].toSorted((left, right) => placeOf(left) - placeOf(right)),
  )
}

/** Compares the cases of both checks: which regressed and which were fixed. */
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
