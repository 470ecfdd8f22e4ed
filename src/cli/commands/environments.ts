/** `countersign environments`: manages service accounts. */
import { Option } from 'commander'
import { type Command, type CommandContext, dataFolderOf, type DataOption } from '../context.ts'
import {
  printEnvironments,
  accountFields,
  addAccountOptions,
  bearerOptions,
  type AccountOptions,
} from '../environment-options.ts'
import { noDataYet, withExistingData, withCore, withKeptData } from '../session.ts'
import { readOnce } from '../arguments.ts'
import { UsageError, EXIT } from '../failure.ts'
import { addAccountSecretOptions, readAccountSecret, readChangedSecrets } from '../inputs.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import type { EnvironmentCheck } from '../../shared/model/environment.ts'
import { levels } from '../../shared/model/outcomes.ts'
import { outcomeCell } from '../outcome-cell.ts'
import type { Output } from '../output.ts'

export function addEnvironments(command: Command, context: CommandContext): void {
  command.description('Manage environments: service accounts in test or live mode.')
  addEnvironmentsList(command, context)
  addEnvironmentsAdd(command, context)
  addEnvironmentsUpdate(command, context)
  addEnvironmentsUse(command, context)
  addEnvironmentsCheck(command, context)
  addEnvironmentsRemove(command, context)
}

interface ListOptions extends DataOption {
  readonly includeSecrets?: true
}

function addEnvironmentsList(environments: Command, context: CommandContext): void {
  environments
    .command('list')
    .summary('list service accounts')
    .description(
      'List service accounts: name, mode, base URL, header prefix, authentication, acknowledgement, key. A star marks the current one.',
    )
    .example('List environments', 'environments list')
    .option('--include-secrets', 'show keys')
    .printsJson('lines')
    .run(async (options: ListOptions) => {
      const dataFolder = dataFolderOf(context, options)
      const listed = await withExistingData(context, dataFolder, ({ client }) =>
        client.call('environments.list', { includeSecrets: options.includeSecrets === true }),
      )
      if (listed === null) context.output.note(noDataYet('No environments yet', dataFolder))
      else printEnvironments(context, listed.environments, options.json)
    })
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

function addEnvironmentsAdd(environments: Command, context: CommandContext): void {
  const command = environments
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
  addAccountOptions(addAccountSecretOptions(command, true))
    .printsJson()
    .run(async (name: string, options: AddOptions) => {
      const { mode, baseUrl, auth = 'service-key' } = options
      refuseMixture(auth, options)
      const fields = await accountFields(options)
      const secret = await readAccountSecret(context, auth, options)
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
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
}

function addEnvironmentsUpdate(environments: Command, context: CommandContext): void {
  const command = environments
    .command('update')
    .summary('change a service account')
    .description(
      'Change a service account. Options you omit stay unchanged, and so do its name and mode.',
    )
    .example('Replace the key', 'environments update staging --key-file new-key.txt')
    .argument('<name>', 'name of the environment')
    .option(
      '--base-url <url>',
      'base URL of the service, with or without the API version',
      readOnce,
    )
  addAccountOptions(addAccountSecretOptions(command, false))
    .option('--no-ca', "trust only the system's CA certificates")
    .option('--no-proxy', 'use no proxy')
    .option('--no-token-fields', 'use the default token fields and send no extra ones')
    .printsJson()
    .action(async (name: string, _own: unknown, self: Command) => {
      // `--no-ca` and `--no-proxy` make commander set their opposites to true by default.
      const given: Omit<AccountOptions, 'ca' | 'proxy'> & {
        ca: string | boolean
        proxy: string | boolean
        tokenFields: boolean
      } = self.optsWithGlobals()
      const { ca, proxy, tokenFields, ...rest } = given
      const options: AccountOptions = {
        ...rest,
        ...(ca === true ? {} : { ca }),
        ...(proxy === true ? {} : { proxy }),
      }
      const named = Object.entries(await accountFields(options)).filter(
        ([, value]) => value !== undefined,
      )
      const change: Omit<InputOf<'environments.update'>, 'name'> = {
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
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const changed = await client.call('environments.update', { name, ...change })
        printEnvironments(context, [changed], options.json)
      })
    })
}

function addEnvironmentsUse(environments: Command, context: CommandContext): void {
  environments
    .command('use')
    .summary('set the current environment')
    .description('Set the current environment, the default for other commands.')
    .example('Set the current environment', 'environments use staging')
    .argument('<name>', 'name of the environment')
    .printsJson()
    .run(async (name: string, options: DataOption) => {
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        printEnvironments(context, [await client.call('environments.use', { name })], options.json)
      })
    })
}

function printCheck(
  output: Output,
  { name, outcome, learned, status, body }: EnvironmentCheck,
): void {
  const { text, colour } = outcomeCell(levels[outcome], outcome)
  output.line(`${output.colour(text, colour ?? null)}  ${printableText(name)}`)
  for (const sentence of learned) output.line(`  ${printableText(sentence)}`)
  if (status === null) return
  output.line(`  Response: ${status}`)
  for (const line of body === null || body === '' ? [] : body.trimEnd().split('\n'))
    output.line(`    ${printableText(line)}`)
}

function addEnvironmentsCheck(environments: Command, context: CommandContext): void {
  environments
    .command('check')
    .summary('test the connection to a service account')
    .description(
      'Test the connection to a service account with one harmless call: deleting a hook that does not exist.',
    )
    .exitsWith(1, "the service can't be reached or rejects the credentials")
    .example('Test the sandbox account', 'environments check sandbox-test')
    .argument('[name]', 'name of the environment (default: the current one)')
    .printsJson()
    .run(async (name: string | undefined, options: DataOption) => {
      const missing = name === undefined ? 'No environments yet' : `Environment "${name}" not found`
      await withKeptData(context, dataFolderOf(context, options), missing, async ({ client }) => {
        const check = await client.call('environments.check', { name })
        if (options.json === true) context.output.json(check)
        else printCheck(context.output, check)
        if (check.outcome === 'failed') context.exit(EXIT.no)
      })
    })
}

function addEnvironmentsRemove(environments: Command, context: CommandContext): void {
  environments
    .command('remove')
    .summary('remove a service account')
    .description(
      "Remove a service account and its key. An environment with hooks can't be removed: its deliveries still need its prefix and mode.",
    )
    .example('Remove an account', 'environments remove staging')
    .argument('<name>', 'name of the environment')
    .printsJson()
    .run(async (name: string, options: DataOption) => {
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        await client.call('environments.remove', { name })
        if (options.json === true) context.output.json({ name })
        else context.output.line(printableText(name))
      })
    })
}
