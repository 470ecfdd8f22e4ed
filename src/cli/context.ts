/** What every command uses: its context, its base class, its data folder, errors with their exit codes, and sessions with the core. */
import type { Readable } from 'node:stream'
import {
  Command as CommanderCommand,
  type ErrorOptions,
  CommanderError,
  type Option,
} from 'commander'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveDataFolder } from '../core/base/data-folder.ts'
import type { Output } from './output.ts'
import { AppError, type ErrorCode } from '../shared/contract/errors.ts'
import { usageSentence } from './usage-sentence.ts'
import { z } from 'zod'
import { printableText } from '../shared/text/printable.ts'
import type { CoreOptions } from '../core/app/core.ts'
import type { Client } from '../shared/rpc/client.ts'

export interface CommandContext {
  readonly version: string
  /** Folder of this build, ending in a slash; it contains the core's workers. */
  readonly build: URL
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly output: Output
  readonly now: () => number
  /** Sets the exit code. */
  exit(code: ExitCode): void
}

/** The options of every command, and of every command that prints data. */
export interface DataOption {
  readonly data?: string
  readonly json?: true
}

/** The data folder, which may not exist yet. Throws `STORE_UNAVAILABLE` if it can't be a folder. */
export function dataFolderOf(context: CommandContext, options: DataOption): string {
  const dataFolder = resolveDataFolder({ option: options.data, env: context.env })
  checkDataFolder(dataFolder)
  return dataFolder
}

/** A command line that help and the CLI reference show. */
export interface Example {
  readonly does: string
  /** The words after `countersign`, as typed in a shell. */
  readonly line: string
  readonly exits: ExitCode
  /** Why no test runs it; its options are checked anyway. */
  readonly notRun: string | null
}

type ExampleOptions = Partial<Pick<Example, 'exits'> & { readonly notRun: string }>

function exampleLines({ does, line }: Example): string {
  return `  # ${does}\n  countersign ${line}`
}

/** Other spellings of options, for every command that has the option. */
const SPELLINGS: Readonly<Record<string, string>> = { '--out': '--output' }

/** The option in help, with its other spelling. */
export function optionTerm({ flags, long = '' }: Pick<Option, 'flags' | 'long'>): string {
  const [other] = Object.entries(SPELLINGS).find(([, name]) => name === long) ?? []
  return other === undefined ? flags : flags.replace(long, `${other}, ${long}`)
}

/** A commander command that also holds what help and the CLI reference say about it: examples, exit codes, whether it needs a running Countersign. */
export class Command extends CommanderCommand {
  readonly examples: Example[] = []
  readonly exitCodes: { readonly code: ExitCode; readonly when: string }[] = []
  needsRunning = false

  constructor(name?: string) {
    super(name)
    this.addHelpText('after', () => this.#exampleHelp())
  }

  override createCommand(name?: string): Command {
    return new Command(name)
  }

  override parseOptions(words: string[]): ReturnType<CommanderCommand['parseOptions']> {
    const end = words.indexOf('--')
    return super.parseOptions(
      words.map((word, place) => {
        const [name = '', ...value] = word.split('=')
        const same = SPELLINGS[name]
        const isOwn = same !== undefined && this.options.some(({ long }) => long === same)
        return isOwn && (end === -1 || place < end) ? [same, ...value].join('=') : word
      }),
    )
  }

  /** The words that call this command, such as `countersign hooks list`. */
  #fullName(): string {
    const names = [this.name()]
    for (let above = this.parent; above !== null; above = above.parent) names.unshift(above.name())
    return names.join(' ')
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(usageSentence(message, this.#fullName()), options)
  }

  /** Adds an example; `does` begins with a verb. */
  example(does: string, line: string, { exits = 0, notRun }: ExampleOptions = {}): this {
    this.examples.push({ does, line, exits, notRun: notRun ?? null })
    return this
  }

  /** `when` completes "Exits with 1 if …". */
  exitsWith(code: ExitCode, when: string): this {
    this.exitCodes.push({ code, when })
    return this
  }

  /** Adds the option to print JSON, as one object or one object per line. */
  printsJson(lines?: 'lines'): this {
    return this.option('--json', lines === undefined ? 'print a JSON object' : 'print JSON Lines')
  }

  /** Marks a command that exits with 3 unless Countersign runs on the data folder. */
  requiresRunning(): this {
    this.needsRunning = true
    return this
  }

  /** The description with what the command needs and how it exits. */
  helpText(): string {
    const codes = this.exitCodes.map(({ code, when }) => `with ${code} if ${when}`)
    return [
      this.description(),
      ...(this.needsRunning ? ['Needs Countersign running.'] : []),
      ...(codes.length === 0 ? [] : [`Exits ${codes.join(', and ')}.`]),
    ].join(' ')
  }

  /** A group of commands shows the first example of each. */
  #exampleHelp(): string {
    const own = this.examples
    const shown =
      own.length > 0
        ? own
        : this.commands.flatMap((command) => (command as Command).examples.slice(0, 1))
    return shown.length === 0
      ? ''
      : `\nExamples:\n${shown.slice(0, 4).map(exampleLines).join('\n\n')}`
  }

  /** `work` gets the command's arguments, then its options together with the program's; each command declares their types. */
  run(work: (...given: never[]) => Promise<void>): this {
    return this.action((...given: unknown[]) => {
      const command = given.at(-1) as CommanderCommand
      return work(...([...given.slice(0, -2), command.optsWithGlobals()] as never[]))
    })
  }
}

// Checks the data folder before anything is opened.

/**
 * Throws `STORE_UNAVAILABLE` if a file is in the place of the folder or one of its parents, and the system's error if it can't be
 * read. The folder may not exist yet.
 */
function checkDataFolder(dataFolder: string): void {
  let path = dataFolder
  let found = statSync(path, { throwIfNoEntry: false })
  // The nearest existing parent: missing folders would be created in it.
  while (found === undefined && dirname(path) !== path) {
    path = dirname(path)
    found = statSync(path, { throwIfNoEntry: false })
  }
  if (found === undefined || found.isDirectory()) return
  const what =
    path === dataFolder
      ? `${dataFolder} is a file, not a folder`
      : `Couldn't use ${dataFolder}: ${path} is a file, not a folder`
  throw new AppError(
    'STORE_UNAVAILABLE',
    `${what}. Choose another data folder with --data or COUNTERSIGN_DATA.`,
  )
}

/** Says why there is no database: the middle of a sentence. */
export function emptinessOf(dataFolder: string): string {
  const isThere = statSync(dataFolder, { throwIfNoEntry: false }) !== undefined
  return isThere ? `${dataFolder} has no database` : `${dataFolder} does not exist`
}

/** 0: success. 1: negative result. 2: wrong usage. 3: failed. */
export const EXIT = { done: 0, no: 1, usage: 2, failed: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Wrong usage of the command line; the message says what to fix. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Core errors that mean wrong usage. */
const usageCodes: readonly ErrorCode[] = ['INVALID_INPUT', 'INVALID_QUERY', 'INVALID_FLOW']
/** These mean wrong usage only if `details` lists broken rules. */
const ruleCodes: readonly ErrorCode[] = ['INVALID_HOOK', 'INVALID_ENVIRONMENT']

function isUsage({ code, details }: AppError): boolean {
  return usageCodes.includes(code) || (ruleCodes.includes(code) && Array.isArray(details))
}

export function isDisconnected(error: unknown): boolean {
  return error instanceof AppError && error.code === 'DISCONNECTED'
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof AppError && isUsage(error) ? EXIT.usage : EXIT.failed
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}

/** Adds the file to an error: the system names it if opening fails, but not if reading does. */
export function aboutFile(error: unknown, file: string): unknown {
  if (isSystemError(error)) error.path ??= file
  return error
}

const systemReasons: Readonly<Record<string, { readonly reason: string; readonly next: string }>> =
  {
    ENOENT: { reason: 'File or folder not found', next: 'Check the path' },
    EACCES: { reason: 'Permission denied', next: 'Change its permissions or choose another path' },
    EPERM: {
      reason: 'Operation not permitted',
      next: 'Change its permissions or choose another path',
    },
    EISDIR: { reason: 'Expected a file, but this is a folder', next: 'Choose a file' },
    ENOTDIR: { reason: 'Part of the path is a file, not a folder', next: 'Check the path' },
    ENOSPC: { reason: 'The disk is full', next: 'Free some space, then try again' },
    EEXIST: { reason: 'Expected a folder, but a file has this name', next: 'Choose another path' },
  }

/** Explains common system errors; for others, uses the system's message. */
function sentenceOf({
  code = '',
  path: from,
  dest,
  message,
}: NodeJS.ErrnoException & { readonly dest?: string }): string {
  // With two paths, the first is temporary and the second is the user's.
  const path = dest ?? from
  if (path === '') return 'File name is empty. Enter one.'
  const known = systemReasons[code]
  if (known === undefined) return `${message}.`
  return `${known.reason}${path === undefined ? '' : `: ${path}`} (${code}). ${known.next}.`
}

/** An invalid query's details contain the query with a mark under the error. */
function pointerOf(error: AppError): string {
  const pointer = (error.details as { pointer?: unknown } | null | undefined)?.pointer
  return error.code === 'INVALID_QUERY' && typeof pointer === 'string'
    ? `\n${pointer.split('\n').map(printableText).join('\n')}`
    : ''
}

const sentSchema = z.object({
  body: z.string().optional(),
  sent: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: z.unknown(),
  }),
})

/** For a failed call to the service: the request with secrets masked, and the full response if the message cuts it. */
function exchangeOf({ details, message }: AppError): string {
  const parsed = sentSchema.safeParse(details)
  if (!parsed.success) return ''
  const { body, sent } = parsed.data
  const lines = [
    ...(body === undefined || message.includes(body.trim())
      ? []
      : ['Response:', ...body.split('\n')]),
    `Request: ${sent.method} ${sent.url}`,
    ...sent.headers.map(([name, value]) => `  ${name}: ${value}`),
    ...(sent.body === null || sent.body === undefined ? [] : [`  ${JSON.stringify(sent.body)}`]),
  ]
  return `\n${lines.map(printableText).join('\n')}`
}

/**
 * The message for stderr. Null if it was already printed (commander prints its own), undefined for a bug, which only the log
 * explains.
 */
export function explain(error: unknown): string | null | undefined {
  if (error instanceof CommanderError) return null
  // One problem per line.
  if (error instanceof AppError && error.code === 'INVALID_FLOW')
    return error.message.split('\n').map(printableText).join('\n')
  if (error instanceof AppError)
    return printableText(error.message) + pointerOf(error) + exchangeOf(error)
  if (error instanceof UsageError) return printableText(error.message)
  if (isSystemError(error)) return printableText(sentenceOf(error))
  return undefined
}

/** A core for a command that only uses the store: starting threads would take longer than its work. */
const BRIEF: CoreOptions = { serve: null, withoutThreads: true }
/** A core for a command that sends requests: storing one must not delay the next, nor the response whose time is measured. */
export const SENDING: CoreOptions = { serve: null }

export const NOTHING_CAPTURED = 'No deliveries yet'

/** The message for a data folder that was never used: `missing` begins the sentence. */
function noDataYet(missing: string, dataFolder: string): string {
  return `${missing}: ${emptinessOf(dataFolder)}. Run "countersign serve" first, or check --data.`
}

export interface Session {
  readonly client: Client
  /** False if the core runs in this process. */
  readonly running: boolean
  /** Resolves when Countersign stops; never for a core in this process. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

async function connectRunning(dataFolder: string): Promise<Session | null> {
  // Loaded on demand: commands that need no core start in half the time without it.
  const { connectToInstance } = await import('../core/control/connect.ts')
  const connection = await connectToInstance(dataFolder)
  if (connection === null) return null
  const { client, closed } = connection
  return {
    client,
    running: true,
    closed,
    async close() {
      connection.close()
      await closed
    },
  }
}

async function openOwn(
  context: CommandContext,
  dataFolder: string,
  options: CoreOptions,
): Promise<Session> {
  const [{ createCore }, { createNodeDeps }, { createClient }, { createMemoryPair }] =
    await Promise.all([
      import('../core/app/create-core.ts'),
      import('../loopback/node-deps.ts'),
      import('../shared/rpc/client.ts'),
      import('../shared/rpc/transport.ts'),
    ])
  const deps = createNodeDeps({
    version: context.version,
    host: 'command',
    dataFolder,
    workers: context.build,
  })
  const core = await createCore(deps, options)
  const [near, far] = createMemoryPair()
  const disconnect = core.connect(far)
  return {
    client: createClient(near),
    running: false,
    closed: new Promise(() => undefined),
    async close() {
      disconnect()
      await core.close()
    },
  }
}

async function runWith<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await task(session)
  } finally {
    await session.close()
  }
}

/** Runs the task with the core; creates the data folder if needed. `own` are the options of a core in this process. */
export async function withCore<T>(
  context: CommandContext,
  options: DataOption,
  task: (session: Session) => Promise<T>,
  own = BRIEF,
): Promise<T> {
  const dataFolder = dataFolderOf(context, options)
  return runWith(
    (await connectRunning(dataFolder)) ?? (await openOwn(context, dataFolder, own)),
    task,
  )
}

/** The same with a receiver. Without Countersign running, this process listens on free ports meanwhile. */
export function withReceiver<T>(
  context: CommandContext,
  options: DataOption,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const serve = { host: '127.0.0.1', receiverPort: 0, withoutSandbox: true } as const
  return withCore(context, options, task, { serve })
}

/** The same for reading: if the folder has no database, nothing is created, and `without` gets the folder. */
async function withData<T, None>(
  context: CommandContext,
  options: DataOption,
  task: (session: Session) => Promise<T>,
  own: CoreOptions,
  without: (dataFolder: string) => None,
): Promise<T | None> {
  const dataFolder = dataFolderOf(context, options)
  const running = await connectRunning(dataFolder)
  if (running !== null) return runWith(running, task)
  const { hasDatabase } = await import('../core/store/open.ts')
  return hasDatabase(dataFolder)
    ? runWith(await openOwn(context, dataFolder, own), task)
    : without(dataFolder)
}

/** The same for reading. Null if the folder has no database; a note says so, unless `missing`, which begins it, is null. */
export function withExistingData<T>(
  context: CommandContext,
  options: DataOption,
  missing: string | null,
  task: (session: Session) => Promise<T>,
  own = BRIEF,
): Promise<T | null> {
  return withData(context, options, task, own, (dataFolder) => {
    if (missing !== null) context.output.note(noDataYet(missing, dataFolder))
    return null
  })
}

/**
 * The same for reading data that must exist. Rejects with `NOT_FOUND` if the folder has no database; `missing` begins the sentence.
 */
export function withKeptData<T>(
  context: CommandContext,
  options: DataOption,
  missing: string,
  task: (session: Session) => Promise<T>,
  own = BRIEF,
): Promise<T> {
  return withData(context, options, task, own, (dataFolder) => {
    throw new AppError('NOT_FOUND', noDataYet(missing, dataFolder))
  })
}

/** Runs the task with the running Countersign. Rejects with `NOT_RUNNING` otherwise; `what` begins the sentence. */
export async function withInstance<T>(
  context: CommandContext,
  options: DataOption,
  what: string,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const dataFolder = dataFolderOf(context, options)
  const running = await connectRunning(dataFolder)
  if (running === null) {
    throw new AppError(
      'NOT_RUNNING',
      `${what} needs Countersign running on ${dataFolder}. Run "countersign serve" with the same --data, then try again.`,
    )
  }
  return runWith(running, task)
}
