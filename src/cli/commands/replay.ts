/** `countersign replay`: sends stored deliveries again, re-signed, and prints the results. */
import { InvalidArgumentError, Option } from 'commander'
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  UsageError,
  type ExitCode,
  SENDING,
  NOTHING_CAPTURED,
  withExistingData,
  withKeptData,
  type Session,
} from '../context.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import { counted } from '../../shared/text/counted.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { lookOfJob, countsOf, replayChangeWords } from '../../shared/model/outcomes.ts'
import {
  signatureModeSchema,
  tamperSchema,
  timestampModeSchema,
  type ReplayJob,
  type SignatureMode,
  type Tamper,
  type TimestampMode,
} from '../../shared/model/send.ts'
import { statisticsSummary, type StatisticsSummary } from '../../shared/model/statistics.ts'
import type { Client } from '../../shared/rpc/client.ts'
import {
  given,
  readCountBetween,
  readDeliveryRefs,
  readFilled,
  readFilledDeliveryRef,
  readLiteral,
  readOnce,
  addQueryOption,
  idsOrQuery,
  type QueryOption,
  readSpeed,
  readNamedFile,
  addTargetOptions,
  endpointNote,
  readTargetOptions,
  type TargetOptions,
  checkGivenQuery,
  addViewOption,
  listedSearchOf,
  type ViewOption,
} from '../arguments.ts'
import { listSends, showSend, createSendPrinter } from '../delivery-sends.ts'
import { type Cell, type Output, outcomeCell } from '../output.ts'
import { followReplay, sumReplayStatistics } from '../replay-feed.ts'
import { randomUUID } from 'node:crypto'
import type { InputOf } from '../../shared/contract/contract.ts'
import { cancellable } from '../lifetime.ts'

interface ReplayOptions extends DataOption, QueryOption, TargetOptions, ViewOption {
  readonly to?: string
  readonly registeredUrl?: string
  readonly hook?: string
  readonly tamper?: Tamper
  readonly method?: string
  readonly header?: readonly (readonly [string, string])[]
  readonly bodyFile?: string
  readonly set?: Literals
  readonly signature?: SignatureMode
  readonly timestamp?: TimestampMode
  readonly repeat: number
  readonly concurrency: number
  readonly rate?: number
  readonly resume?: string
  readonly jobs?: true
  readonly sends?: string
  readonly show?: string
  readonly includeSecrets?: true
}

const JOBS_SHOWN = 50

function jobCells(job: ReplayJob): Cell[] {
  const { id, createdAt } = job
  const changes = replayChangeWords(job).join('; ')
  return [
    { text: id },
    { text: createdAt },
    outcomeCell(lookOfJob(job)),
    { text: accountOf(job) },
    { text: changes },
  ]
}

function accountOf(job: ReplayJob): string {
  const left = job.waiting + job.underWay
  const told = [...countsOf(job), ...(left === 0 ? [] : [{ count: left, what: 'left' }])].map(
    ({ count, what }) => `${count} ${what}`,
  )
  return `${counted(job.total, 'send')}: ${told.length === 0 ? 'nothing sent' : told.join(', ')}.`
}

/** `Failing 5.0%. Response times: p50 12 ms, p95 30 ms, p99 41 ms.`; null without a response. */
function timesOf({ shares, handlers }: StatisticsSummary): string | null {
  if (shares === null || handlers.p50 === null) return null
  const times = Object.entries(handlers).map(([name, ms]) => `${name} ${String(ms)} ms`)
  return `Failing ${(100 * shares.failing).toFixed(1)}%. Response times: ${times.join(', ')}.`
}

function exitCodeOf(job: ReplayJob): ExitCode {
  if (job.state !== 'done') return EXIT.failed
  if (job.total === 0) return EXIT.no
  return job.notSent === 0 && job.failed === 0 ? EXIT.done : EXIT.no
}

/** Names may repeat, so headers stay in order. */
function readHeaderLine(
  text: string,
  previous: ReplayOptions['header'],
): NonNullable<ReplayOptions['header']> {
  const colon = text.indexOf(':')
  if (colon < 1) throw new InvalidArgumentError("Expected 'Name: value'.")
  return [...(previous ?? []), [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]]
}

async function readEdits({
  method,
  header = [],
  bodyFile,
  set,
  signature,
  timestamp,
}: ReplayOptions) {
  return {
    ...given({ method, set, signature, timestamp }),
    setHeaders: header.map(([name, value]): [string, string] => [name, value]),
    ...(bodyFile === undefined
      ? {}
      : { base64: (await readNamedFile(bodyFile)).toString('base64') }),
  }
}

async function begin(
  { client }: Session,
  ids: readonly string[],
  options: ReplayOptions,
  context: CommandContext,
): Promise<ReplayJob> {
  const { resume, query, view, to, registeredUrl, hook, tamper, repeat, concurrency, rate } =
    options
  const { targetCa, ...consent } = await readTargetOptions(options)
  if (resume !== undefined)
    return (await client.call('replay.resume', { jobId: resume, ...consent })).job
  const request = {
    ...(query === undefined && view === undefined
      ? { ids: [...ids] }
      : { query: await listedSearchOf(client, query ?? '', view, context.output) }),
    to: to ?? null,
    registeredUrl: registeredUrl ?? null,
    hookId: hook ?? null,
    tamper: tamper ?? null,
    edits: await readEdits(options),
    repeat,
    concurrency,
    rate: rate ?? null,
    targetCa,
    ...consent,
  }
  return startReplay(client, request, context)
}

/** Options that don't start a replay, the options each allows, and why it allows no others. */
const others = {
  resume: { allowed: ['allowHost', 'live'], why: '--resume continues with the original options' },
  jobs: { allowed: [], why: '--jobs only lists replays' },
  sends: { allowed: [], why: '--sends only lists sends' },
  show: { allowed: ['includeSecrets'], why: '--show only shows a send' },
} as const satisfies Partial<
  Record<
    keyof ReplayOptions,
    { readonly allowed: readonly (keyof ReplayOptions)[]; readonly why: string }
  >
>

function checkUsage(
  { output }: CommandContext,
  ids: readonly string[],
  options: ReplayOptions,
  command: Command,
): void {
  const { query, view, includeSecrets, show } = options
  const chosen = Object.entries(others).filter(
    ([name]) => options[name as keyof typeof others] !== undefined,
  )
  if (
    chosen.length + Number(ids.length > 0) + Number(query !== undefined || view !== undefined) !==
    1
  )
    throw new UsageError(
      'Use one of: delivery IDs, a query or --view, --resume, --jobs, --sends, --show.',
    )
  if (includeSecrets === true && show === undefined)
    throw new UsageError('--include-secrets needs --show.')
  for (const [name, { allowed, why }] of chosen) {
    const fitting: readonly string[] = [name, 'json', 'data', ...allowed]
    const idle = command.options.find(
      (option) =>
        command.getOptionValueSource(option.attributeName()) === 'cli' &&
        !fitting.includes(option.attributeName()),
    )
    if (idle !== undefined)
      throw new UsageError(`${idle.long ?? ''} is only for a new replay: ${why}. Remove it.`)
  }
  // An invalid query is an error even if nothing is stored or running.
  checkGivenQuery(output, query ?? '')
}

/** Lists or shows without sending; false if neither was requested. */
async function look(
  { client }: Session,
  output: Output,
  { jobs, sends, show, includeSecrets, json }: ReplayOptions,
): Promise<boolean> {
  if (jobs === true)
    output.list((await client.call('replay.jobs', { limit: JOBS_SHOWN })).jobs, json, jobCells)
  else if (sends !== undefined) await listSends(client, output, sends, json)
  else if (show !== undefined)
    await showSend(client, output, show, { asJson: json, includeSecrets: includeSecrets === true })
  else return false
  return true
}

export function add(command: Command, context: CommandContext): void {
  command
    .description('Replay stored deliveries, re-signed, and print each target and result.')
    .exitsWith(
      1,
      'nothing matches, if a delivery is not acknowledged, or a forged one not rejected',
    )
    .exitsWith(3, 'the replay was interrupted')
    .example(
      'Replay the latest delivery to your handler',
      'replay latest --to http://127.0.0.1:3000/webhooks',
    )
    .example(
      'Replay all refunds of the last two hours, four at a time',
      "replay --query 'event:transaction.refund after:2h' --to http://127.0.0.1:3000/webhooks --concurrency 4",
    )
    .example(
      'Set the amount, then change the body after signing',
      'replay latest --to http://127.0.0.1:3000/webhooks --set amount=10.00 --tamper body',
    )
    .example('Replay the latest delivery to a saved handler', 'replay latest --to @local')
    .argument(
      '[id...]',
      'deliveries in sending order: IDs (8 or more characters), latest, latest~N or latest:EVENT; or one query, oldest first (see docs/query.md)',
      readDeliveryRefs,
    )
    .option(
      '--to <url>',
      "your endpoint: a URL or @NAME (default: your current handler, else the registered URL of each delivery's hook)",
      readOnce,
    )
    .option('--registered-url <url>', "URL to sign (default: the hook's registered URL)", readOnce)
    .option('--hook <id>', "hook whose secret signs (default: each delivery's hook)", readOnce)
    .addOption(
      new Option('--tamper <kind>', 'break the request on purpose').choices(tamperSchema.options),
    )
    .option('--method <method>', 'replace the method', readOnce)
    .option(
      "--header <'Name: value'>",
      'set a header, replacing those with its name (repeatable)',
      readHeaderLine,
    )
    .option('--body-file <file>', 'replace the body', readFilled)
    .option(
      '--set <path=value>',
      'set a field of the JSON body, as typed, for example amount=10.00 (repeatable)',
      readLiteral,
    )
    .addOption(
      new Option(
        '--signature <how>',
        'recompute the signature, keep the original or drop it',
      ).choices(signatureModeSchema.options),
    )
    .addOption(
      new Option('--timestamp <when>', 'use the time of sending or the original time').choices(
        timestampModeSchema.options,
      ),
    )
    .option(
      '--repeat <n>',
      'times to send each delivery, up to 1000',
      readCountBetween(1, 1_000),
      1,
    )
    .option('--concurrency <n>', 'sends in parallel, up to 64', readCountBetween(1, 64), 1)
    .option('--rate <n>', 'max sends per second', readSpeed)
  addViewOption(addQueryOption(command))
  addTargetOptions(command, "allow signing with a live hook's secret")
    .option('--resume <job>', 'continue an interrupted replay', readOnce)
    .option('--jobs', 'list the last 50 replays')
    .option(
      '--sends <id>',
      'list the last 50 sends of a delivery, newest first',
      readFilledDeliveryRef,
    )
    .option('--show <send>', 'show a send: its request and response', readFilled)
    .option('--include-secrets', 'with --show: show credentials')
    .printsJson('lines')
    .action(async (words: readonly string[], _own: unknown, self: Command) => {
      const { ids, query } = idsOrQuery(words, self.optsWithGlobals())
      const options: ReplayOptions = { ...self.optsWithGlobals(), ...given({ query }) }
      const { output } = context
      checkUsage(context, ids, options, self)
      const work = async (session: Session): Promise<ExitCode> => {
        if (await look(session, output, options)) return EXIT.done
        const print = createSendPrinter(output, options.json === true)
        const job = await begin(session, ids, options, context)
        const where =
          options.resume === undefined && job.total > 0
            ? await endpointNote(
                session,
                'Replaying to',
                { target: job.to, handlerId: job.handlerId },
                options,
              )
            : null
        if (where !== null) output.note(where)
        if (job.total === 0) output.note('No deliveries match. Nothing sent.')
        if (job.total > 1)
          output.note(`Replay ${job.id}: ${job.total} ${job.repeat > 1 ? 'sends' : 'deliveries'}.`)
        const ended = await followReplay(session, job, print)
        if (ended.total > 1 || ended.state !== 'done') output.note(accountOf(ended))
        if (ended.total > 1) {
          const times = timesOf(
            statisticsSummary((await sumReplayStatistics(session.client, ended.id)).all),
          )
          if (times !== null)
            output.note(`${times} By event: countersign stats --replay ${ended.id} --by event`)
        }
        if (ended.problem !== null) output.note(ended.problem)
        if (ended.recorded > 0)
          output.note(
            `Recorded here: Countersign itself responded${ended.recorded === ended.total ? '' : ` to ${ended.recorded} of ${ended.total}`}, not your handler. Replay to your handler with --to URL.`,
          )
        if (job.state === 'cancelled')
          output.note('This replay was cancelled earlier. Start a new one for the rest.')
        if (ended.state === 'interrupted')
          output.note(`Continue with: countersign replay --resume ${ended.id}`)
        return exitCodeOf(ended)
      }
      const code =
        options.query === undefined && options.view === undefined
          ? await withKeptData(context, options, NOTHING_CAPTURED, work, SENDING)
          : await withExistingData(context, options, 'Nothing sent', work, SENDING)
      context.exit(code ?? EXIT.no)
    })
}

/** Milliseconds between progress messages. */
const TELL_MS = 2_000

/**
 * Resolves with the job once its first sends start. The first Ctrl+C before that rejects with `CANCELLED`, and nothing is sent.
 * Rejects with the errors of `replay.start`.
 */
async function startReplay(
  client: Client,
  input: Omit<InputOf<'replay.start'>, 'startId'>,
  { output, now }: Pick<CommandContext, 'output' | 'now'>,
): Promise<ReplayJob> {
  const startId = randomUUID()
  const givingUp = new AbortController()
  const { signal } = givingUp
  let toldAt = now()
  const stopListening = client.on('replay.preparing', (told) => {
    if (told.startId !== startId || now() - toldAt < TELL_MS) return
    toldAt = now()
    const { written, total } = told
    output.note(
      `Preparing: ${written.toLocaleString('en')} of ${total.toLocaleString('en')} sends saved. Nothing sent yet.`,
    )
  })
  try {
    const start = () => client.call('replay.start', { ...input, startId }, { signal })
    return (await cancellable(() => givingUp.abort(), start)).job
  } catch (error) {
    if (!signal.aborted) throw error
    throw new AppError('CANCELLED', 'Replay cancelled. Nothing sent.')
  } finally {
    stopListening()
  }
}
