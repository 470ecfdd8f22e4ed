/** `countersign export`: writes deliveries as JSON Lines, HAR, CSV, curl commands or tests. */
import { AppError } from '../../shared/contract/errors.ts'
import {
  exchangeCommands,
  exportFormatSchema,
  testLanguageSchema,
} from '../../shared/contract/nouns/exchange.ts'
import { counted, deliveryCount } from '../../shared/text/english.ts'
import { exportPages, type ExportRequest } from '../../shared/import-export/export-pages.ts'
import { parseLatestRef } from '../../shared/model/delivery-ref.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { defineCommand } from '../command.ts'
import { EXIT, isDisconnected, UsageError } from '../context.ts'
import { withStop } from '../lifetime.ts'
import { columnPathsSchema } from '../../shared/model/body-columns.ts'
import { columnsOption } from '../options/columns-option.ts'
import { choiceOption, flagOption } from '../options/input.ts'
import { listedSearchOf, noteNoMatch, searchOptions } from '../options/search-options.ts'
import { optionsOf } from '../options/field-options.ts'
import {
  readDeliveryRef,
  isDeliveryRef,
  queryArgument,
  checkQuery,
} from '../options/delivery-arguments.ts'
import { checkOutputOptions, openOutput, outputOptions } from '../output-file.ts'
import { createProgress, type Output } from '../print.ts'
import { NOTHING_CAPTURED, type CommandRun } from '../session.ts'

async function writeAll(
  run: CommandRun,
  client: Client,
  request: ExportRequest,
  sink: Awaited<ReturnType<typeof openOutput>>,
  signal: AbortSignal,
): Promise<{ readonly written: number; readonly matched: number }> {
  const progress = createProgress(run)
  let written = 0
  let matched = 0
  for await (const { text, done, total } of exportPages(client, request, signal)) {
    if (total === 0) break
    await sink.write(text)
    written = done
    matched = total
    progress(() => `${done.toLocaleString('en')} of ${deliveryCount(total)}`)
  }
  const omittedCount = matched - written
  if (omittedCount > 0 && request.format === 'har')
    run.output.note(`Left out ${counted(omittedCount, 'malformed request')}: HAR needs a method.`)
  if (omittedCount > 0 && request.format === 'test')
    run.output.note(
      `Left out ${deliveryCount(omittedCount)}: they aren't complete POST requests with a valid signature. To include invalid or possible ones, add is:invalid or is:possible to the query.`,
    )
  return { written, matched }
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
      'jsonl (for "import"), har (HTTP Archive 1.2), csv, curl or test (both re-sign when run)',
      exportFormatSchema.options,
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
    ...outputOptions,
    ...searchOptions,
  },
  async run(input, run) {
    const { query, format, language, columns, bom, includeSecrets, output: file } = input
    checkOutputOptions(input)
    if (format !== 'test' && run.typed.includes('language'))
      throw new UsageError('--language needs --format test.')
    if (format !== 'csv' && (bom || columns !== undefined))
      throw new UsageError(`${bom ? '--bom' : '--columns'} needs --format csv.`)
    const exported = await withStop(run.env, async (signal) => {
      const session = isDeliveryRef(query)
        ? await run.needData(NOTHING_CAPTURED)
        : await run.findData('Nothing exported')
      if (session === null) return null
      const { client } = session
      const request = {
        ...(await readSelection(client, input, run.output)),
        format,
        language,
        columns: columns ?? [],
        bom,
        includeSecrets,
      }
      const sink = await openOutput(input, run.output, 'private')
      try {
        const counts = await writeAll(run, client, request, sink, signal)
        await (counts.written === 0 ? sink.abandon() : sink.finish())
        return counts
      } catch (error) {
        await sink.abandon()
        throw interruptionError(error, signal.aborted, file)
      }
    })
    const { written, matched } = exported ?? { written: 0, matched: null }
    if (matched === 0) noteNoMatch(run, query, 'Nothing exported.')
    if (written === 0) return EXIT.negative
    if (file !== undefined) run.output.note(`Wrote ${deliveryCount(written)} to ${file}.`)
    return EXIT.done
  },
})
