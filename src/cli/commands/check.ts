/** `countersign check`: sends valid and forged deliveries to an endpoint and reports how it handled them. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  UsageError,
  SENDING,
  withExistingData,
} from '../context.ts'
import { counted } from '../../shared/text/counted.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { handlerNameIn } from '../../shared/http.ts'
import { countOutcomes, unreachableReason } from '../../shared/model/check.ts'
import {
  readCountFromZero,
  readFilled,
  readMany,
  readOnce,
  readSpeed,
  readHeader,
  type Headers,
  addSecretOptions,
  readEndpointSecret,
  readGivenSecret,
  type SecretOptions,
  addTargetOptions,
  readTargetOptions,
  type TargetOptions,
} from '../arguments.ts'
import type { CheckWish } from '../check-run.ts'
import { checkReportFiles } from '../report-files.ts'

interface CheckOptions extends DataOption, SecretOptions, TargetOptions {
  readonly registeredUrl?: string
  readonly event?: readonly string[]
  readonly header?: Headers
  readonly prefix?: string
  readonly hook?: string
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly maxFailed: number
  readonly rate?: number
  readonly seed?: number
  readonly programStatus?: true
  readonly list?: true
  readonly junit?: string
  readonly html?: string
}

async function readWish(
  context: CommandContext,
  target: string,
  options: CheckOptions,
): Promise<CheckWish> {
  return {
    target,
    secret:
      options.hook === undefined
        ? await readEndpointSecret(context, target, options)
        : await readGivenSecret(context, options),
    hookId: options.hook,
    registeredUrl: options.registeredUrl ?? null,
    events: [...(options.event ?? [])],
    headers: { ...options.header },
    prefix: options.prefix ?? null,
    only: [...(options.only ?? [])],
    skip: [...(options.skip ?? [])],
    rate: options.rate,
    seed: options.seed,
    programStatus: options.programStatus === true,
    ...(await readTargetOptions(options)),
  }
}

/** Without a data folder, nothing is saved. */
function urlOnly(wish: CheckWish): CheckWish & { readonly secret: string } {
  const { target, secret, hookId } = wish
  if (hookId !== undefined)
    throw new AppError('NOT_FOUND', `Hook "${hookId}" not found. No hooks are saved yet.`)
  if (secret === undefined || handlerNameIn(target) !== null)
    throw new AppError(
      'NOT_FOUND',
      `Handler "${handlerNameIn(target) ?? target}" not found. No handlers are saved yet.`,
    )
  return { ...wish, secret }
}

export function add(command: Command, context: CommandContext): void {
  const check = command
    .description(
      'Send valid, forged, stale, duplicate and unusual deliveries to your endpoint, and report which it should have accepted or rejected. Use a test instance: valid events will be processed.',
    )
    .exitsWith(1, 'more cases fail than --max-failed allows')
    .exitsWith(3, "the endpoint can't be reached")
    .example('Check your handler', 'check http://127.0.0.1:3000/webhooks --secret-file secret.txt')
    .example(
      'Run two groups of cases and write a JUnit report',
      'check http://127.0.0.1:3000/webhooks --secret-file secret.txt --only forged --only time --junit check.xml',
    )
    .example('Check a saved handler', 'check @local')
    .example('List all cases', 'check --list')
    .argument('[url]', 'your endpoint: a URL or @NAME')
  addSecretOptions(check)
    .option(
      '--registered-url <url>',
      'URL to sign, as configured in your handler (default: the endpoint)',
      readOnce,
    )
    .option('--event <type>', 'event your handler expects (repeatable; default: all)', readMany)
    .option("--header <'Name: value'>", 'custom header of the hook (repeatable)', readHeader)
    .option('--hook <id>', 'hook whose secret signs, over its URL and with its prefix', readOnce)
    .option(
      '--prefix <name>',
      "prefix of the header names (default: the hook's, else the handler's, else the current environment's)",
      readFilled,
    )
    .option(
      '--only <name>',
      'run only this case or group; * matches any characters (repeatable)',
      readMany,
    )
    .option('--skip <name>', 'skip this case or group (repeatable)', readMany)
    .option('--max-failed <n>', 'exit with 0 if at most this many cases fail', readCountFromZero, 0)
    .option('--rate <n>', 'max requests per second (default: 10)', readSpeed)
    .option('--seed <n>', 'repeat the payloads of an earlier run', readCountFromZero)
  addTargetOptions(check, 'allow live secrets and live-mode payloads')
    .option('--program-status', 'include program.status, a live-mode payload, for a test handler')
    .option('--list', 'list the cases without sending anything')
    .printsJson()
    .option('--junit <file>', 'write a JUnit report', readFilled)
    .option('--html <file>', 'write an HTML report', readFilled)
    .run(async (url: string | undefined, options: CheckOptions) => {
      const { output, version } = context
      // Loaded on demand: the sender, cases and payloads take longer to load than a whole other command.
      const { createCheckPrinter, printCheckCases, printCheckEnd, runCheckHere, runCheckThere } =
        await import('../check-run.ts')
      if (options.list === true) {
        printCheckCases(output, options.only ?? [], options.skip ?? [], options.json === true)
        return
      }
      if (url === undefined)
        throw new UsageError('Enter your endpoint, for example http://127.0.0.1:3000/webhooks.')
      await checkReportFiles([options.junit, options.html])
      const wish = await readWish(context, url, options)
      const print = options.json === true ? () => undefined : createCheckPrinter(output)
      const tell = (requests: number, otherHost: string | null, rate: number) => {
        if (otherHost !== null)
          output.note(
            `Sending up to ${counted(requests, 'request')} to the remote host ${otherHost}, ${rate} per second.`,
          )
      }
      const ended =
        (await withExistingData(
          context,
          options,
          null,
          (session) => runCheckThere(session, wish, tell, print),
          SENDING,
        )) ?? (await runCheckHere(urlOnly(wish), (count) => randomBytes(count), tell, print))
      const { checkHtml, checkJson, checkJunit } = await import('../../core/check/check-report.ts')
      const unreachable = unreachableReason(ended.conclusions)
      if (options.json === true) output.json(checkJson(ended))
      else if (unreachable === null) printCheckEnd(output, ended)
      if (options.junit !== undefined) await writeFile(options.junit, checkJunit(ended))
      if (options.html !== undefined)
        await writeFile(options.html, checkHtml(ended, { at: context.now(), version }))
      if (unreachable !== null) throw new AppError('ENDPOINT_UNREACHABLE', unreachable)
      if (!ended.complete)
        throw new AppError('CANCELLED', 'Check cancelled. Only the cases above are complete.')
      context.exit(countOutcomes(ended.results).failed > options.maxFailed ? EXIT.no : EXIT.done)
    })
}
