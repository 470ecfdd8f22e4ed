/** Reads secrets and bodies from options, files and standard input. Standard input has at most one reader. */
import { readFile } from 'node:fs/promises'
import { InvalidArgumentError } from 'commander'
import { handlerNameIn } from '../shared/http.ts'
import type { Command, CommandContext } from './context.ts'
import { readFilled, readOnce } from './arguments.ts'
import { aboutFile, UsageError } from './failure.ts'

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

/** A kind of secret: its option, its variable and its name in messages. The file option adds `-file`. */
interface SecretKind {
  readonly option: string
  readonly variable: string
  readonly name: string
}

const hookSecret: SecretKind = {
  option: '--secret',
  variable: 'COUNTERSIGN_SECRET',
  name: 'a hook secret',
}
const secretKey: SecretKind = { option: '--key', variable: 'COUNTERSIGN_KEY', name: 'a secret key' }
const clientSecret: SecretKind = {
  option: '--client-secret',
  variable: 'COUNTERSIGN_CLIENT_SECRET',
  name: 'a client secret',
}

/** Reads the secret from its option or file; undefined if neither is given. */
async function readGiven(
  context: CommandContext,
  { option, name }: SecretKind,
  given: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  if (given !== undefined && file !== undefined)
    throw new UsageError(`Use either ${option} or ${option}-file.`)
  const [source, value] =
    file !== undefined
      ? [`${option}-file ${file}`, secretText(await readNamedFile(file), `${option}-file ${file}`)]
      : given === STANDARD_INPUT
        ? ['Standard input', secretText(await readStandardInput(context), 'Standard input')]
        : [option, given]
  if (value === '') throw new UsageError(`${source} is empty. It must contain ${name}.`)
  return value
}

/** Reads the secret from its option, file or variable. Throws `UsageError` if there is none, more than one or an empty one. */
async function readNeeded(
  context: CommandContext,
  kind: SecretKind,
  given: string | undefined,
  file: string | undefined,
): Promise<string> {
  const { option, variable, name } = kind
  const value = (await readGiven(context, kind, given, file)) ?? context.env[variable]
  if (value === undefined)
    throw new UsageError(`Missing ${name.slice(2)}. Use ${option}, ${option}-file or ${variable}.`)
  if (value === '') throw new UsageError(`${variable} is empty. Set it, or use ${option}.`)
  return value
}

/** Reads a hook secret. Throws `UsageError` if there is none, more than one or an empty one. */
export async function readSecret(
  context: CommandContext,
  { secret, secretFile }: SecretOptions,
): Promise<string> {
  return readNeeded(context, hookSecret, secret, secretFile)
}

/** Reads a hook secret if one is given by option; the variable is ignored. */
export async function readGivenSecret(
  context: CommandContext,
  { secret, secretFile }: SecretOptions,
): Promise<string | undefined> {
  return readGiven(context, hookSecret, secret, secretFile)
}

/** Reads the secret for an endpoint: a saved handler has its own, unless another is given by option. */
export async function readEndpointSecret(
  context: CommandContext,
  endpoint: string,
  options: SecretOptions,
): Promise<string | undefined> {
  return handlerNameIn(endpoint) === null
    ? readSecret(context, options)
    : readGivenSecret(context, options)
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
    ? {
        clientSecret: await readNeeded(
          context,
          clientSecret,
          options.clientSecret,
          options.clientSecretFile,
        ),
      }
    : { key: await readNeeded(context, secretKey, options.key, options.keyFile) }
}

/** Reads a changed secret. Ignores the variables, so the secret stays unless an option is given. */
export async function readChangedSecrets(
  context: CommandContext,
  options: AccountSecretOptions,
): Promise<{ readonly key: string | undefined; readonly clientSecret: string | undefined }> {
  if (options.key === STANDARD_INPUT && options.clientSecret === STANDARD_INPUT)
    throw new UsageError("The key and the client secret can't both come from standard input.")
  return {
    key: await readGiven(context, secretKey, options.key, options.keyFile),
    clientSecret: await readGiven(
      context,
      clientSecret,
      options.clientSecret,
      options.clientSecretFile,
    ),
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

/** Reads a secret to try. Ignores the variable, which may belong to another hook. */
export async function readTriedSecret(
  context: CommandContext,
  options: SecretOptions,
): Promise<string | undefined> {
  return readGiven(context, hookSecret, options.secret, options.secretFile)
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
