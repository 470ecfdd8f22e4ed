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

/** Prints the conclusions, the failed cases they don't explain, and the counts. */
export function printCheckEnd(output: Output, check: ReportedCheck): void {
  const { passed, failed, skipped } = countOutcomes(check.results)
  const print = (title: string, why: string, fix?: string) => {
    output.heading(title)
    output.line(why)
    if (fix !== undefined) output.line(fix)
  }
  for (const { message, fix } of check.conclusions) print(message, fix)
  const explained = new Set(check.conclusions.flatMap(({ cases }) => cases))
  for (const { name, title, outcome, severity, why, fix } of check.results)
    if (outcome === 'fail' && !explained.has(name))
      print(`${name}: ${title} (${severity})`, why, fix)
  output.line('')
  const score = check.score === null ? '' : ` Score: ${check.score}/100.`
  output.line(`${passed} passed, ${failed} failed, ${skipped} skipped.${score}`)
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
