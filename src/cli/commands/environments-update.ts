/** `countersign environments update`: changes what is named of an environment; its name and mode stay. */
import type { Command } from 'commander'
import type { InputOf } from '../../shared/contract/contract.ts'
import { readOnce } from '../arguments.ts'
import { dataFolderOf, type CommandContext } from '../context.ts'
import { accountFields, addAccountOptions, printEnvironments, type AccountOptions } from '../environment-options.ts'
import { UsageError } from '../failure.ts'
import { addAccountSecretOptions, readChangedSecrets } from '../inputs.ts'
import { withCore } from '../session.ts'

export function addEnvironmentsUpdate(environments: Command, context: CommandContext): void {
  const command = environments
    .command('update')
    .summary('change an environment')
    .description('Changes what is named of an environment. Its name and mode stay.')
    .argument('<name>', 'name of the environment')
    .option('--base-url <url>', 'base URL of the service, with or without the API version', readOnce)
  addAccountOptions(addAccountSecretOptions(command, false))
    .option('--no-ca', 'trust the authorities of the system alone')
    .option('--no-proxy', 'go through no proxy')
    .option('--no-token-fields', 'use the usual names in token responses and send no extra fields')
    .option('--json', 'print one JSON object')
    .action(async (name: string, _own: unknown, self: Command) => {
      // Beside `--no-ca` and `--no-proxy` their opposites are true unless they are given.
      const given: Omit<AccountOptions, 'ca' | 'proxy'> & {
        ca: string | boolean
        proxy: string | boolean
        tokenFields: boolean
      } = self.optsWithGlobals()
      const { ca, proxy, tokenFields, ...rest } = given
      const options: AccountOptions = { ...rest, ...(ca === true ? {} : { ca }), ...(proxy === true ? {} : { proxy }) }
      const named = Object.entries(await accountFields(options)).filter(([, value]) => value !== undefined)
      const change: Omit<InputOf<'environments.update'>, 'name'> = {
        ...(tokenFields ? {} : { tokenField: null, refreshTokenField: null, expiryField: null, tokenRequestFields: {} }),
        ...Object.fromEntries(named),
        ...(await readChangedSecrets(context, options)),
      }
      if (Object.values(change).every((value) => value === undefined))
        throw new UsageError('Nothing is to change: name what is, for example --key-file FILE. See --help.')
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const changed = await client.call('environments.update', { name, ...change })
        printEnvironments(context, [changed], options.json === true)
      })
    })
}
