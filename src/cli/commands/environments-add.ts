/** `countersign environments add`: makes an account of the service known. */
import { Option, type Command } from 'commander'
import { readOnce } from '../arguments.ts'
import { dataFolderOf, type CommandContext } from '../context.ts'
import {
  accountFields,
  addAccountOptions,
  bearerOptions,
  printEnvironments,
  type AccountOptions,
} from '../environment-options.ts'
import { UsageError } from '../failure.ts'
import { addAccountSecretOptions, readAccountSecret } from '../inputs.ts'
import { withCore } from '../session.ts'

interface AddOptions extends AccountOptions {
  readonly mode: 'test' | 'live'
  readonly baseUrl: string
}

/** Options that belong to the other way to authenticate can only be a mistake. */
function refuseMixture(auth: 'service-key' | 'bearer', options: AddOptions): void {
  const ofBearer = [...bearerOptions, 'clientSecret', 'clientSecretFile'] as const
  const others = auth === 'bearer' ? (['key', 'keyFile'] as const) : ofBearer
  const misplaced = others.find((name) => options[name] !== undefined)
  if (misplaced === undefined) return
  const option = `--${misplaced.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new UsageError(
    auth === 'bearer'
      ? `${option} is of service-key authentication: with --auth bearer give --client-id, --client-secret and --token-url.`
      : `${option} is of bearer authentication: add --auth bearer.`,
  )
}

export function addEnvironmentsAdd(environments: Command, context: CommandContext): void {
  const command = environments
    .command('add')
    .summary('make an account of the service known')
    .description('Makes an account of the service known: its address, its mode, and how to authenticate there.')
    .argument('<name>', 'name of the environment')
    .addOption(
      new Option('--mode <mode>', 'mode of the account; its key does not show it')
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .requiredOption('--base-url <url>', 'base URL of the service, with or without the API version', readOnce)
  addAccountOptions(addAccountSecretOptions(command, true))
    .option('--json', 'print one JSON object')
    .action(async (name: string, _own: unknown, self: Command) => {
      const options: AddOptions = self.optsWithGlobals()
      const { mode, baseUrl, auth = 'service-key' } = options
      refuseMixture(auth, options)
      const fields = await accountFields(options)
      const secret = await readAccountSecret(context, auth, options)
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const added = await client.call('environments.add', { ...fields, ...secret, name, mode, baseUrl, auth })
        printEnvironments(context, [added], options.json === true)
      })
    })
}
