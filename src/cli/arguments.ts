/**
 * Parsers of option values, and the options that several commands share: secrets, bodies, endpoints and saved views. Each error says
 * what was expected; commander adds the option's name. Standard input has at most one reader.
 */
import { isShortId, readLatest } from '../shared/model/delivery-ref.ts'
import { InvalidArgumentError } from 'commander'
import {
  type Command,
  UsageError,
  type CommandContext,
  aboutFile,
  type Session,
} from './context.ts'
import { z } from 'zod'
import { typedLiteral, type Literals } from '../shared/body/json-literals.ts'
import { nearest } from '../shared/query/problem.ts'
import { eventTypes, isEventName, isEventType } from '../shared/service/event-type.ts'
import { readFile } from 'node:fs/promises'
import { handlerNameIn } from '../shared/http.ts'
import { boundedCount } from '../shared/text/counted.ts'
import { printableText } from '../shared/text/printable.ts'
import { AppError } from '../shared/contract/errors.ts'
import { BUILT_IN_VIEWS, type View } from '../shared/model/settings.ts'
import type { Client } from '../shared/rpc/client.ts'
import { namesFlowRuns, parsePieces, parseQuery } from '../shared/query/parse.ts'
import { bothOf } from '../shared/query/terms.ts'
import type { Output } from './output.ts'

/**
 * Parses one option's value; `expected` completes the error. The schema is created on first use: creating unused schemas took a
 * quarter of a quick command's time.
 */
export function readWith<T>(makeSchema: () => z.ZodType<T>, expected: string): (text: string) => T {
  let schema: z.ZodType<T> | undefined
  return (text) => {
    const parsed = (schema ??= makeSchema()).safeParse(text)
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

const digitsAsNumber = () => z.string().regex(/^\d+$/).transform(Number)

/** An integer between two others, both included; `expected` says so in other words. */
export function readCountBetween(
  least: number,
  most: number,
  expected = `an integer from ${least} to ${most}`,
): (text: string) => number {
  return readWith(() => digitsAsNumber().pipe(z.number().int().min(least).max(most)), expected)
}
export const readCount = readCountBetween(1, Number.MAX_SAFE_INTEGER)
/** Also for the seed of random values. */
export const readCountFromZero = readCountBetween(
  0,
  Number.MAX_SAFE_INTEGER,
  'an integer of 0 or more',
)

/** 0 means any free port. */
export const readPort = readCountBetween(0, 65_535, 'a port from 0 (any free port) to 65535')

const decimal = () =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number)
const secondsAsMs = () => decimal().transform((seconds) => seconds * 1_000)
/** Seconds, with decimals, as milliseconds. */
export const readSeconds = readWith(
  () => secondsAsMs().pipe(z.number().max(2 ** 31 - 1)),
  'seconds, like 30 or 0.5, at most 2147483',
)
/** Seconds above 0, up to a day, as milliseconds. */
export const readMaxTime = readWith(
  () => secondsAsMs().pipe(z.number().positive().max(86_400_000)),
  'seconds above 0, at most 86400',
)
export const readSpeed = readWith(
  () => decimal().pipe(z.number().positive().max(100_000)),
  'a number above 0, at most 100000',
)
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** A century. Calendars have limits, and so does the sandbox clock. */
const LONGEST_DAYS = 36_500
/** A duration with its unit, as milliseconds. */
export const readDuration = readWith(
  () =>
    z
      .string()
      .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/)
      .transform(
        (text) =>
          Number.parseFloat(text) * UNIT_MS[/[a-z]+$/.exec(text)![0] as keyof typeof UNIT_MS],
      )
      .pipe(
        z
          .number()
          .positive()
          .max(LONGEST_DAYS * UNIT_MS.d),
      ),
  `a duration like 90s, 15m, 72h or 3d, at most ${LONGEST_DAYS}d`,
)
/** A time as milliseconds since the epoch. */
export const readInstant = readWith(
  () => z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  'a time like 2026-11-21T09:30:00Z',
)

/** The values that were given: without those that are undefined. */
export function given<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as ReturnType<typeof given<Values>>
}

/** For options where repeating can only be a mistake. */
export function readOnce(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('Option given twice. Use it once.')
  return text
}

/** Also rejects an empty value, which an unset shell variable leaves behind. */
export function readFilled(text: string, previous: string | undefined): string {
  if (text.trim() === '') throw new InvalidArgumentError('Option needs a value.')
  return readOnce(text, previous)
}

/** Rejects what can only be a mistake: a name that no event has, or one that is almost an event of the spec. */
function checkEventName(text: string): void {
  if (!isEventName(text) || nearest(text, eventTypes).length > 0) checkEventType(text)
}

function checkEventType(text: string): void {
  if (isEventType(text)) return
  const [meant] = nearest(text, eventTypes)
  const advice =
    meant === undefined
      ? `Use one of: ${eventTypes.join(', ')} (spec 6.1).`
      : `Did you mean ${meant}?`
  throw new InvalidArgumentError(`Unknown event "${text}". ${advice}`)
}

/** An event of a hook, which the spec may not list. */
export function readEventName(text: string, previous: string | undefined): string {
  if (!isEventName(text)) checkEventType(text)
  return readOnce(text, previous)
}

/** An event name, as an option or an argument. */
export function readEventType(text: string, previous: string | undefined): string {
  checkEventType(text)
  return readOnce(text, previous)
}

/** A delivery: an ID or part of one, `latest`, `latest~N` or `latest:EVENT`. */
export function readDeliveryRef(text: string): string {
  const event = readLatest(text)?.event ?? null
  if (event !== null) checkEventName(event)
  return text
}

export function readFilledDeliveryRef(text: string, previous: string | undefined): string {
  return readDeliveryRef(readFilled(text, previous))
}

export function readDeliveryRefs(
  text: string,
  previous: readonly string[] | undefined,
): readonly string[] {
  return readMany(readDeliveryRef(text), previous)
}

/** For repeatable options. */
export function readMany(text: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), text]
}

/** `path=value`: the value is JSON as typed (`amount=10.00` stays `10.00`), or text without quotes. Adds to the previous ones. */
export function readLiteral(text: string, previous: Literals | undefined): Literals {
  const [path, value] = splitAssignment(text)
  return { ...previous, [path]: typedLiteral(value) }
}

function splitAssignment(text: string): readonly [path: string, value: string] {
  const equals = text.indexOf('=')
  if (equals < 1)
    throw new InvalidArgumentError(
      'Expected path=value, for example amount=12.5 or card.lastNumbers=4001.',
    )
  return [text.slice(0, equals), text.slice(equals + 1)]
}

export interface QueryOption {
  readonly query?: string
}

/** The other way to give a query that is an argument too. */
export function addQueryOption(command: Command): Command {
  return command.option('--query <query>', 'the query, instead of the argument', readOnce)
}

/** The query, from the argument or `--query`; undefined if neither is given. Throws `UsageError` if they differ. */
export function givenQuery(
  argument: string | undefined,
  { query }: QueryOption,
): string | undefined {
  const text = argument?.trim()
  if (text !== undefined && query !== undefined && text !== query.trim())
    throw new UsageError('Two different queries given. Use one.')
  return text ?? query
}

/** Whether an argument names one delivery; anything else is a query. */
export function isDeliveryRef(argument: string): boolean {
  return readLatest(argument) !== null || isShortId(argument)
}

/** For commands that take deliveries by ID or by a query: a single argument that names no delivery is a query. */
export function idsOrQuery(
  words: readonly string[],
  options: QueryOption,
): { readonly ids: readonly string[]; readonly query: string | undefined } {
  const [only] = words
  const isQuery = words.length === 1 && only !== undefined && !isDeliveryRef(only)
  return {
    ids: isQuery ? [] : words,
    query: givenQuery(isQuery ? only : undefined, options),
  }
}

/**
 * Lets a query begin with a minus: `-is:valid`, `-(a OR b)`. Commander would read these as unknown options, `-has:json` as `-h`,
 * and `-offer:X` as `-o`. An option of one letter therefore needs its value as a separate word. The query is the last argument; the
 * error for an unquoted query shows how to quote it.
 */
export function takeQuery(command: Command): void {
  const parseOptions = command.parseOptions.bind(command)
  const takesNext = (word = '') =>
    command.options.some(
      ({ required, short, long }) => required && (word === short || word === long),
    )
  command.parseOptions = (words) => {
    const end = words.indexOf('--')
    const isQuery = (word: string, place: number) =>
      /^-[^-]./.test(word) && !takesNext(words[place - 1]) && (end === -1 || place < end)
    // A leading space makes it an ordinary word with the same meaning.
    return parseOptions(words.map((word, place) => (isQuery(word, place) ? ` ${word}` : word)))
  }
  const place = command.registeredArguments.length - 1
  command.allowExcessArguments().hook('preAction', ({ args }) => {
    const words = args.slice(place).map((word) => word.trim())
    if (words.length > 1)
      throw new UsageError(`A query is one argument. Quote it: '${words.join(' ')}'.`)
  })
}

const STANDARD_INPUT = '-'

export interface SecretOptions {
  readonly secret?: string
  readonly secretFile?: string
}

export interface BodyOption {
  readonly body?: string
}

export function addSecretOptions(command: Command): Command {
  return command
    .option(
      '--secret <secret>',
      'hook secret; - reads it from standard input (default: COUNTERSIGN_SECRET)',
      readOnce,
    )
    .option('--secret-file <file>', 'file with the secret', readFilled)
}

export function addBodyOption(command: Command): Command {
  return command.option(
    '--body <file>',
    'file with the exact body; - for standard input (default)',
    readFilled,
  )
}

/** Reads a file; errors name it. */
export async function readNamedFile(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw aboutFile(error, file)
  }
}

async function readStandardInput(context: CommandContext): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of context.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

const byteOrderMarks = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const

/**
 * A secret as text: UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it. A trailing line break isn't part of it. Throws
 * `UsageError` for anything else, because a secret with replacement characters would verify nothing.
 */
function secretText(bytes: Buffer, source: string): string {
  const encoding =
    byteOrderMarks.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))
      ?.encoding ?? 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    // Almost any bytes are UTF-16, so only ASCII shows that they are meant as text.
    const isText = encoding === 'utf-8' ? !text.includes('\0') : /^[\t\n\r -~]*$/.test(text)
    if (isText) return text.replace(/\r?\n$/, '')
  } catch {
    // Not text in this encoding.
  }
  throw new UsageError(
    `${source} isn't UTF-8 text. Save the secret as UTF-8, without anything else.`,
  )
}

/** A kind of secret: its options, its variable and its name in messages. */
interface SecretKind {
  readonly option: string
  readonly variable: string
  readonly name: string
  /** The secret and the file that were given. */
  readonly of: (
    options: SecretOptions & AccountSecretOptions,
  ) => readonly [secret: string | undefined, file: string | undefined]
}

const hookSecret: SecretKind = {
  option: '--secret',
  variable: 'COUNTERSIGN_SECRET',
  name: 'a hook secret',
  of: ({ secret, secretFile }) => [secret, secretFile],
}
const secretKey: SecretKind = {
  option: '--key',
  variable: 'COUNTERSIGN_KEY',
  name: 'a secret key',
  of: ({ key, keyFile }) => [key, keyFile],
}
const clientSecret: SecretKind = {
  option: '--client-secret',
  variable: 'COUNTERSIGN_CLIENT_SECRET',
  name: 'a client secret',
  of: (options) => [options.clientSecret, options.clientSecretFile],
}

/** Reads a secret from its option or file; undefined if neither is given. Throws `UsageError` for both, or an empty one. */
async function readIfGiven(
  context: CommandContext,
  { option, name, of }: SecretKind,
  options: SecretOptions & AccountSecretOptions,
): Promise<string | undefined> {
  const [secret, file] = of(options)
  if (secret !== undefined && file !== undefined)
    throw new UsageError(`Use either ${option} or ${option}-file.`)
  const [source, value] =
    file !== undefined
      ? [`${option}-file ${file}`, secretText(await readNamedFile(file), `${option}-file ${file}`)]
      : secret === STANDARD_INPUT
        ? ['Standard input', secretText(await readStandardInput(context), 'Standard input')]
        : [option, secret]
  if (value === '') throw new UsageError(`${source} is empty. It must contain ${name}.`)
  return value
}

/** Reads a secret from its option, file or variable. Throws `UsageError` if there is none, more than one or an empty one. */
async function readNeeded(
  context: CommandContext,
  kind: SecretKind,
  options: SecretOptions & AccountSecretOptions,
): Promise<string> {
  const { option, variable, name } = kind
  const value = (await readIfGiven(context, kind, options)) ?? context.env[variable]
  if (value === undefined)
    throw new UsageError(`Missing ${name.slice(2)}. Use ${option}, ${option}-file or ${variable}.`)
  if (value === '') throw new UsageError(`${variable} is empty. Set it, or use ${option}.`)
  return value
}

/** Reads a hook secret. Throws `UsageError` if there is none, more than one or an empty one. */
export function readSecret(context: CommandContext, options: SecretOptions): Promise<string> {
  return readNeeded(context, hookSecret, options)
}

/** Reads a hook secret if one is given by option. Ignores the variable, which may belong to another hook. */
export function readGivenSecret(
  context: CommandContext,
  options: SecretOptions,
): Promise<string | undefined> {
  return readIfGiven(context, hookSecret, options)
}

/** Reads the secret for an endpoint: a saved handler has its own, unless another is given by option. */
export async function readEndpointSecret(
  context: CommandContext,
  endpoint: string,
  options: SecretOptions,
): Promise<string | undefined> {
  return (handlerNameIn(endpoint) === null ? readSecret : readGivenSecret)(context, options)
}

export interface AccountSecretOptions {
  readonly key?: string
  readonly keyFile?: string
  readonly clientSecret?: string
  readonly clientSecretFile?: string
}

export function addAccountSecretOptions(command: Command, withVariables: boolean): Command {
  const otherwise = ({ variable }: SecretKind) => (withVariables ? ` (default: ${variable})` : '')
  return command
    .option(
      '--key <key>',
      `secret key (sk…); - reads it from standard input${otherwise(secretKey)}`,
      readOnce,
    )
    .option('--key-file <file>', 'file with the secret key', readFilled)
    .option(
      '--client-secret <secret>',
      `bearer: client secret; - reads it from standard input${otherwise(clientSecret)}`,
      readOnce,
    )
    .option('--client-secret-file <file>', 'file with the client secret', readFilled)
}

/** Reads the key, or the client secret for bearer authentication. */
export async function readAccountSecret(
  context: CommandContext,
  auth: 'service-key' | 'bearer',
  options: AccountSecretOptions,
): Promise<{ readonly key: string } | { readonly clientSecret: string }> {
  return auth === 'bearer'
    ? { clientSecret: await readNeeded(context, clientSecret, options) }
    : { key: await readNeeded(context, secretKey, options) }
}

/** Reads a changed secret. Ignores the variables, so the secret stays unless an option is given. */
export async function readChangedSecrets(
  context: CommandContext,
  options: AccountSecretOptions,
): Promise<{ readonly key: string | undefined; readonly clientSecret: string | undefined }> {
  if (options.key === STANDARD_INPUT && options.clientSecret === STANDARD_INPUT)
    throw new UsageError("The key and the client secret can't both come from standard input.")
  return {
    key: await readIfGiven(context, secretKey, options),
    clientSecret: await readIfGiven(context, clientSecret, options),
  }
}

/** Reads the body. Throws `UsageError` if a person would have to type it. */
export async function readBodyOption(
  context: CommandContext,
  { body }: BodyOption,
): Promise<Uint8Array> {
  if (body !== undefined && body !== STANDARD_INPUT) return readNamedFile(body)
  if (body === undefined && context.stdin.isTTY === true) {
    throw new UsageError('The body is missing. Use --body FILE or standard input.')
  }
  return readStandardInput(context)
}

/**
 * Reads the body and the secret. Throws `UsageError` if both would come from standard input, or a person would have to type the
 * body.
 */
export async function readBodyAndSecret(
  context: CommandContext,
  options: SecretOptions & BodyOption,
): Promise<{ readonly body: Uint8Array; readonly secret: string }> {
  const fromInput = options.body === undefined || options.body === STANDARD_INPUT
  if (fromInput && options.secret === STANDARD_INPUT) {
    throw new UsageError(
      "The secret and the body can't both come from standard input. Use --body FILE.",
    )
  }
  const secret = await readSecret(context, options)
  return { secret, body: await readBodyOption(context, options) }
}

export type Headers = Readonly<Record<string, string>>

/** Reads one header and adds it to the previous ones. The service's rules check names and values (section 4.3). */
export function readHeader(text: string, previous: Headers | undefined): Headers {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0)).trim()
  if (name === '') throw new InvalidArgumentError("Expected 'Name: value'.")
  if (Object.keys(previous ?? {}).some((known) => known.toLowerCase() === name.toLowerCase()))
    throw new InvalidArgumentError(`Header ${name} given twice.`)
  return { ...previous, [name]: text.slice(colon + 1).trim() }
}

export interface TargetOptions {
  readonly targetCa?: string
  readonly allowHost?: readonly string[]
  readonly live?: true
}

/** `live` is the help text of `--live`. */
export function addTargetOptions(command: Command, live: string): Command {
  return command
    .option(
      '--target-ca <file>',
      "verify the endpoint's certificate against this CA certificate (PEM)",
      readFilled,
    )
    .option('--allow-host <host>', 'allow sending to this remote host (repeatable)', readMany)
    .option('--live', live)
}

/** Reads the options for the core, including the CA file. */
export async function readTargetOptions({
  targetCa,
  allowHost = [],
  live,
}: TargetOptions): Promise<{
  readonly targetCa: string | null
  readonly allowHosts: string[]
  readonly live: boolean
}> {
  return {
    targetCa: targetCa === undefined ? null : (await readNamedFile(targetCa)).toString('utf8'),
    allowHosts: [...allowHost],
    live: live === true,
  }
}

interface SentTo {
  /** Null for the URL of each delivery's hook. */
  readonly target: string | null
  readonly handlerId: string | null
}

/** Names the endpoint that requests go to, such as "Replaying to @local: URL". Null if the user typed its URL. */
export async function endpointNote(
  { client }: Pick<Session, 'client'>,
  verb: string,
  { target, handlerId }: SentTo,
  { to }: { readonly to?: string },
): Promise<string | null> {
  if (to !== undefined && handlerNameIn(to) === null) return null
  if (target === null) return `${verb} the registered URL of each delivery's hook.`
  const { handlers } =
    handlerId === null ? { handlers: [] } : await client.call('handlers.list', {})
  const saved = handlers.find(({ id }) => id === handlerId)
  if (saved === undefined) return printableText(`${verb} ${target}.`)
  return printableText(
    `${verb} ${to === undefined ? 'the current handler, ' : ''}@${saved.name}: ${target}`,
  )
}

export interface ViewOption {
  readonly view?: string
}

export function addViewOption(command: Command): Command {
  return command.option(
    '--view <name>',
    'use a saved or built-in view, such as Invalid; a query narrows it further',
    readFilled,
  )
}

/** Finds a view by name, ignoring case. */
export function findView(views: readonly View[], name: string): View | undefined {
  const wanted = name.trim().toLowerCase()
  return views.find((view) => view.name.toLowerCase() === wanted)
}

/** Finds a view. Rejects with `NOT_FOUND` and lists the saved views. */
export async function viewNamed(client: Client, name: string): Promise<View> {
  const { views } = await client.call('views.list', {})
  const found = findView(views, name)
  if (found !== undefined) return found
  const others = views.map((view) => `"${view.name}"`).join(', ')
  throw new AppError(
    'NOT_FOUND',
    `Saved view "${name}" not found. ${others === '' ? 'Create one with "countersign views save".' : `Saved views: ${others}.`}`,
  )
}

/** Says how many deliveries of flow runs match, but aren't in the query's list. */
export async function noteHidden(
  client: Client,
  query: string,
  output: Pick<Output, 'note'>,
): Promise<void> {
  if (namesFlowRuns(parseQuery(query))) return
  const { counts } = await client.call('deliveries.counts', { queries: [bothOf(query, 'is:flow')] })
  const hidden = counts[0] ?? null
  if (hidden !== null && hidden.count > 0)
    output.note(
      `${boundedCount(hidden)} from flow runs hidden. Add is:any to the query to include them.`,
    )
}

/** The search of a command that lists its matches or acts on them. Says what it leaves out. */
export async function listedSearchOf(
  client: Client,
  query: string,
  name: string | undefined,
  output: Pick<Output, 'note'>,
): Promise<string> {
  const search = await searchOf(client, query, name)
  await noteHidden(client, search, output)
  return search
}

/** The query, the view's query, or both combined. Rejects with `NOT_FOUND` for an unknown view. */
export async function searchOf(
  client: Client,
  query: string,
  name: string | undefined,
): Promise<string> {
  if (name === undefined) return query
  const builtIn = findView(BUILT_IN_VIEWS, name)
  const { views } = builtIn === undefined ? { views: [] } : await client.call('views.list', {})
  const view = findView(views, name) ?? builtIn ?? (await viewNamed(client, name))
  return bothOf(view.query, query)
}

/** Throws `INVALID_QUERY` before Countersign is contacted. */
export function checkGivenQuery(output: Pick<Output, 'note'>, query: string): void {
  for (const { sentence } of parsePieces(query).hints) output.note(`Note: ${sentence}`)
}
