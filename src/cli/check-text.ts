/** Prints a handler check: the cases, each result as it arrives, and the conclusions. */
import { checkCases } from '../core/check/cases.ts'
import { selectCases } from '../core/check/select-cases.ts'
import { firstResponseOf, caseTexts } from '../core/check/run-cases.ts'
import { conclude } from '../core/check/conclusions.ts'
import {
  checkGroups,
  type CheckResult,
  unreachableReason,
  FIRST_CASE,
  countOutcomes,
} from '../shared/model/check.ts'
import { checkOutcomes, shownCase } from '../shared/model/check-outcomes.ts'
import { causeCounts, causeText, explainedWords } from '../shared/model/handler-causes.ts'
import { type Cell, markedCell, type Output } from './print.ts'
import type { ReportedCheck } from '../core/check/check-report.ts'

function resultCells(result: CheckResult): Cell[] {
  const { outcome, name, message, warning } = result
  return [markedCell(checkOutcomes[shownCase(result)], outcome), name, warning ?? message]
}

/** Width of the case names, which keeps results printed one by one aligned. */
const NAME_WIDTH = Math.max(...checkCases.map(({ name }) => name.length))

/** Prints each result under its group, but nothing if the endpoint can't be reached. */
export function createCheckPrinter(output: Output): (result: CheckResult) => void {
  const print = output.printer(resultCells, undefined, ['✕ fail', 'x'.repeat(NAME_WIDTH), ''])
  let group = ''
  let isUnanswered = false
  return (result) => {
    if (isUnanswered) return
    if (result.name === FIRST_CASE) isUnanswered = firstResponseOf(result) === 'unreachable'
    if (isUnanswered && unreachableReason(conclude([result], '200')) !== null) return
    if (result.group !== group) {
      group = result.group
      output.line(output.color(checkGroups[result.group], 'bold'))
    }
    print([result])
  }
}

/** Prints the causes, the failed cases they don't explain, and the counts. */
export function printCheckEnd(output: Output, check: ReportedCheck): void {
  const { results, score, explained } = check
  const { passed, failed, skipped } = countOutcomes(results)
  if (explained.causes.length > 0) {
    output.line('')
    output.line(`${explainedWords(explained)}.`)
  }
  for (const cause of explained.causes) {
    output.heading(cause.title)
    output.line(causeText(cause))
  }
  const unexplained = causeCounts(explained.unexplained)
  if (unexplained !== '') output.heading(`Unexplained: ${unexplained}`)
  for (const { name, title, severity, why, fix } of results)
    if (explained.unexplained.cases.includes(name)) {
      output.heading(`${name}: ${title} (${severity})`)
      output.line(why)
      output.line(fix)
    }
  output.line('')
  const points = score === null ? '' : ` Score: ${score}/100.`
  output.line(`${passed} passed, ${failed} failed, ${skipped} skipped.${points}`)
}

/** Lists the cases that a check with the same `--only` and `--skip` would send. */
export function printCheckCases(
  output: Output,
  only: readonly string[],
  skip: readonly string[],
): void {
  output.list(
    selectCases(only, skip),
    ({ group, name, severity, title }) => [group, name, severity, title],
    caseTexts,
  )
}
