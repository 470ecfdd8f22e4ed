/** Prints a comparison of runs, and writes its reports and baseline. */
import { writeBaseline } from '../shared/import-export/baseline-file.ts'
import type { ReportedComparison } from '../core/replaying/comparison-report.ts'
import type { InputOf, OutputOf } from '../shared/contract/contract.ts'
import { AppError } from '../shared/contract/errors.ts'
import { isComparisonFailed, pairOutcomes } from '../shared/model/comparison-outcomes.ts'
import type {
  BaselineEntry,
  ComparisonGroup,
  RunComparison,
} from '../shared/model/run-comparison.ts'
import type { Replay } from '../shared/model/send.ts'
import { shellArgument } from '../shared/snippets/shell-word.ts'
import {
  comparisonTimes,
  comparisonTotals,
  exampleCommand,
  groupExample,
  groupTitle,
} from '../shared/text/comparison-words.ts'
import { counted, deliveryCount } from '../shared/text/english.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { reportOptions } from './comparison-options.ts'
import { EXIT, type ExitCode } from './context.ts'
import type { ValuesOf } from './options/input.ts'
import { writeOutput } from './output-file.ts'
import { toneColors, type Output } from './print.ts'
import { writeReports } from './report-files.ts'
import type { CommandRun, Session } from './session.ts'

type BaselinePage = OutputOf<'replay.baseline'>
type ReportInput = ValuesOf<typeof reportOptions>

interface Endpoints extends Pick<
  InputOf<'replay.start'>,
  'registeredUrl' | 'ignore' | 'headersIn'
> {
  readonly to: string
  readonly against: string
  readonly from: string | undefined
  readonly prefix: string | undefined
}

/** Returns the command that shows a group's example, which a temporary folder can't. */
function commandOf(
  { from, to, against, registeredUrl, prefix, ignore, headersIn }: Endpoints,
  group: ComparisonGroup,
): string | null {
  if (from === undefined) return exampleCommand(group)
  const options = {
    ...{ from, to, against, 'registered-url': registeredUrl },
    ...{ prefix, ignore, 'header-in': headersIn },
  }
  const words = Object.entries(options).flatMap(([name, given]) =>
    [given ?? []].flat().flatMap((value) => [`--${name}`, value]),
  )
  return `countersign replay ${[groupExample(group), ...words].map(shellArgument).join(' ')}`
}

function printGroups(output: Output, { comparison, command }: ReportedComparison): void {
  for (const group of comparison.groups) {
    const { word, tone } = pairOutcomes[group.outcome]
    const shown = command(group)
    output.line(groupTitle(group))
    output.line(
      `    ${output.color(word, toneColors[tone])}, for example ${groupExample(group)}${shown === null ? '' : `: ${shown}`}`,
    )
  }
  output.line(comparisonTotals(comparison))
  const times = comparisonTimes(comparison)
  if (times !== null) output.line(times)
}

function comparisonJson({ comparison, command }: ReportedComparison) {
  return {
    ...comparison,
    groups: comparison.groups.map((group) => ({
      ...group,
      title: groupTitle(group),
      command: command(group),
    })),
  }
}

/** Returns the exit code. Throws `ENDPOINT_UNREACHABLE` if nothing could be compared. */
function exitCodeOf(comparison: RunComparison, failOn: ReportInput['failOn']): ExitCode {
  const { total, unreachable, groups } = comparison
  if (unreachable > 0 && unreachable === total)
    throw new AppError(
      'ENDPOINT_UNREACHABLE',
      `Nothing compared: ${groups[0]?.reason ?? 'an endpoint is unreachable'}. Start it, then compare again.`,
    )
  return isComparisonFailed(comparison, failOn ?? 'changed') ? EXIT.negative : EXIT.done
}

/** Reads the responses for a baseline. Throws `ENDPOINT_UNREACHABLE` if one is missing. */
async function readEntries(
  client: Client,
  { id, state }: Replay,
  output: Pick<Output, 'note'>,
): Promise<BaselineEntry[]> {
  if (state !== 'done')
    throw new AppError(
      'CANCELLED',
      'The baseline was not saved, because the replay is not complete.',
    )
  const entries: BaselineEntry[] = []
  const missing: BaselinePage['missing'] = []
  for (let after: number | null = 0; after !== null;) {
    const page: BaselinePage = await client.call('replay.baseline', { replayId: id, after })
    entries.push(...page.entries)
    missing.push(...page.missing)
    after = page.next
  }
  const unreachable = missing.find(({ isUnreachable }) => isUnreachable)
  if (unreachable !== undefined)
    throw new AppError(
      'ENDPOINT_UNREACHABLE',
      `The baseline was not saved: ${unreachable.reason} Start the endpoint, then try again.`,
    )
  const [first] = missing
  if (first !== undefined)
    output.note(`Not in the baseline: ${deliveryCount(missing.length)}. The first: ${first.reason}`)
  return entries
}

async function saveBaseline(
  client: Client,
  replay: Replay,
  file: string,
  output: Pick<Output, 'note'>,
): Promise<void> {
  const { comparison } = replay
  const entries = await readEntries(client, replay, output)
  const text = writeBaseline({ ignore: [], headers: [], ...comparison }, entries)
  await writeOutput(file, text, 'shared')
  output.note(`Saved ${counted(entries.length, 'response')} to ${file}.`)
}

/** Reports an ended comparison and saves its baseline. Resolves with the exit code, or null. */
export async function endComparison(
  { output, now, version }: Pick<CommandRun, 'output' | 'now' | 'version'>,
  { client }: Pick<Session, 'client'>,
  replay: Replay,
  input: ReportInput & Endpoints,
): Promise<ExitCode | null> {
  const { save, failOn, to, against } = input
  if (save !== undefined) await saveBaseline(client, replay, save, output)
  if (replay.comparison === null || replay.comparison.with === 'nothing') return null
  const comparison = await client.call('replay.comparison', { replayId: replay.id })
  const report: ReportedComparison = {
    ...{ comparison, to, against },
    command: (group) => commandOf(input, group),
  }
  output.result(comparisonJson(report), () => printGroups(output, report))
  const { comparisonHtml, comparisonJunit, comparisonSummary } =
    await import('../core/replaying/comparison-report.ts')
  await writeReports(input, {
    junit: () => comparisonJunit(report),
    html: () => comparisonHtml(report, { at: now(), version }),
    summary: () => comparisonSummary(report),
  })
  if (comparison.notSelected > 0)
    output.note(`The baseline has ${deliveryCount(comparison.notSelected)} that weren't sent.`)
  return replay.state === 'done' ? exitCodeOf(comparison, failOn) : EXIT.failed
}
