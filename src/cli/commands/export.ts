/** `countersign export`: writes deliveries as JSON Lines, HAR or curl commands, to standard output or a file. */
import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeFile } from '../../core/base/data-folder.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { exchangeCommands, exportFormatSchema } from '../../shared/contract/nouns/exchange.ts'
import { counted, deliveryCount } from '../../shared/text/counted.ts'
import { exportPages, type ExportRequest } from '../../shared/transfer/export-pages.ts'
import { readLatest } from '../../shared/model/delivery-ref.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { defineCommand } from '../command.ts'
import { EXIT, isDisconnected, UsageError } from '../context.ts'
import { withStop } from '../lifetime.ts'
import {
  checkQuery,
  choice,
  filled,
  isDeliveryRef,
  listedSearchOf,
  optionsOf,
  toggle,
  queryArgument,
  readDeliveryRef,
  searchOptions,
} from '../options.ts'
import { createProgress, type Output } from '../print.ts'
import { NOTHING_CAPTURED, type CommandRun } from '../session.ts'

/** Receives the file in pieces; it appears only once it is complete. */
interface Sink {
  write(text: string): Promise<void>
  /** Completes the file. */
  finish(): Promise<void>
  /** Discards the file. */
  abandon(): Promise<void>
}

async function openFile(file: string, force: boolean): Promise<Sink> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  if (isThere && !force)
    throw new AppError(
      'UNSUPPORTED',
      `${file} already exists. Choose another file, or replace it with --force.`,
    )
  const temporary = `${file}.${process.pid}.part`
  // Captured bytes are private to the user.
  const handle = await open(temporary, 'wx', 0o600).catch((error: unknown) => {
    // The folder isn't writable, so name it: the temporary file's name means nothing to anyone.
    throw Object.assign(error as NodeJS.ErrnoException, { path: dirname(file) })
  })
  return {
    async write(text) {
      await handle.writeFile(text)
    },
    async finish() {
      await handle.sync()
      await handle.close()
      await rename(temporary, file)
    },
    async abandon() {
      await handle.close()
      await removeFile(temporary)
    },
  }
}

function openOutput({ output }: CommandRun): Sink {
  return {
    write: (text) => output.bytes(Buffer.from(text)),
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  }
}

async function writeAll(
  run: CommandRun,
  client: Client,
  request: ExportRequest,
  sink: Sink,
  signal: AbortSignal,
): Promise<number> {
  const progress = createProgress(run)
  let written = 0
  let matched = 0
  for await (const { text, done, total } of exportPages(client, request, signal)) {
    if (total === 0) return 0
    await sink.write(text)
    written = done
    matched = total
    progress(() => `${done.toLocaleString('en')} of ${deliveryCount(total)}`)
  }
  if (request.format === 'har' && written < matched)
    run.output.note(
      `Left out ${counted(matched - written, 'malformed request')}: HAR needs a method.`,
    )
  return written
}

/** Reads the argument: a delivery, as `show` reads it, or a query. */
async function wantedBy(
  client: Client,
  input: { readonly query: string; readonly view: string | undefined },
  output: Output,
): Promise<Pick<ExportRequest, 'query' | 'ids'>> {
  const { query: given, view } = input
  if (view === undefined && isDeliveryRef(given)) {
    try {
      return { query: '', ids: [(await client.call('deliveries.get', { id: given })).id] }
    } catch (error) {
      // Text that looks like part of an ID may be a search word.
      const isWord =
        readLatest(given) === null && error instanceof AppError && error.code === 'NOT_FOUND'
      if (!isWord || error.details !== undefined) throw error
    }
  }
  return { query: await listedSearchOf(client, input, output), ids: null }
}

/** The error of an incomplete export. */
function endlessError(error: unknown, wasStopped: boolean, file: string | undefined): unknown {
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
    ['Export everything as HAR', 'export --format har > all.har'],
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
    format: choice(
      '<name>',
      'jsonl (for "import"), har (HTTP Archive 1.2) or curl (re-signs when run)',
      exportFormatSchema.options,
    ).default('jsonl'),
    ...optionsOf(exchangeCommands['exchange.export'].input),
    output: filled('-o, --output <file>', 'write to a new file'),
    force: toggle('with --output: replace an existing file'),
    ...searchOptions,
  },
  async run(input, run) {
    const { query, format, includeSecrets, output: file, force } = input
    if (force && file === undefined) throw new UsageError('--force needs --output.')
    const written = await withStop(run.env, async (signal) => {
      const session = isDeliveryRef(query)
        ? await run.needData(NOTHING_CAPTURED)
        : await run.findData('Nothing exported')
      if (session === null) return null
      const { client } = session
      const request = { ...(await wantedBy(client, input, run.output)), format, includeSecrets }
      const sink = file === undefined ? openOutput(run) : await openFile(file, force)
      try {
        const count = await writeAll(run, client, request, sink, signal)
        await (count === 0 ? sink.abandon() : sink.finish())
        return count
      } catch (error) {
        await sink.abandon()
        throw endlessError(error, signal.aborted, file)
      }
    })
    if (written === 0) run.output.note('No deliveries match. Nothing exported.')
    if (written === null || written === 0) return EXIT.no
    if (file !== undefined) run.output.note(`Wrote ${deliveryCount(written)} to ${file}.`)
    return EXIT.done
  },
})
