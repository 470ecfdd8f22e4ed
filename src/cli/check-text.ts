/** Prints a handler check: the cases, each result as it arrives, and the conclusions. */
import { checkCases, selectCases } from '../core/check/cases/all.ts'
import type { ReportedCheck } from '../core/check/check-report.ts'
import { conclude } from '../core/check/conclude.ts'
import { standingAfter, wordsOf } from '../core/check/run-check.ts'
import {
  checkGroups,
  countOutcomes,
  FIRST_CASE,
  unreachableReason,
  type CheckResult,
} from '../shared/model/check.ts'
import { checkOutcomes, shownCase } from '../shared/model/outcomes.ts'
import { markedCell } from './outcome-cell.ts'
import { createColumns, type Cell, type Output } from './output.ts'

function resultCells(result: CheckResult): Cell[] {
  const { outcome, name, message, warning } = result
  return [
    markedCell(checkOutcomes[shownCase(result)], outcome),
    { text: name },
    { text: warning ?? message },
  ]
}

/** All names get the same width, so results printed one by one stay aligned. */
const NAME_WIDTH = Math.max(...checkCases.map(({ name }) => name.length))

/** Prints each result under its group. Prints nothing if the endpoint can't be reached. */
export function createCheckPrinter(output: Output): (result: CheckResult) => void {
  const columns = createColumns(output)
  columns([[{ text: '✕ fail' }, { text: 'x'.repeat(NAME_WIDTH) }, { text: '' }]])
  let group = ''
  let isUnanswered = false
  return (result) => {
    if (isUnanswered) return
    if (result.name === FIRST_CASE) isUnanswered = standingAfter(result) === 'unreachable'
    if (isUnanswered && unreachableReason(conclude([result])) !== null) return
    if (result.group !== group) {
      group = result.group
      output.line(output.colour(checkGroups[result.group], 'bold'))
    }
    for (const line of columns([resultCells(result)])) output.line(line)
  }
}

/** Prints the conclusions, then each failed case they don't explain, then the counts. */
export function printCheckEnd(output: Output, check: ReportedCheck): void {
  const { passed, failed, skipped } = countOutcomes(check.results)
  for (const { message, fix } of check.conclusions) {
    output.line('')
    output.line(output.colour(message, 'bold'))
    output.line(fix)
  }
  const explained = new Set(check.conclusions.flatMap(({ cases }) => cases))
  for (const { name, title, outcome, severity, why, fix } of check.results) {
    if (outcome !== 'fail' || explained.has(name)) continue
    output.line('')
    output.line(output.colour(`${name}: ${title} (${severity})`, 'bold'))
    output.line(why)
    output.line(fix)
  }
  output.line('')
  const score = check.score === null ? '' : ` Score: ${check.score}/100.`
  output.line(`${passed} passed, ${failed} failed, ${skipped} skipped.${score}`)
}

/** Lists the cases that a check with the same `--only` and `--skip` would send. */
export function printCheckCases(
  output: Output,
  only: readonly string[],
  skip: readonly string[],
  asJson: boolean,
): void {
  const cases = selectCases(only, skip)
  if (asJson) {
    for (const one of cases) output.json(wordsOf(one))
    return
  }
  const rows = cases.map(({ group, name, severity, title }): Cell[] => [
    { text: group },
    { text: name },
    { text: severity },
    { text: title },
  ])
  output.table(rows)
}
