/** Runs a handler check for the command line, and prints it. */
import { conclude } from '../core/check/judge.ts'
import type { ReportedCheck } from '../core/check/check-report.ts'
import type { InputOf } from '../shared/contract/contract.ts'
import {
  type CheckResult,
  type CheckRun,
  checkGroups,
  countOutcomes,
  FIRST_CASE,
  unreachableReason,
} from '../shared/model/check.ts'
import { followRun } from './lifetime.ts'
import { checkCases, selectCases } from '../core/check/cases.ts'
import { firstResponseOf, wordsOf } from '../core/check/run-cases.ts'
import { checkOutcomes, shownCase } from '../shared/model/outcomes.ts'
import { type Cell, type Output, markedCell } from './print.ts'
import type { Session } from './session.ts'

interface EndedCheck extends ReportedCheck {
  readonly complete: boolean
}

/**
 * Resolves with the finished check; `onStart` gets it before anything is sent, `onResult` each result. The first Ctrl+C cancels it.
 * Rejects with `DISCONNECTED` if Countersign stops.
 */
export async function runCheck(
  session: Session,
  input: InputOf<'check.start'>,
  onStart: (check: CheckRun) => void,
  onResult: (result: CheckResult) => void,
): Promise<EndedCheck> {
  const { run: started } = await session.client.call('check.start', input)
  onStart(started)
  const run = await followCheck(session, started.id, onResult)
  return { ...run, complete: run.state === 'done' }
}

/** Resolves with the ended check; `onResult` gets each result. Rejects with `DISCONNECTED` if Countersign stops. */
export function followCheck(
  session: Session,
  runId: string,
  onResult: (result: CheckResult) => void,
): Promise<CheckRun> {
  const { client } = session
  let seen = 0
  return followRun(session, {
    event: 'check.changed',
    async read() {
      const { run } = await client.call('check.get', { runId })
      for (const result of run.results.slice(seen)) onResult(result)
      seen = run.results.length
      return run.state === 'running' ? undefined : run
    },
    cancel: () => client.call('check.cancel', { runId }),
    gone: () => 'Countersign stopped during the check. Run it again.',
  })
}

// Prints a handler check: the cases, each result as it arrives, and the conclusions.

function resultCells(result: CheckResult): Cell[] {
  const { outcome, name, message, warning } = result
  return [markedCell(checkOutcomes[shownCase(result)], outcome), name, warning ?? message]
}

/** All names get the same width, so results printed one by one stay aligned. */
const NAME_WIDTH = Math.max(...checkCases.map(({ name }) => name.length))

/** Prints each result under its group. Prints nothing if the endpoint can't be reached. */
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
      output.line(output.colour(checkGroups[result.group], 'bold'))
    }
    print([result])
  }
}

/** Prints the conclusions, then each failed case they don't explain, then the counts. */
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
    wordsOf,
  )
}
