/**
 * Arguments and options of commands: their kinds, the readers of their values, and those that several commands share. Each error
 * says what was expected; commander adds the option's name. Standard input has at most one reader.
 */
import { isShortId, readLatest } from '../shared/model/delivery-ref.ts'
import { InvalidArgumentError } from 'commander'
import { type CommandContext, UsageError, aboutFile } from './context.ts'
import type { Caller, CommandRun, Session } from './session.ts'
import { z } from 'zod'
import {
  optionWordsOf,
  valueType,
  type FieldKind,
  type IsOption,
  type OptionWords,
} from '../shared/model/field-words.ts'
import { typedLiteral, type Literals } from '../shared/body/json-literals.ts'
import { hintOn } from '../shared/query/hints.ts'
import { nearest } from '../shared/query/problem.ts'
import { eventTypes, isEventName, isEventType } from '../shared/service/event-type.ts'
import { readFileSync } from 'node:fs'
import { handlerNameIn } from '../shared/http.ts'
import { boundedCount } from '../shared/text/counted.ts'
import { unitMs } from '../shared/text/moment.ts'
import { AppError } from '../shared/contract/errors.ts'
import { BUILT_IN_VIEWS, type View } from '../shared/model/retention.ts'
import type { Client } from '../shared/rpc/client.ts'
import { namesFlowRuns, parseQuery } from '../shared/query/parse.ts'
import { bothOf } from '../shared/query/terms.ts'
import type { Output } from './print.ts'

/** An argument or option without its name. `Value` is what the command's work receives. */
export class Input<Value> {
  /** Only a type. */
  declare readonly value: Value
  /** An argument's name in brackets. An option's placeholder; with its own flags, if those don't follow from its name. */
  readonly flags: string
  readonly help: string
  /** The value if it isn't given. Unlike a default, help doesn't show it. */
  readonly absent: Value
  /** The only values, which help lists. */
  readonly choices: readonly string[] | undefined
  readonly isRequired: boolean = false
  readonly otherwise: { readonly value: unknown; readonly shown: string | undefined } | undefined
  /** Names of options that can't be given with it. */
  readonly excluded: readonly string[] = []
  readonly isQuery: boolean = false

  constructor(flags: string, help: string, absent: Value, read?: Input<Value>['read']) {
    this.flags = flags
    this.help = help
    this.absent = absent
    if (read !== undefined) this.read = read
  }

  /** Reads the value; `previous` is its earlier value if it is given twice. Throws `InvalidArgumentError`. */
  read?(text: string, previous: Value | undefined): Value

  /** Throws or prints notes before the work begins, even if nothing is stored or running. */
  check?(value: Value, output: Pick<Output, 'note'>): void

  /** The same with some of its properties changed. */
  with(change: Partial<Input<Value>>): Input<Value> {
    return Object.assign(new Input(this.flags, this.help, this.absent), this, change)
  }

  /** The same with a value that is never undefined. */
  #certain(change: Partial<Input<Value>>): Input<Exclude<Value, undefined>> {
    const input: Input<unknown> = this.with(change)
    return input as Input<Exclude<Value, undefined>>
  }

  required(): Input<Exclude<Value, undefined>> {
    return this.#certain({ isRequired: true })
  }

  /** With a default, which help shows as `shown`. */
  default(value: Exclude<Value, undefined>, shown?: string): Input<Exclude<Value, undefined>> {
    return this.#certain({ otherwise: { value, shown } })
  }

  conflicts(...excluded: readonly string[]): Input<Value> {
    return this.with({ excluded })
  }
}

type Optional<Value> = Input<Value | undefined>

/** Arguments or options by the names of their values. An option's flag follows from its name, unless its flags say otherwise. */
export type Inputs = Readonly<Record<string, Input<unknown>>>
/** For a command without arguments, or without options. */
export type NoInputs = Readonly<Record<'', Input<never>>>
export type ValuesOf<Of extends Inputs> = {
  readonly [Name in keyof Of]: NonNullable<Of[Name]>['value']
}

/** The flag of an option by its name: `--include-secrets`. Flags that don't follow from the name are given. */
export function flagOf(name: string, { flags = '' }: { readonly flags?: string } = {}): string {
  const [own] = /--[\w-]+/.exec(flags) ?? []
  return own ?? `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** An option without a value. */
export function toggle(help: string, flags = ''): Input<boolean> {
  return new Input<boolean>(flags, help, false)
}

/** An option with any text, at most once. */
export function single(flags: string, help: string): Optional<string> {
  return new Input(flags, help, undefined, readOnce)
}

/** The same for a text that isn't blank. */
export function filled(flags: string, help: string): Optional<string> {
  return new Input(flags, help, undefined, readFilled)
}

/** An option whose value is not just text. */
export function valued<Value>(
  flags: string,
  help: string,
  read: (text: string, previous: Value | undefined) => Value,
): Optional<Value> {
  return new Input<Value | undefined>(flags, help, undefined, read)
}

export function many(flags: string, help: string): Input<string[]> {
  return new Input<string[]>(flags, help, [], readMany)
}

export function choice<Value extends string>(
  flags: string,
  help: string,
  values: readonly Value[],
): Optional<Value> {
  return new Input<Value | undefined>(flags, help, undefined).with({ choices: values })
}

type Argument<Flags extends string, Value> = Input<
  NoInfer<Flags extends `[${string}` ? Value | undefined : Value>
>

/** An argument: `<name>`, or `[name]` if it may be missing. */
export function argument<Flags extends string, Value = string>(
  flags: Flags,
  help: string,
  read?: (text: string, previous: Value | undefined) => Value,
): Argument<Flags, Value> {
  const input: Input<unknown> = new Input<Value | undefined>(flags, help, undefined, read)
  return input as Argument<Flags, Value>
}

const DELIVERY_IDS = 'IDs (8 or more characters), latest, latest~N or latest:EVENT'

export function deliveryId(): Input<string> {
  return argument('<id>', `delivery ${DELIVERY_IDS.replace('IDs', 'ID')}`, readDeliveryRef)
}

/** The argument for several deliveries; `what` they are for. */
export function deliveryIds(
  flags: '<id...>' | '[id...]',
  what = 'delivery',
  otherwise = '',
): Input<string[]> {
  return new Input<string[]>(flags, `${what} ${DELIVERY_IDS}${otherwise}`, [], (one, previous) =>
    readMany(readDeliveryRef(one), previous),
  )
}

/** Throws `INVALID_QUERY` if a query can't be parsed. */
export function checkQuery(query: string | undefined): void {
  parseQuery(query ?? '')
}

/** The argument for a query, which may begin with a minus. */
export function queryArgument(flags: '[query]' | '<query>', help: string): Input<string> {
  return new Input<string>(flags, help, '', (query) => query.trimStart()).with({
    isQuery: true,
    check: checkQuery,
  })
}

/** Whether an argument names one delivery; anything else is a query. */
export function isDeliveryRef(word: string): boolean {
  return readLatest(word) !== null || isShortId(word)
}

export function refuseTwoQueries(one: string | undefined, other: string | undefined): void {
  if (one !== undefined && other !== undefined && one.trim() !== other.trim())
    throw new UsageError('Two different queries given. Use one.')
}

/**
 * The deliveries or the query of a command that takes either: a single argument that names no delivery is a query. Throws
 * `INVALID_QUERY`.
 */
export function idsOrQuery({
  ids,
  query,
}: {
  readonly ids: string[]
  readonly query: string | undefined
}): { readonly ids: string[]; readonly query: string | undefined } {
  const only = ids.length === 1 ? ids[0] : undefined
  const word = only === undefined || isDeliveryRef(only) ? undefined : only.trim()
  refuseTwoQueries(word, query)
  checkQuery(word ?? query)
  return { ids: word === undefined ? ids : [], query: word ?? query }
}

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

const UNIT_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1_000,
  KiB: 1_024,
  MB: 1_000_000,
  MiB: 1_048_576,
  GB: 1_000_000_000,
  GiB: 1_073_741_824,
}

/** A size with its unit, or in bytes, as bytes. */
function bytesIn(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text) ?? []
  return Math.round(Number(amount) * (unit === '' ? 1 : (UNIT_BYTES[unit] ?? Number.NaN)))
}

function numberWords({ minValue, maxValue, isInt }: z.ZodNumber): string {
  const least = minValue ?? 0
  if (!isInt) return `a number above ${least}, at most ${maxValue}`
  return maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER
    ? `an integer of ${Math.max(0, least)} or more`
    : `an integer from ${least} to ${maxValue}`
}

/** A reader for the values of a field, as typed: numbers in digits, bytes with a unit, `on` or `off`, one of its choices, or text. */
export function readerOf<Value>(
  field: z.ZodType<Value>,
  { expected, unit }: Pick<OptionWords, 'expected' | 'unit'> = {},
): (text: string) => Value {
  const type = valueType(field) as z.ZodType<Value>
  const isDecimal = type instanceof z.ZodNumber && !type.isInt
  const valueOf = (text: string): unknown => {
    if (type instanceof z.ZodBoolean) return { on: true, off: false }[text]
    if (!(type instanceof z.ZodNumber)) return text
    if (unit?.[0] === 'byte') return bytesIn(text)
    return (isDecimal ? /^\d+(\.\d+)?$/ : /^\d+$/).test(text) ? Number(text) : null
  }
  const possible = () =>
    type instanceof z.ZodNumber
      ? numberWords(type)
      : type instanceof z.ZodEnum
        ? type.options.join(', ')
        : 'on or off'
  return (text) => {
    const read = type.safeParse(valueOf(text))
    if (read.success) return read.data
    throw new InvalidArgumentError(`Expected ${expected ?? possible()}.`)
  }
}

/** The option of a field, whose type says all that its words don't. */
function optionOf(field: z.ZodType, words: OptionWords): Input<unknown> {
  const { option, help, kind } = words
  const type = valueType(field)
  if (type instanceof z.ZodBoolean) return toggle(help, option)
  if (type instanceof z.ZodArray) return many(option, help)
  if (type instanceof z.ZodEnum) return choice(option, help, type.options as string[])
  const specialOption = kind === undefined ? undefined : special[kind]
  if (specialOption !== undefined) return specialOption(option, help)
  if (type instanceof z.ZodNumber) {
    const number = valued(option, help, readerOf(field, words))
    const otherwise: unknown = field instanceof z.ZodDefault ? field.def.defaultValue : null
    return otherwise === null ? number : number.default(otherwise)
  }
  return (type as z.ZodType).safeParse('').success ? single(option, help) : filled(option, help)
}

type OptionOf<Field extends z.core.SomeType> =
  NonNullable<z.output<Field>> extends boolean
    ? boolean
    : NonNullable<z.output<Field>> extends readonly string[]
      ? string[]
      : Exclude<z.input<Field>, null>

type OptionsOf<Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape as Shape[Name] extends IsOption ? Name : never]: Input<
    OptionOf<Shape[Name]>
  >
}

/** The options of an input: its fields that have words for them, in their order. A field without a default must be given. */
export function optionsOf<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const options = Object.entries(shape).flatMap(([name, field]) => {
    const words = optionWordsOf(field)
    if (words === undefined) return []
    const its = optionOf(field as z.ZodType, words)
    const isNeeded = !(field as z.ZodType).safeParse(undefined).success
    return [[name, isNeeded ? its.required() : its]]
  })
  return Object.fromEntries(options) as OptionsOf<Shape>
}

export const readCount = readerOf(z.int().min(1))
/** Also for the seed of random values. */
export const readCountFromZero = readerOf(z.int().min(0))
/** 0 means any free port. */
export const readPort = readerOf(z.int().max(65_535), {
  expected: 'a port from 0 (any free port) to 65535',
})
export const readSpeed = readerOf(z.number().positive().max(100_000))

/** A century. Calendars have limits, and so does the sandbox clock. */
const LONGEST_MS = 36_500 * 86_400_000

/** A duration with its unit, as milliseconds. */
export function readDuration(text: string): number {
  const ms = Number.parseFloat(text) * unitMs(text)
  if (/^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text) && ms > 0 && ms <= LONGEST_MS) return ms
  throw new InvalidArgumentError('Expected a duration like 90s, 15m, 72h or 3d, at most 36500d.')
}

const readNumberOfSeconds = readerOf(z.number().max((2 ** 31 - 1) / 1_000), {
  expected: 'seconds, like 30 or 0.5, at most 2147483',
})

/** Seconds, with decimals, as whole milliseconds. */
export function readSeconds(text: string): number {
  return Math.round(readNumberOfSeconds(text) * 1_000)
}

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

/**
 * Whether a name has letters in front of a part of the event, such as `card.unlinked`: another
 * word, no typing mistake.
 */
function isOpposite(text: string, event: string): boolean {
  const parts = event.split('.')
  return text.split('.').some((part, place) => {
    const meant = parts[place]
    return meant !== undefined && part !== meant && part.endsWith(meant)
  })
}

/** Rejects what can only be a mistake: a name that no event has, or one that is almost an event of the spec. */
function checkEventName(text: string): void {
  const [meant] = nearest(text, eventTypes)
  if (!isEventName(text) || (meant !== undefined && !isOpposite(text, meant))) checkEventType(text)
}

function checkEventType(text: string): void {
  if (isEventType(text)) return
  const part = text.toLowerCase()
  const [meant] = [
    ...nearest(text, eventTypes),
    ...eventTypes.filter((event) => event.split('.').includes(part)),
  ]
  const advice =
    meant === undefined
      ? `Use one of: ${eventTypes.join(', ')} (spec 6.1).`
      : `Did you mean ${meant}?`
  throw new InvalidArgumentError(`Unknown event "${text}". ${advice}`)
}

/** An event of a hook, which the spec may not list. */
export function readEventName(text: string, previous: string | undefined): string {
  checkEventName(text)
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

function readMany(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), text]
}

/** `path=value`: the value is JSON as typed (`amount=10.00` stays `10.00`), or text without quotes. Adds to the previous ones. */
export function readLiteral(text: string, previous: Literals | undefined): Literals {
  const equals = text.indexOf('=')
  if (equals < 1)
    throw new InvalidArgumentError(
      'Expected path=value, for example amount=12.5 or card.lastNumbers=4001.',
    )
  return { ...previous, [text.slice(0, equals)]: typedLiteral(text.slice(equals + 1)) }
}

const STANDARD_INPUT = '-'

/** Where secrets and bodies come from, besides options. */
type InputSource = Pick<CommandContext, 'env' | 'stdin'>

/** The secrets that options name: of a hook, and of an account by its kind of authentication. */
const secrets = {
  secret: { option: '--secret', variable: 'COUNTERSIGN_SECRET', name: 'hook secret' },
  key: { option: '--key', variable: 'COUNTERSIGN_KEY', name: 'secret key' },
  clientSecret: {
    option: '--client-secret',
    variable: 'COUNTERSIGN_CLIENT_SECRET',
    name: 'client secret',
  },
} as const
type SecretName = keyof typeof secrets
type SecretValues = Readonly<Partial<Record<SecretName | `${SecretName}File`, string | undefined>>>

const fromVariable = (name: SecretName) => ` (default: ${secrets[name].variable})`

/** The options for a hook's secret, which `readSecret` and `readGivenSecret` read. */
export const secretOptions = {
  secret: single(
    '<secret>',
    `hook secret; - reads it from standard input${fromVariable('secret')}`,
  ).conflicts('secretFile'),
  secretFile: filled('<file>', 'file with the secret'),
}

/** The options for an account's secrets; `withVariables` if environment variables are their defaults. */
export function accountSecretOptions(withVariables: boolean) {
  const otherwise = (name: SecretName) => (withVariables ? fromVariable(name) : '')
  return {
    key: single(
      '<key>',
      `secret key (sk…); - reads it from standard input${otherwise('key')}`,
    ).conflicts('keyFile'),
    keyFile: filled('<file>', 'file with the secret key'),
    clientSecret: single(
      '<secret>',
      `bearer: client secret; - reads it from standard input${otherwise('clientSecret')}`,
    ).conflicts('clientSecretFile'),
    clientSecretFile: filled('<file>', 'file with the client secret'),
  }
}

export const bodyOption = {
  body: filled('<file>', 'file with the exact body; - for standard input (default)'),
}
type BodyValue = Partial<ValuesOf<typeof bodyOption>>

/** Reads a file; errors name it. */
export function readNamedFile(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw aboutFile(error, file)
  }
}

function textOfFile(flags: string, help: string): Optional<string> {
  return valued(flags, help, (file, previous) =>
    readNamedFile(readFilled(file, previous)).toString('utf8'),
  )
}

async function readStandardInput(context: InputSource): Promise<Buffer> {
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

/**
 * Reads a secret from its option or file; undefined if neither is given. Ignores the variable, which may belong to another hook or
 * account. Throws `UsageError` for an empty one.
 */
export async function readGivenSecret(
  context: InputSource,
  values: SecretValues,
  secret: SecretName = 'secret',
): Promise<string | undefined> {
  const { option, name } = secrets[secret]
  const file = values[`${secret}File`]
  const [source, value] =
    file !== undefined
      ? [`${option}-file ${file}`, secretText(readNamedFile(file), `${option}-file ${file}`)]
      : values[secret] === STANDARD_INPUT
        ? ['Standard input', secretText(await readStandardInput(context), 'Standard input')]
        : [option, values[secret]]
  if (value === '') throw new UsageError(`${source} is empty. It must contain a ${name}.`)
  return value
}

/** Reads a secret from its option, file or variable. Throws `UsageError` if there is none or an empty one. */
export async function readSecret(
  context: InputSource,
  values: SecretValues,
  secret: SecretName = 'secret',
  alternatives: readonly string[] = [],
): Promise<string> {
  const { option, variable, name } = secrets[secret]
  const value = (await readGivenSecret(context, values, secret)) ?? context.env[variable]
  if (value === undefined)
    throw new UsageError(
      `Missing ${name}. Use ${[...alternatives, option, `${option}-file`].join(', ')} or ${variable}.`,
    )
  if (value === '') throw new UsageError(`${variable} is empty. Set it, or use ${option}.`)
  return value
}

/** Reads the secret for an endpoint: a saved handler has its own, unless another is given by option. */
export async function readEndpointSecret(
  context: InputSource,
  endpoint: string,
  { hookIds, ...values }: SecretValues & { readonly hookIds: readonly string[] },
): Promise<string | undefined> {
  return handlerNameIn(endpoint) === null && hookIds.length === 0
    ? readSecret(context, values, 'secret', ['--hook'])
    : readGivenSecret(context, values)
}

/** Reads a changed secret. Ignores the variables, so the secret stays unless an option is given. */
export async function readChangedSecrets(context: InputSource, values: SecretValues) {
  if (values.key === STANDARD_INPUT && values.clientSecret === STANDARD_INPUT)
    throw new UsageError("The key and the client secret can't both come from standard input.")
  return {
    key: await readGivenSecret(context, values, 'key'),
    clientSecret: await readGivenSecret(context, values, 'clientSecret'),
  }
}

/** Reads the body. Throws `UsageError` if a person would have to type it. */
export async function readBodyOption(
  context: InputSource,
  { body }: BodyValue,
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
  context: InputSource,
  options: SecretValues & BodyValue,
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

/** Reads `name=value` and adds it to the previous fields. */
function readField(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const sign = text.indexOf('=')
  const name = text.slice(0, Math.max(sign, 0)).trim()
  if (name === '') throw new InvalidArgumentError('Expected name=value, for example scope=hooks.')
  if (Object.hasOwn(previous, name)) throw new InvalidArgumentError(`Field ${name} given twice.`)
  return { ...previous, [name]: text.slice(sign + 1) }
}

/** The options of fields whose type doesn't tell how they are read. */
const special: Readonly<
  Partial<Record<FieldKind, (option: string, help: string) => Input<unknown>>>
> = {
  headers: (option, help) => valued(option, help, readHeader),
  literals: (option, help) => valued(option, help, readLiteral),
  lines: (option, help) => valued(option, help, readField),
  event: (option, help) => valued(option, help, readEventName),
  seconds: (option, help) => valued(option, help, readSeconds),
  certificate: textOfFile,
}

interface SentTo {
  /** Null for the URL of each delivery's hook. */
  readonly target: string | null
  readonly handlerId: string | null
}

/** Names the endpoint that requests go to, such as "Replaying to @local: URL"; prints nothing if the user typed its URL. */
export async function noteEndpoint(
  { output }: Pick<CommandRun, 'output'>,
  { client }: Pick<Session, 'client'>,
  verb: string,
  { target, handlerId }: SentTo,
  to: string | undefined,
): Promise<void> {
  if (to !== undefined && handlerNameIn(to) === null) return
  const { handlers } =
    target === null || handlerId === null
      ? { handlers: [] }
      : await client.call('handlers.list', {})
  const saved = handlers.find(({ id }) => id === handlerId)
  if (target === null) output.note(`${verb} the registered URL of each delivery's hook.`)
  else if (saved === undefined) output.note(`${verb} ${target}.`)
  else
    output.note(
      `${verb} ${to === undefined ? 'the current handler, ' : ''}@${saved.name}: ${target}`,
    )
}

export const viewOption = {
  view: filled(
    '<name>',
    'use a saved or built-in view, such as Invalid; a query narrows it further',
  ),
}

/** The other way to give a query that is an argument too (a different one is refused), and a view. */
export const searchOptions = {
  query: single('<query>', 'the query, instead of the argument'),
  ...viewOption,
}

/** Finds a view by name, ignoring case. */
export function findView(views: readonly View[], name: string): View | undefined {
  const wanted = name.trim().toLowerCase()
  return views.find((view) => view.name.toLowerCase() === wanted)
}

/** Finds a view. Rejects with `NOT_FOUND` and lists the saved views. */
export async function viewNamed(client: Caller, name: string): Promise<View> {
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

/**
 * Says that a query finds nothing, what that means and, if the query was probably meant otherwise,
 * what to try.
 */
export function noteNoMatch(
  { output }: Pick<CommandRun, 'output'>,
  query: string,
  result?: string,
): void {
  const sentences = ['No deliveries match.', result, hintOn(query)]
  output.note(sentences.filter((sentence) => sentence != null).join(' '))
}

/** The search of a command that lists its matches or acts on them. Says what it leaves out. */
export async function listedSearchOf(
  client: Client,
  input: Parameters<typeof searchOf>[1],
  output: Pick<Output, 'note'>,
): Promise<string> {
  const search = await searchOf(client, input)
  await noteHidden(client, search, output)
  return search
}

/** The query, the view's query, or both combined. Rejects with `NOT_FOUND` for an unknown view. */
export async function searchOf(
  client: Client,
  { query = '', view: name }: { readonly query?: string | undefined } & ValuesOf<typeof viewOption>,
): Promise<string> {
  if (name === undefined) return query
  const builtIn = findView(BUILT_IN_VIEWS, name)
  const { views } = builtIn === undefined ? { views: [] } : await client.call('views.list', {})
  const view = findView(views, name) ?? builtIn ?? (await viewNamed(client, name))
  return bothOf(view.query, query)
}
