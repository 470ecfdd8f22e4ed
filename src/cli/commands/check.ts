/** `countersign check`: sends genuine and forged deliveries to a developer's endpoint and tells what it makes of them. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { counted } from '../../shared/text/counted.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { countOutcomes, unreachableReason } from '../../shared/model/check.ts'
import { readCountFromZero, readFilled, readMany, readOnce, readSeed, readSpeed } from '../arguments.ts'
import type { CheckWish } from '../check-run.ts'
import { EXIT, UsageError } from '../failure.ts'
import { readHeader, type Headers, addSecretOptions, readSecret, type SecretOptions } from '../inputs.ts'
import { checkReportFiles } from '../report-files.ts'
import { withExistingData } from '../session.ts'
import { addTargetOptions, readTargetOptions, type TargetOptions } from '../target-options.ts'

interface CheckOptions extends DataOption, SecretOptions, TargetOptions {
  readonly registeredUrl?: string
  readonly event?: readonly string[]
  readonly header?: Headers
  readonly prefix?: string
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly maxFailed: number
  readonly rate?: number
  readonly seed?: number
  readonly programStatus?: true
  readonly list?: true
  readonly json?: true
  readonly junit?: string
  readonly html?: string
}

async function readWish(context: CommandContext, target: string, options: CheckOptions): Promise<CheckWish> {
  return {
    target,
    secret: await readSecret(context, options),
    registeredUrl: options.registeredUrl ?? null,
    events: [...(options.event ?? [])],
    headers: { ...options.header },
    prefix: options.prefix ?? 'service',
    only: [...(options.only ?? [])],
    skip: [...(options.skip ?? [])],
    rate: options.rate,
    seed: options.seed,
    programStatus: options.programStatus === true,
    ...(await readTargetOptions(options)),
  }
}

export function addCheck(checkCommand: Command, context: CommandContext): void {
  const check = checkCommand
    .description(
      "Sends valid, forged, stale, duplicate and unusual deliveries to your endpoint and reports which ones it should have accepted or rejected. Exits with 1 if a case fails, with 3 if the endpoint can't be reached. Use a test instance: valid deliveries will be processed.",
    )
    .argument('[url]', 'the endpoint')
  addSecretOptions(check)
    .option('--registered-url <url>', 'the URL to sign: the one configured in the endpoint (default: its own)', readOnce)
    .option('--event <type>', 'an event that the endpoint is for (again for more; default: all)', readMany)
    .option('--header <header>', "a custom header of the hook, 'Name: value' (again for more)", readHeader)
    .option('--prefix <name>', 'of the header names (default: service)', readFilled)
    .option('--only <name>', 'run only this case or group, * for any characters (again for more)', readMany)
    .option('--skip <name>', 'leave out this case or group (again for more)', readMany)
    .option('--max-failed <n>', 'so many failed cases still end with 0', readCountFromZero, 0)
    .option('--rate <n>', 'requests a second at most (default: 10)', readSpeed)
    .option('--seed <n>', 'make the same payloads again', readSeed)
  addTargetOptions(check, 'allow live secrets and live-mode payloads')
    .option('--program-status', 'send program.status too, which says that it is live, to a handler of test')
    .option('--list', 'list the cases that would be sent, and send nothing')
    .option('--json', 'print one JSON value')
    .option('--junit <file>', 'write a JUnit report', readFilled)
    .option('--html <file>', 'write a report for people, one HTML file', readFilled)
    .action(async (url: string | undefined, _own: unknown, command: Command) => {
      const options: CheckOptions = command.optsWithGlobals()
      const { output, version } = context
      // The client that sends, the cases and the payloads take longer to load than any other command takes as a whole.
      const { createCheckPrinter, printCheckCases, printCheckEnd } = await import('../check-text.ts')
      if (options.list === true) {
        printCheckCases(output, options.only ?? [], options.skip ?? [], options.json === true)
        return
      }
      if (url === undefined) throw new UsageError('Give the address of the endpoint, for example http://127.0.0.1:3000/webhooks.')
      await checkReportFiles([options.junit, options.html])
      const wish = await readWish(context, url, options)
      const print = options.json === true ? () => undefined : createCheckPrinter(output)
      const tell = (requests: number, otherHost: string | null, rate: number) => {
        if (otherHost !== null)
          output.note(
            `This sends up to ${counted(requests, 'request')}, ${rate} a second, to ${otherHost}, which is not this machine.`,
          )
      }
      const { runCheckHere, runCheckThere } = await import('../check-run.ts')
      const ended =
        (await withExistingData(context, dataFolderOf(context, options), (session) =>
          runCheckThere(session, wish, tell, print),
        )) ?? (await runCheckHere(wish, (count) => randomBytes(count), tell, print))
      const { checkHtml, checkJson, checkJunit } = await import('../../core/check/check-report.ts')
      const unreachable = unreachableReason(ended.conclusions)
      if (options.json === true) output.json(checkJson(ended))
      else if (unreachable === null) printCheckEnd(output, ended)
      if (options.junit !== undefined) await writeFile(options.junit, checkJunit(ended))
      if (options.html !== undefined) await writeFile(options.html, checkHtml(ended, { at: context.now(), version }))
      if (unreachable !== null) throw new AppError('ENDPOINT_UNREACHABLE', unreachable)
      if (!ended.complete)
        throw new AppError('CANCELLED', 'The check was cancelled before its end: the cases above are those that had ended.')
      context.exit(countOutcomes(ended.results).failed > options.maxFailed ? EXIT.no : EXIT.done)
    })
}
