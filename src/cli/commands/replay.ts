/** `countersign replay`: sends stored deliveries again, re-signed, and prints the results. */
import { replayCommands } from '../../shared/contract/nouns/replay.ts'
import { outcomeOfReplay } from '../../shared/model/send-outcomes.ts'
import { replayChangeWords } from '../../shared/model/send-words.ts'
import {
  signatureModeSchema,
  timestampModeSchema,
  type ListedSend,
  type Replay,
} from '../../shared/model/send.ts'
import { counted } from '../../shared/text/english.ts'
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
import { createProgress, outcomeCell, type Cell } from '../print.ts'
import {
  checkComparisonUsage,
  fileOptions,
  readAgainst,
  reportOptions,
  type Against,
} from '../comparison-options.ts'
import { endComparison } from '../comparison-text.ts'
import { openReplayedFile, saveEndpoints } from '../replayed-file.ts'
import { createSendPrinter, followReplay } from '../replay-progress.ts'
import { countsText, printEnded, startCancellable } from '../replay-outcome.ts'
import { checkReportFiles } from '../report-files.ts'
import { NOTHING_CAPTURED, SENDING, type CommandRun, type Session } from '../session.ts'

const REPLAYS_SHOWN = 50

function replayCells(replay: Replay): Cell[] {
  const { id, createdAt } = replay
  const changes = replayChangeWords(replay).join('; ')
  return [
    id,
    localTimeText(createdAt),
    outcomeCell(outcomeOfReplay(replay)),
    countsText(replay),
    changes,
  ]
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
  resume: textOption('<replay>', 'continue an interrupted replay'),
  list: flagOption('list the last 50 replays'),
  sends: parsedOption(
    '<id>',
    'list the last 50 sends of a delivery, newest first',
    readFilledDeliveryRef,
  ),
  show: nonBlankOption('<send>', 'show a send: its request and response'),
  includeSecrets: flagOption('with --show: show credentials'),
  ...reportOptions,
  ...fileOptions,
}

type ReplayInput = ValuesOf<typeof args> & ValuesOf<typeof options>

async function startOrResume(
  session: Session,
  { against, ...input }: Omit<ReplayInput, 'against'> & Against,
  run: CommandRun,
): Promise<Replay> {
  const { client } = session
  const { ids, query, view, resume, method, set, signature, timestamp, bodyFile } = input
  const { allowHosts, live, save } = input
  if (resume !== undefined)
    return (await client.call('replay.resume', { replayId: resume, allowHosts, live })).replay
  const edits = {
    ...omitUndefined({ method, set, signature, timestamp, base64: bodyFile }),
    setHeaders: input.setHeaders ?? [],
  }
  const selection =
    ids.length > 0
      ? { ids, query: undefined }
      : { ids: undefined, query: await listedSearchOf(client, { query, view }, run.output) }
  const saves = save !== undefined
  const started = { ...input, ...selection, against, saves, edits }
  return startCancellable((signal) => client.call('replay.start', started, { signal }))
}

/** Options that don't start a replay, the options each allows, and the reason. */
const otherModes = {
  resume: {
    allowed: ['allowHosts', 'live', 'save', 'failOn', 'junit', 'html', 'summary'],
    why: '--resume continues with the original options',
  },
  list: { allowed: [], why: '--list only lists replays' },
  sends: { allowed: [], why: '--sends only lists sends' },
  show: { allowed: ['includeSecrets'], why: '--show only shows a send' },
} as const satisfies Partial<
  Record<
    keyof typeof options,
    { readonly allowed: readonly (keyof typeof options)[]; readonly why: string }
  >
>

function checkUsage(input: ReplayInput, { typed }: CommandRun): void {
  const { ids, query, view, show, from, includeSecrets } = input
  const chosen = Object.entries(otherModes).filter(([name]) => typed.includes(name))
  const hasQuery = query !== undefined || view !== undefined
  const count = chosen.length + Number(ids.length > 0) + Number(hasQuery)
  // A file is sent as a whole, unless a query narrows it.
  if (count > 1 || (count === 0 && from === undefined))
    throw new UsageError(
      'Use one of: delivery IDs, a query or --view, --from, --resume, --list, --sends, --show.',
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
  checkComparisonUsage(input, typed, options)
}

async function showReplay(
  { client }: Session,
  input: ReplayInput,
  { output }: CommandRun,
): Promise<boolean> {
  const { list, sends, show } = input
  if (list)
    output.list((await client.call('replay.list', { limit: REPLAYS_SHOWN })).replays, replayCells)
  else if (sends !== undefined) await listSends(client, output, sends)
  else if (show !== undefined) await showSend(client, output, show)
  else return false
  return true
}

export const add = defineCommand({
  description: 'Replay stored deliveries, re-signed, and print each target and result.',
  exits: {
    1: 'nothing matches, if a delivery is not acknowledged, or a forged one not rejected; with --against, if anything changed',
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
    [
      'Compare two handlers with the same deliveries',
      "replay --query 'after:2h' --to @new --against @old",
      { notRun: 'it needs two saved handlers' },
    ],
  ],
  json: JSON_LINES,
  args,
  options,
  async run(words, run) {
    const { output } = run
    const input = { ...words, ...idsOrQuery(words) }
    const isStored = input.from === undefined
    checkUsage(input, run)
    await checkReportFiles([input.save, input.junit, input.html, input.summary])
    const compared = readAgainst(input.against)
    const session = await openSession(input, run)
    if (session === null) return EXIT.negative
    if (await showReplay(session, input, run)) return EXIT.done
    const endpoints = await endpointsOf(run, session, input, compared)
    const replay = await startOrResume(session, { ...input, ...endpoints }, run)
    const print =
      replay.comparison === null ? createSendPrinter(output) : createComparisonProgress(run, replay)
    const { to: target, handlerId } = replay
    if (input.resume === undefined && replay.total > 0)
      await noteEndpoint(run, session, 'Replaying to', { target, handlerId }, input.to)
    if (replay.total === 0) noteNoMatch(run, input.query ?? '', 'Nothing sent.')
    if (replay.total > 1)
      output.note(
        `Replay${isStored ? ` ${replay.id}` : ''}: ${replay.total} ${replay.repeat > 1 || replay.comparison?.other != null ? 'sends' : 'deliveries'}.`,
      )
    const ended = await followReplay(session, replay, print)
    if (replay.total > 0 && ended.comparison !== null && isOver(ended)) {
      const against = input.against ?? ended.comparison.name
      const reported = { ...input, to: input.to ?? ended.to ?? '', against }
      const code = await endComparison(run, session, ended, reported)
      if (code !== null) return code
    }
    return printEnded(session, { started: replay, ended, isStored }, output)
  },
})

/** Whether nothing is left to send; `--resume` continues an interrupted comparison. */
const isOver = ({ state }: Replay) => state === 'done' || state === 'cancelled'

/** Opens the data, or the file that stands for it; null without any data to search. */
async function openSession(input: ReplayInput, run: CommandRun): Promise<Session | null> {
  if (input.from !== undefined) return openReplayedFile(run, input.from)
  return input.query === undefined && input.view === undefined
    ? run.needData(NOTHING_CAPTURED, SENDING)
    : run.findData('Nothing sent', SENDING)
}

/** Returns the endpoints as the core takes them; those of a file are saved for it. */
async function endpointsOf(
  run: CommandRun,
  session: Session,
  input: ReplayInput,
  { against, baseline }: Against,
): Promise<Against & Pick<ReplayInput, 'to' | 'registeredUrl' | 'targetCa'>> {
  const { to, from, registeredUrl, targetCa, signature } = input
  if (from === undefined || to === undefined)
    return { to, against, baseline, registeredUrl, targetCa }
  const other = baseline === null ? against : null
  const keepsSignature = signature !== undefined && signature !== 'recompute'
  const saved = await saveEndpoints(run, session, { ...input, to, against: other, keepsSignature })
  return {
    ...{ to: saved.to, against: saved.against ?? against, baseline },
    ...{ registeredUrl: keepsSignature ? registeredUrl : undefined, targetCa },
  }
}

/** Returns a function that prints how many requests were sent. */
function createComparisonProgress(run: CommandRun, { total }: Replay) {
  const progress = createProgress(run)
  let sent = 0
  return (sends: readonly ListedSend[]) => {
    sent += sends.length
    progress(() => `${sent.toLocaleString('en')} of ${counted(total, 'request')} sent`)
  }
}
