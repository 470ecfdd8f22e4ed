/** `countersign environments`: manages service accounts. */
import { InvalidArgumentError, Option } from 'commander'
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  EXIT,
  withExistingData,
  withCore,
  withKeptData,
} from '../context.ts'
import {
  readFilled,
  readOnce,
  readSeconds,
  addAccountSecretOptions,
  readAccountSecret,
  readChangedSecrets,
  readNamedFile,
  type AccountSecretOptions,
} from '../arguments.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import type { Environment, EnvironmentCheck } from '../../shared/model/environment.ts'
import { levels } from '../../shared/model/outcomes.ts'
import { type Cell, type Output, outcomeCell } from '../output.ts'

export function add(command: Command, context: CommandContext): void {
  command.description('Manage environments: service accounts in test or live mode.')

  command
    .command('list')
    .summary('list service accounts')
    .description(
      'List service accounts: name, mode, base URL, header prefix, authentication, acknowledgement, key. A star marks the current one.',
    )
    .example('List environments', 'environments list')
    .option('--include-secrets', 'show keys')
    .printsJson('lines')
    .run(async (options: ListOptions) => {
      const listed = await withExistingData(context, options, 'No environments yet', ({ client }) =>
        client.call('environments.list', { includeSecrets: options.includeSecrets === true }),
      )
      if (listed !== null) printEnvironments(context, listed.environments, options.json)
    })

  const addCommand = command
    .command('add')
    .summary('add a service account')
    .description('Add a service account: base URL, mode and credentials.')
    .example(
      'Add an account with a service key',
      'environments add staging --mode test --base-url https://api.example.com --key-file key.txt',
    )
    .example(
      'Add an account with bearer authentication',
      'environments add next --mode live --base-url https://api.example.com --auth bearer --client-id my-app --client-secret-file client-secret.txt --token-url /oauth/token',
    )
    .argument('<name>', 'name of the environment')
    .addOption(
      new Option('--mode <mode>', 'mode of the account (not detectable from its key)')
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .requiredOption(
      '--base-url <url>',
      'base URL of the service, with or without the API version',
      readOnce,
    )
  addAccountOptions(addAccountSecretOptions(addCommand, true))
    .printsJson()
    .run(async (name: string, options: AddOptions) => {
      const { mode, baseUrl, auth = 'service-key' } = options
      refuseMixture(auth, options)
      const fields = await accountFields(options)
      const secret = await readAccountSecret(context, auth, options)
      await withCore(context, options, async ({ client }) => {
        const added = await client.call('environments.add', {
          ...fields,
          ...secret,
          name,
          mode,
          baseUrl,
          auth,
        })
        printEnvironments(context, [added], options.json)
      })
    })

  const updateCommand = command
    .command('update')
    .summary('change a service account')
    .description(
      'Change a service account. Options you omit stay unchanged, and so do its name and mode. A sandbox environment has only --prefix and --ca.',
    )
    .example('Replace the key', 'environments update staging --key-file new-key.txt')
    .argument('<name>', 'name of the environment')
    .option(
      '--base-url <url>',
      'base URL of the service, with or without the API version',
      readOnce,
    )
  addAccountOptions(addAccountSecretOptions(updateCommand, false))
    .option('--no-ca', "trust only the system's CA certificates")
    .option('--no-proxy', 'use no proxy')
    .option('--no-token-fields', 'use the default token fields and send no extra ones')
    .option('--live', 'allow changes to a live environment')
    .printsJson()
    .action(async (name: string, _own: unknown, self: Command) => {
      // `--no-ca` and `--no-proxy` make commander set their opposites to true by default.
      const given: Omit<AccountOptions, 'ca' | 'proxy'> & {
        ca: string | boolean
        proxy: string | boolean
        tokenFields: boolean
        live?: true
      } = self.optsWithGlobals()
      const { ca, proxy, tokenFields, live, ...rest } = given
      const options: AccountOptions = {
        ...rest,
        ...(ca === true ? {} : { ca }),
        ...(proxy === true ? {} : { proxy }),
      }
      const named = Object.entries(await accountFields(options)).filter(
        ([, value]) => value !== undefined,
      )
      const change: Omit<InputOf<'environments.update'>, 'name' | 'live'> = {
        ...(tokenFields
          ? {}
          : {
              tokenField: null,
              refreshTokenField: null,
              expiryField: null,
              tokenRequestFields: {},
            }),
        ...Object.fromEntries(named),
        ...(await readChangedSecrets(context, options)),
      }
      if (Object.values(change).every((value) => value === undefined))
        throw new UsageError('Nothing to change. Add an option, such as --key-file FILE.')
      await withCore(context, options, async ({ client }) => {
        const changed = await client.call('environments.update', { name, ...change, live })
        printEnvironments(context, [changed], options.json)
      })
    })

  command
    .command('use')
    .summary('set the current environment')
    .description('Set the current environment, the default for other commands.')
    .example('Set the current environment', 'environments use staging')
    .argument('<name>', 'name of the environment')
    .option('--live', 'allow using a live environment by default')
    .printsJson()
    .run(async (name: string, options: DataOption & { readonly live?: true }) => {
      await withCore(context, options, async ({ client }) => {
        const used = await client.call('environments.use', {
          name,
          live: options.live === true,
        })
        printEnvironments(context, [used], options.json)
      })
    })

  command
    .command('check')
    .summary('test the connection to a service account')
    .description(
      'Test the connection to a service account with one harmless call, which is shown: deleting a hook that does not exist.',
    )
    .exitsWith(1, "the service can't be reached or rejects the credentials")
    .example('Test the sandbox account', 'environments check sandbox-test')
    .argument('[name]', 'name of the environment (default: the current one)')
    .option('--live', "allow sending a live environment's key")
    .printsJson()
    .run(async (name: string | undefined, options: LiveOption) => {
      const missing = name === undefined ? 'No environments yet' : `Environment "${name}" not found`
      await withKeptData(context, options, missing, async ({ client }) => {
        const check = await client.call('environments.check', { name, live: options.live })
        if (options.json === true) context.output.json(check)
        else printCheck(context.output, check)
        if (check.outcome === 'failed') context.exit(EXIT.no)
      })
    })

  command
    .command('remove')
    .summary('remove a service account')
    .description(
      'Remove a service account and its key. An environment with hooks can\'t be removed: their deliveries need its prefix and mode. Remove the hooks for good first, with "countersign hooks remove HOOK --purge".',
    )
    .example('Remove an account', 'environments remove staging')
    .argument('<name>', 'name of the environment')
    .option('--live', 'allow removing a live environment')
    .printsJson()
    .run(async (name: string, options: LiveOption) => {
      await withCore(context, options, async ({ client }) => {
        await client.call('environments.remove', { name, live: options.live })
        if (options.json === true) context.output.json({ name })
        else context.output.line(printableText(name))
      })
    })
}

interface ListOptions extends DataOption {
  readonly includeSecrets?: true
}

interface LiveOption extends DataOption {
  readonly live?: true
}

interface AddOptions extends AccountOptions {
  readonly mode: 'test' | 'live'
  readonly baseUrl: string
}

/** An option of the other authentication can only be a mistake. */
function refuseMixture(auth: 'service-key' | 'bearer', options: AddOptions): void {
  const ofBearer = [...bearerOptions, 'clientSecret', 'clientSecretFile'] as const
  const others = auth === 'bearer' ? (['key', 'keyFile'] as const) : ofBearer
  const misplaced = others.find((name) => options[name] !== undefined)
  if (misplaced === undefined) return
  const option = `--${misplaced.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new UsageError(
    auth === 'bearer'
      ? `${option} is for service-key authentication. With --auth bearer, use --client-id, --client-secret and --token-url.`
      : `${option} is for bearer authentication. Add --auth bearer.`,
  )
}

function printCheck(
  output: Output,
  { name, outcome, sent, learned, status, body }: EnvironmentCheck,
): void {
  const { text, colour } = outcomeCell(levels[outcome], outcome)
  output.line(`${output.colour(text, colour ?? null)}  ${printableText(name)}`)
  if (sent !== null) output.line(`  Sent: ${printableText(sent)}`)
  for (const sentence of learned) output.line(`  ${printableText(sentence)}`)
  if (status === null) return
  output.line(`  Response: ${status}`)
  for (const line of body === null || body === '' ? [] : body.trimEnd().split('\n'))
    output.line(`    ${printableText(line)}`)
}

// The options of `environments add` and `update`, and the table of environments.

interface AccountOptions extends DataOption, AccountSecretOptions {
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
const bearerOptions = [
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

function addAccountOptions(command: Command): Command {
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
async function accountFields(options: AccountOptions) {
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

function environmentCells(environment: Environment): Cell[] {
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

function printEnvironments(
  context: CommandContext,
  environments: readonly Environment[],
  asJson: true | undefined,
): void {
  context.output.list(environments, asJson, environmentCells)
}
