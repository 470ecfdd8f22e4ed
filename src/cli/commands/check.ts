/**
 * `countersign check`: sends valid and forged deliveries to an endpoint and reports how it handled
 * them.
 */
import { checkCommands } from '../../shared/contract/nouns/check.ts'
import { counted } from '../../shared/text/english.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { countOutcomes, unreachableReason, type CheckRun } from '../../shared/model/check.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../context.ts'
import { argument, flagOption, parsedOption } from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { readEndpointSecret, secretOptions } from '../options/secret-options.ts'
import { readCountFromZero } from '../options/value-readers.ts'
import { checkReportFiles, reportFileOptions, writeReports } from '../report-files.ts'
import { SENDING } from '../session.ts'

export const add = defineCommand({
  description:
    'Send valid, forged, stale, duplicate and unusual deliveries to your endpoint, and report which it should have accepted or rejected. Use a test instance: valid events will be processed.',
  exits: { 1: 'more cases fail than --max-failed allows', 3: "the endpoint can't be reached" },
  examples: [
    ['Check your handler', 'check http://127.0.0.1:3000/webhooks --secret-file secret.txt'],
    [
      'Run two groups of cases and write a JUnit report',
      'check http://127.0.0.1:3000/webhooks --secret-file secret.txt --only forged --only time --junit check.xml',
    ],
    ['Check a saved handler', 'check @local'],
    ['List all cases', 'check --list'],
  ],
  args: { url: argument('[url]', 'your endpoint: a URL or @NAME') },
  options: {
    ...secretOptions,
    ...optionsOf(checkCommands['check.start'].input),
    maxFailed: parsedOption(
      '<n>',
      'exit with 0 if at most this many cases fail',
      readCountFromZero,
    ).default(0),
    list: flagOption('list the cases without sending anything'),
    ...reportFileOptions,
  },
  async run({ url, ...input }, run) {
    const { output } = run
    const { only, skip, junit, html, summary } = input
    // Loaded on demand: the sender, cases and payloads load slowly.
    const { runCheck } = await import('../check-run.ts')
    const { createCheckPrinter, printCheckCases, printCheckEnd } = await import('../check-text.ts')
    if (input.list) {
      printCheckCases(output, only, skip)
      return EXIT.done
    }
    if (url === undefined)
      throw new UsageError('Enter your endpoint, for example http://127.0.0.1:3000/webhooks.')
    await checkReportFiles([junit, html, summary])
    const startInput = {
      ...input,
      target: url,
      secret: await readEndpointSecret(run, url, input),
      headers: { ...input.headers },
    }
    const print = output.asJson ? () => undefined : createCheckPrinter(output)
    const noteRemoteHost = ({ requests, otherHost, rate }: CheckRun) => {
      if (otherHost !== null)
        output.note(
          `Sending up to ${counted(requests, 'request')} to the remote host ${otherHost}, ${rate} per second.`,
        )
    }
    const session = (await run.findData(null, SENDING)) ?? (await run.openTemporary(SENDING))
    const ended = await runCheck(session, startInput, noteRemoteHost, print)
    const { checkHtml, checkJson, checkJunit, checkSummary } =
      await import('../../core/check/check-report.ts')
    const unreachable = unreachableReason(ended.conclusions)
    output.result(checkJson(ended), () => {
      if (unreachable === null) printCheckEnd(output, ended)
    })
    await writeReports(input, {
      junit: () => checkJunit(ended),
      html: () => checkHtml(ended, { at: run.now(), version: run.version }),
      summary: () => checkSummary(ended),
    })
    if (unreachable !== null) throw new AppError('ENDPOINT_UNREACHABLE', unreachable)
    if (!ended.complete)
      throw new AppError('CANCELLED', 'Check cancelled. Only the cases above are complete.')
    return countOutcomes(ended.results).failed > input.maxFailed ? EXIT.negative : EXIT.done
  },
})
