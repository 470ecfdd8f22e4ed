/** `countersign export`: writes deliveries in several formats, one of them to share. */
import { AppError } from '../../shared/contract/errors.ts'
import {
  exchangeCommands,
  exportFormatSchema,
  testLanguageSchema,
} from '../../shared/contract/nouns/exchange.ts'
import { counted, deliveryCount, listed } from '../../shared/text/english.ts'
import {
  exportPages,
  sharePages,
  type ExportRequest,
} from '../../shared/import-export/export-pages.ts'
import { NOTHING_SHARED, omissionText } from '../../shared/model/sharing.ts'
import { parseLatestRef } from '../../shared/model/delivery-ref.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { defineCommand } from '../command.ts'
import { EXIT, isDisconnected, UsageError } from '../context.ts'
import { withStop } from '../lifetime.ts'
import {
  choiceOption,
  flagOf,
  flagOption,
  listOption,
  nonBlankOption,
  parsedOption,
  type ValuesOf,
} from '../options/input.ts'
import { readShift } from '../options/value-readers.ts'
import { readPassphrase } from '../passphrase.ts'
import { printPreview, writePages, type WrittenPages } from '../written-pages.ts'
import { columnPathsSchema } from '../../shared/model/body-columns.ts'
import { noteUnknownColumns } from '../delivery-columns.ts'
import { columnsOption } from '../options/columns-option.ts'
import { listedSearchOf, noteNoMatch, searchOptions } from '../options/search-options.ts'
import { optionsOf } from '../options/field-options.ts'
import {
  readDeliveryRef,
  isDeliveryRef,
  queryArgument,
  checkQuery,
} from '../options/delivery-arguments.ts'
import { checkOutputOptions, openOutput, outputOptions } from '../output-file.ts'
import type { Output } from '../print.ts'
import { NOTHING_CAPTURED, type CommandRun } from '../session.ts'

const FORMATS = [...exportFormatSchema.options, 'handover'] as const

/** Options of a shareable capture. */
const sharingOptions = {
  preview: flagOption('with handover: print what would be replaced, write nothing'),
  keep: listOption(
    '<path>',
    'with handover: field to keep, such as card.metadata.tier (repeatable)',
  ),
  replace: listOption('<path>', 'with handover: field to replace (repeatable)'),
  shiftTime: parsedOption(
    '<duration>',
    'with handover: move all times by this, such as -30d',
    readShift,
  ),
  passphraseFile: nonBlankOption(
    '<file>',
    'with handover: encrypt with the passphrase in this file',
  ),
}

function noteOmitted(
  { output }: CommandRun,
  format: ExportInput['format'],
  omittedCount: number,
): void {
  if (omittedCount > 0 && format === 'har')
    output.note(`Left out ${counted(omittedCount, 'malformed request')}: HAR needs a method.`)
  if (omittedCount > 0 && format === 'test')
    output.note(
      `Left out ${deliveryCount(omittedCount)}: they aren't complete POST requests with a valid signature. To include invalid or possible ones, add is:invalid or is:possible to the query.`,
    )
}

/** Reads the argument: a delivery, as for `show`, or a query. */
async function readSelection(
  client: Client,
  input: { readonly query: string; readonly view: string | undefined },
  output: Output,
): Promise<Pick<ExportRequest, 'query' | 'seqs'>> {
  const { query: given, view } = input
  if (view === undefined && isDeliveryRef(given)) {
    try {
      return { query: '', seqs: [(await client.call('deliveries.get', { id: given })).seq] }
    } catch (error) {
      // Text that resembles part of an ID may be a search word.
      const isWord =
        parseLatestRef(given) === null && error instanceof AppError && error.code === 'NOT_FOUND'
      if (!isWord || error.details !== undefined) throw error
    }
  }
  return { query: await listedSearchOf(client, input, output), seqs: null }
}

function interruptionError(error: unknown, wasStopped: boolean, file: string | undefined): unknown {
  if (!wasStopped && !isDisconnected(error)) return error
  const left = file === undefined ? '. The output is incomplete.' : `. ${file} was not written.`
  return wasStopped
    ? new AppError('CANCELLED', `Export stopped${left}`)
    : new AppError('DISCONNECTED', `Countersign stopped during the export${left}`)
}

export const add = defineCommand({
  description:
    'Export stored deliveries, oldest first. Secrets and custom header values are masked unless you add --include-secrets.',
  exits: { 1: 'nothing matches' },
  examples: [
    ['Export all invalid deliveries', 'export is:invalid -o invalid.jsonl'],
    [
      'Write a shell script that sends the latest delivery, re-signed',
      'export latest --format curl > send.sh',
    ],
    [
      'Write a test that sends the latest delivery to your handler',
      'export latest --format test --language python -o test_webhooks.py',
    ],
    ['Export everything as HAR', 'export --format har > all.har'],
    [
      'Share invalid deliveries without personal data and secrets',
      'export is:invalid --format handover -o shareable.jsonl',
    ],
    ['See what a shareable capture would replace', 'export --format handover --preview'],
    [
      'Export amounts and cards for a spreadsheet',
      'export --format csv --columns amount,currency,card.lastNumbers > deliveries.csv',
    ],
  ],
  json: null,
  args: {
    query: queryArgument(
      '[query]',
      'query, as for "deliveries", or one delivery, as for "show" (default: all deliveries)',
    ).with({
      check(given) {
        if (isDeliveryRef(given)) readDeliveryRef(given)
        else checkQuery(given)
      },
    }),
  },
  options: {
    format: choiceOption(
      '<name>',
      'jsonl (for "import"), har (HTTP Archive 1.2), csv, curl or test (both re-sign when run), handover (shareable: nothing personal, verifiable)',
      FORMATS,
    ).default('jsonl'),
    language: choiceOption(
      '<name>',
      'with --format test: language of the test',
      testLanguageSchema.options,
    ).default('node'),
    columns: columnsOption(
      'with --format csv: values of the body as columns, JSON paths separated by commas',
      columnPathsSchema,
    ),
    bom: flagOption(
      'with --format csv: begin with a byte order mark, which some spreadsheets need',
    ),
    ...optionsOf(exchangeCommands['exchange.export'].input),
    ...sharingOptions,
    ...outputOptions,
    ...searchOptions,
  },
  async run(input, run) {
    const { query, format, output: file } = input
    checkOptions(input, run.typed)
    const exported = await withStop(run.env, async (signal) => {
      const session = isDeliveryRef(query)
        ? await run.needData(NOTHING_CAPTURED)
        : await run.findData('Nothing exported')
      return session === null ? null : exportTo(run, session.client, input, signal)
    })
    const { written, matched, report } = exported ?? {
      written: 0,
      matched: null,
      report: NOTHING_SHARED,
    }
    if (matched === 0) noteNoMatch(run, query, 'Nothing exported.')
    const omitted = input.preview ? null : omissionText(report)
    if (omitted !== null) run.output.note(omitted)
    const unused = listed(report.unused, 'or')
    if (unused !== '') run.output.note(`No field fits ${unused}. Check --keep and --replace.`)
    if (written === 0) return EXIT.negative
    if (file !== undefined && !input.preview)
      run.output.note(
        `Wrote ${deliveryCount(written)} to ${file}${format === 'handover' ? ', signed again with throw-away secrets that the file contains' : ''}.`,
      )
    return EXIT.done
  },
})

type ExportInput = Parameters<typeof checkOutputOptions>[0] &
  ValuesOf<typeof sharingOptions> & {
    readonly query: string
    readonly view: string | undefined
    readonly format: (typeof FORMATS)[number]
    readonly language: ExportRequest['language']
    readonly columns: string[] | undefined
    readonly bom: boolean
    readonly includeSecrets: boolean
  }

function checkOptions(input: ExportInput, typed: readonly string[]): void {
  checkOutputOptions(input)
  const needs = (option: string, format: string) => {
    throw new UsageError(`${option} needs --format ${format}.`)
  }
  if (input.format !== 'test' && typed.includes('language')) needs('--language', 'test')
  if (input.format !== 'csv' && input.bom) needs('--bom', 'csv')
  if (input.format !== 'csv' && input.columns !== undefined) needs('--columns', 'csv')
  const [name] = Object.keys(sharingOptions).filter((option) => typed.includes(option))
  if (input.format !== 'handover' && name !== undefined) needs(flagOf(name), 'handover')
  if (input.format === 'handover' && input.includeSecrets)
    throw new UsageError('--format handover never has secrets. Leave out --include-secrets.')
  if (input.preview && input.output !== undefined)
    throw new UsageError('--preview writes nothing. Leave out --output.')
}

async function exportTo(
  run: CommandRun,
  client: Client,
  input: ExportInput,
  signal: AbortSignal,
): Promise<WrittenPages> {
  const { format, language, columns = [], bom, includeSecrets } = input
  const { preview, keep, replace, shiftTime: shiftMs = 0 } = input
  const passphrase = readPassphrase(input.passphraseFile) ?? null
  const selection = await readSelection(client, input, run.output)
  await noteUnknownColumns(client, columns, run.output)
  const share = { ...selection, preview, keep, replace, shiftMs, passphrase }
  if (preview) {
    const counts = await writePages(run, sharePages(client, share, signal), null)
    if (counts.matched > 0) printPreview(run.output, counts)
    return counts
  }
  const sink = await openOutput(input, run.output, 'private')
  try {
    const pages =
      format === 'handover'
        ? sharePages(client, share, signal)
        : exportPages(
            client,
            { ...selection, format, language, columns, bom, includeSecrets },
            signal,
          )
    const counts = await writePages(run, pages, sink)
    noteOmitted(run, format, counts.matched - counts.written)
    await (counts.written === 0 ? sink.abandon() : sink.finish())
    return counts
  } catch (error) {
    await sink.abandon()
    throw interruptionError(error, signal.aborted, input.output)
  }
}
