/** The options of `environments add` and `update`, and the table of environments. */
import { InvalidArgumentError, Option } from 'commander'
import type { Command, CommandContext, DataOption } from './context.ts'
import type { Environment } from '../shared/model/environment.ts'
import { readFilled, readOnce, readSeconds } from './arguments.ts'
import { readNamedFile, type AccountSecretOptions } from './inputs.ts'
import type { Cell } from './output.ts'

export interface AccountOptions extends DataOption, AccountSecretOptions {
  readonly baseUrl?: string
  readonly apiVersion?: string
  readonly prefix?: string
  readonly ack?: '200' | '2xx'
  readonly auth?: 'service-key' | 'bearer'
  readonly clientId?: string
  readonly tokenUrl?: string
  readonly authHeader?: string
  readonly tokenForm?: 'json' | 'form'
  readonly tokenField?: string
  readonly refreshTokenField?: string
  readonly expiryField?: string
  readonly tokenRequestField?: Readonly<Record<string, string>>
  /** A file; false with `--no-ca`. */
  readonly ca?: string | false
  readonly proxy?: string | false
  readonly timeout?: number
}

/** Options that only bearer authentication has. */
export const bearerOptions = [
  'clientId',
  'tokenUrl',
  'authHeader',
  'tokenForm',
  'tokenField',
  'refreshTokenField',
  'expiryField',
  'tokenRequestField',
] as const satisfies readonly (keyof AccountOptions)[]

/** Reads `name=value` and adds it to the previous fields. */
function readRequestField(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const sign = text.indexOf('=')
  const name = text.slice(0, Math.max(sign, 0)).trim()
  if (name === '') throw new InvalidArgumentError('Expected name=value, for example scope=hooks.')
  if (Object.hasOwn(previous, name)) throw new InvalidArgumentError(`Field ${name} given twice.`)
  return { ...previous, [name]: text.slice(sign + 1) }
}

export function addAccountOptions(command: Command): Command {
  return command
    .option('--api-version <version>', 'first part of API paths (default: v1)', readFilled)
    .addOption(new Option('--auth <kind>', 'authentication').choices(['service-key', 'bearer']))
    .option('--client-id <id>', 'bearer: client ID of the token request', readOnce)
    .option(
      '--token-url <url>',
      'bearer: token endpoint, as a URL or a path of the base URL',
      readOnce,
    )
    .addOption(
      new Option(
        '--token-form <form>',
        'bearer: encoding of the token request (default: json)',
      ).choices(['json', 'form']),
    )
    .option('--token-field <name>', 'bearer: response field with the access token', readFilled)
    .option(
      '--refresh-token-field <name>',
      'bearer: field with the refresh token, in responses and requests',
      readFilled,
    )
    .option(
      '--expiry-field <name>',
      'bearer: response field with the lifetime or expiry time',
      readFilled,
    )
    .option(
      '--token-request-field <name=value>',
      'bearer: extra field of the token request (repeatable)',
      readRequestField,
    )
    .option(
      '--auth-header <name>',
      'bearer: header that carries the token (default: Authentication)',
      readOnce,
    )
    .option(
      '--prefix <name>',
      'service name in header names, x-NAME-signature (default: service)',
      readOnce,
    )
    .option('--ca <file>', "CA certificate to trust besides the system's (PEM)", readFilled)
    .option('--proxy <url>', 'HTTP proxy', readOnce)
    .option('--timeout <seconds>', 'max time for a response (default: 30)', readSeconds)
    .addOption(
      new Option('--ack <rule>', 'status that acknowledges a delivery (default: 200)').choices([
        '200',
        '2xx',
      ]),
    )
}

/** The fields both commands pass to the core; the CA file is read here. */
export async function accountFields(options: AccountOptions) {
  const { baseUrl, apiVersion, prefix, ack, auth, ca, proxy, timeout } = options
  const { clientId, tokenUrl, authHeader, tokenForm, tokenField, refreshTokenField, expiryField } =
    options
  const caPem =
    ca === false ? null : ca === undefined ? undefined : (await readNamedFile(ca)).toString('utf8')
  return {
    baseUrl,
    apiVersion,
    prefix,
    ack,
    auth,
    clientId,
    tokenUrl,
    authHeader,
    tokenForm,
    tokenField,
    refreshTokenField,
    expiryField,
    tokenRequestFields: options.tokenRequestField,
    caPem,
    proxy: proxy === false ? null : proxy,
    timeoutMs: timeout === undefined ? undefined : Math.round(timeout),
  }
}

export function environmentCells(environment: Environment): Cell[] {
  return [
    { text: environment.current ? '*' : ' ' },
    { text: environment.name },
    { text: environment.mode, colour: environment.mode === 'live' ? 'red' : null },
    { text: environment.baseUrl || '-' },
    { text: environment.prefix },
    { text: environment.auth },
    { text: environment.ack },
    { text: environment.key ?? 'no key' },
  ]
}

export function printEnvironments(
  context: CommandContext,
  environments: readonly Environment[],
  asJson: true | undefined,
): void {
  context.output.list(environments, asJson, environmentCells)
}
