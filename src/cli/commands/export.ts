/** `countersign export`: writes deliveries as JSON Lines, HAR or curl commands, to standard output or a file. */
import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Option } from 'commander'
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  isDisconnected,
  UsageError,
  NOTHING_CAPTURED,
  withExistingData,
  withKeptData,
  type Session,
} from '../context.ts'
import { removeFile } from '../../core/base/whole-file.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { exportFormatSchema, type ExportFormat } from '../../shared/contract/nouns/exchange.ts'
import { counted, deliveryCount } from '../../shared/text/counted.ts'
import { exportPages, type ExportRequest } from '../../shared/transfer/export-pages.ts'
import { readLatest } from '../../shared/model/delivery-ref.ts'
import type { Client } from '../../shared/rpc/client.ts'
import {
  readDeliveryRef,
  readFilled,
  addQueryOption,
  givenQuery,
  isDeliveryRef,
  takeQuery,
  type QueryOption,
  checkGivenQuery,
  addViewOption,
  listedSearchOf,
  type ViewOption,
} from '../arguments.ts'
import { withStopSignal } from '../lifetime.ts'
import type { Output } from '../output.ts'

interface ExportOptions extends DataOption, QueryOption, ViewOption {
  readonly format: ExportFormat
  readonly includeSecrets?: true
  readonly output?: string
  readonly force?: true
}

/** Milliseconds between progress messages of a long export. */
const TELL_MS = 2_000

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

function openOutput({ output }: CommandContext): Sink {
  return {
    write: (text) => output.bytes(Buffer.from(text)),
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  }
}

async function writeAll(
  context: CommandContext,
  client: Client,
  request: ExportRequest,
  sink: Sink,
  signal: AbortSignal,
): Promise<number> {
  let toldAt = context.now()
  let written = 0
  let matched = 0
  for await (const { text, done, total } of exportPages(client, request, signal)) {
    if (total === 0) return 0
    await sink.write(text)
    written = done
    matched = total
    if (context.now() - toldAt < TELL_MS) continue
    toldAt = context.now()
    context.output.note(`${done.toLocaleString('en')} of ${deliveryCount(total)}`)
  }
  if (request.format === 'har' && written < matched)
    context.output.note(
      `Left out ${counted(matched - written, 'malformed request')}: HAR needs a method.`,
    )
  return written
}

/** Reads the argument: a delivery, as `show` reads it, or a query. */
async function wantedBy(
  client: Client,
  given: string,
  view: string | undefined,
  output: Output,
): Promise<Pick<ExportRequest, 'query' | 'ids'>> {
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
  return { query: await listedSearchOf(client, given, view, output), ids: null }
}

/** The error of an incomplete export. */
function endlessError(error: unknown, wasStopped: boolean, file: string | undefined): unknown {
  if (!wasStopped && !isDisconnected(error)) return error
  const left = file === undefined ? '. The output is incomplete.' : `. ${file} was not written.`
  return wasStopped
    ? new AppError('CANCELLED', `Export stopped${left}`)
    : new AppError('DISCONNECTED', `Countersign stopped during the export${left}`)
}

export function add(command: Command, context: CommandContext): void {
  const exporting = command
    .description(
      'Export stored deliveries, oldest first. Secrets and custom header values are masked unless you add --include-secrets.',
    )
    .exitsWith(1, 'nothing matches')
    .example('Export all invalid deliveries', 'export is:invalid -o invalid.jsonl')
    .example(
      'Write a shell script that sends the latest delivery, re-signed',
      'export latest --format curl > send.sh',
    )
    .example('Export everything as HAR', 'export --format har > all.har')
    .argument(
      '[query]',
      'query, as for "deliveries", or one delivery, as for "show" (default: all deliveries)',
    )
    .addOption(
      new Option(
        '--format <name>',
        'jsonl (for "import"), har (HTTP Archive 1.2) or curl (re-signs when run)',
      )
        .choices([...exportFormatSchema.options])
        .default('jsonl'),
    )
    .option(
      '--include-secrets',
      'include secrets and header values; with curl, include the hook secret',
    )
    .option('-o, --output <file>', 'write to a new file', readFilled)
    .option('--force', 'with --output: replace an existing file')
    .run(async (query: string | undefined, options: ExportOptions) => {
      const { format, includeSecrets = false, output: file } = options
      const given = givenQuery(query, options) ?? ''
      if (isDeliveryRef(given)) readDeliveryRef(given)
      else checkGivenQuery(context.output, given)
      if (options.force === true && file === undefined)
        throw new UsageError('--force needs --output.')
      const read = (task: (session: Session) => Promise<number>) =>
        isDeliveryRef(given)
          ? withKeptData(context, options, NOTHING_CAPTURED, task)
          : withExistingData(context, options, 'Nothing exported', task)
      const written = await withStopSignal(context.env, (signal) =>
        read(async ({ client }) => {
          const request: ExportRequest = {
            ...(await wantedBy(client, given, options.view, context.output)),
            format,
            includeSecrets,
          }
          const sink =
            file === undefined ? openOutput(context) : await openFile(file, options.force === true)
          try {
            const count = await writeAll(context, client, request, sink, signal)
            await (count === 0 ? sink.abandon() : sink.finish())
            return count
          } catch (error) {
            await sink.abandon()
            throw endlessError(error, signal.aborted, file)
          }
        }),
      )
      if (written === 0) context.output.note('No deliveries match. Nothing exported.')
      if (written === null || written === 0) context.exit(EXIT.no)
      else if (file !== undefined)
        context.output.note(`Wrote ${deliveryCount(written)} to ${file}.`)
    })
  takeQuery(addViewOption(addQueryOption(exporting)))
}
