/** `countersign replay`: sends stored deliveries again, re-signed, and prints the results. */
import { replayCommands } from '../../shared/contract/nouns/replay.ts'
import { outcomeOfJob } from '../../shared/model/send-outcomes.ts'
import { replayChangeWords } from '../../shared/model/send-words.ts'
import {
  signatureModeSchema,
  timestampModeSchema,
  type ReplayJob,
} from '../../shared/model/send.ts'
import { defineCommand, JSON_LINES } from '../command.ts'
import { EXIT, UsageError } from '../context.ts'
import { listSends, showSend } from '../delivery-sends.ts'
import { localTimeText } from '../delivery-table.ts'
import {
  choiceOption,
  nonBlankOption,
  flagOption,
  flagOf,
  omitUndefined,
  readFilled,
  textOption,
  parsedOption,
  type ValuesOf,
} from '../options/input.ts'
import { noteEndpoint } from '../endpoint-note.ts'
import { listedSearchOf, noteNoMatch, searchOptions } from '../options/search-options.ts'
import { optionsOf } from '../options/field-options.ts'
import { readNamedFile } from '../options/input-files.ts'
import { readFilledDeliveryRef, idsOrQuery, deliveryIds } from '../options/delivery-arguments.ts'
import { readHeaderLine, readLiteral } from '../options/value-readers.ts'
import { outcomeCell, type Cell } from '../print.ts'
import { countsText, printReplay, startCancellable } from '../replay-outcome.ts'
import { NOTHING_CAPTURED, SENDING, type CommandRun, type Session } from '../session.ts'

const JOBS_SHOWN = 50

function jobCells(job: ReplayJob): Cell[] {
  const { id, createdAt } = job
  const changes = replayChangeWords(job).join('; ')
  return [id, localTimeText(createdAt), outcomeCell(outcomeOfJob(job)), countsText(job), changes]
}

const args = {
  ids: deliveryIds(
    '[id...]',
    'deliveries in sending order:',
    '; or one query, oldest first (see docs/query.md)',
  ),
}

const options = {
  ...optionsOf(replayCommands['replay.start'].input),
  method: textOption('<method>', 'replace the method'),
  setHeaders: parsedOption(
    "--header <'Name: value'>",
    'set a header, replacing those with its name (repeatable)',
    readHeaderLine,
  ),
  bodyFile: parsedOption<string>('<file>', 'replace the body', (file, previous) =>
    readNamedFile(readFilled(file, previous)).toString('base64'),
  ),
  set: parsedOption(
    '<path=value>',
    'set a field of the JSON body, as typed, for example amount=10.00 (repeatable)',
    readLiteral,
  ),
  signature: choiceOption(
    '<how>',
    'recompute the signature, keep the original or drop it',
    signatureModeSchema.options,
  ),
  timestamp: choiceOption(
    '<when>',
    'use the time of sending or the original time',
    timestampModeSchema.options,
  ),
  ...searchOptions,
  resume: textOption('<job>', 'continue an interrupted replay'),
  jobs: flagOption('list the last 50 replays'),
  sends: parsedOption(
    '<id>',
    'list the last 50 sends of a delivery, newest first',
    readFilledDeliveryRef,
  ),
  show: nonBlankOption('<send>', 'show a send: its request and response'),
  includeSecrets: flagOption('with --show: show credentials'),
}

type ReplayInput = ValuesOf<typeof args> & ValuesOf<typeof options>

async function startOrResume(
  session: Session,
  input: ReplayInput,
  run: CommandRun,
): Promise<ReplayJob> {
  const { client } = session
  const { ids, query, view, resume, method, set, signature, timestamp, bodyFile } = input
  const { allowHosts, live } = input
  if (resume !== undefined)
    return (await client.call('replay.resume', { jobId: resume, allowHosts, live })).job
  const edits = {
    ...omitUndefined({ method, set, signature, timestamp, base64: bodyFile }),
    setHeaders: input.setHeaders ?? [],
  }
  const selection =
    query === undefined && view === undefined
      ? { ids, query: undefined }
      : { ids: undefined, query: await listedSearchOf(client, input, run.output) }
  const started = { ...input, ...selection, edits }
  return startCancellable((signal) => client.call('replay.start', started, { signal }))
}

/** Options that don't start a replay, the options each allows, and the reason. */
const otherModes = {
  resume: { allowed: ['allowHosts', 'live'], why: '--resume continues with the original options' },
  jobs: { allowed: [], why: '--jobs only lists replays' },
  sends: { allowed: [], why: '--sends only lists sends' },
  show: { allowed: ['includeSecrets'], why: '--show only shows a send' },
} as const satisfies Partial<
  Record<
    keyof typeof options,
    { readonly allowed: readonly (keyof typeof options)[]; readonly why: string }
  >
>

function checkUsage(
  { ids, query, view, show, includeSecrets }: ReplayInput,
  { typed }: CommandRun,
): void {
  const chosen = Object.entries(otherModes).filter(([name]) => typed.includes(name))
  const hasQuery = query !== undefined || view !== undefined
  if (chosen.length + Number(ids.length > 0) + Number(hasQuery) !== 1)
    throw new UsageError(
      'Use one of: delivery IDs, a query or --view, --resume, --jobs, --sends, --show.',
    )
  if (includeSecrets && show === undefined) throw new UsageError('--include-secrets needs --show.')
  for (const [name, { allowed, why }] of chosen) {
    const allowedOptions: readonly string[] = [name, ...allowed]
    const unusedOption = Object.entries(options).find(
      ([option]) => typed.includes(option) && !allowedOptions.includes(option),
    )
    if (unusedOption !== undefined)
      throw new UsageError(
        `${flagOf(...unusedOption)} is only for a new replay: ${why}. Remove it.`,
      )
  }
}

async function showReplay(
  { client }: Session,
  input: ReplayInput,
  { output }: CommandRun,
): Promise<boolean> {
  const { jobs, sends, show } = input
  if (jobs) output.list((await client.call('replay.jobs', { limit: JOBS_SHOWN })).jobs, jobCells)
  else if (sends !== undefined) await listSends(client, output, sends)
  else if (show !== undefined) await showSend(client, output, show)
  else return false
  return true
}

export const add = defineCommand({
  description: 'Replay stored deliveries, re-signed, and print each target and result.',
  exits: {
    1: 'nothing matches, if a delivery is not acknowledged, or a forged one not rejected',
    3: 'the replay was interrupted',
  },
  examples: [
    [
      'Replay the latest delivery to your handler',
      'replay latest --to http://127.0.0.1:3000/webhooks',
    ],
    [
      'Replay all refunds of the last two hours, four at a time',
      "replay --query 'event:transaction.refund after:2h' --to http://127.0.0.1:3000/webhooks --concurrency 4",
    ],
    [
      'Set the amount, then change the body after signing',
      'replay latest --to http://127.0.0.1:3000/webhooks --set amount=10.00 --tamper body',
    ],
    ['Replay the latest delivery to a saved handler', 'replay latest --to @local'],
  ],
  json: JSON_LINES,
  args,
  options,
  async run(words, run) {
    const { output } = run
    const input = { ...words, ...idsOrQuery(words) }
    checkUsage(input, run)
    const session =
      input.query === undefined && input.view === undefined
        ? await run.needData(NOTHING_CAPTURED, SENDING)
        : await run.findData('Nothing sent', SENDING)
    if (session === null) return EXIT.negative
    if (await showReplay(session, input, run)) return EXIT.done
    const job = await startOrResume(session, input, run)
    const { to: target, handlerId } = job
    if (input.resume === undefined && job.total > 0)
      await noteEndpoint(run, session, 'Replaying to', { target, handlerId }, input.to)
    if (job.total === 0) noteNoMatch(run, input.query ?? '', 'Nothing sent.')
    if (job.total > 1)
      output.note(`Replay ${job.id}: ${job.total} ${job.repeat > 1 ? 'sends' : 'deliveries'}.`)
    return printReplay(session, job, output)
  },
})
