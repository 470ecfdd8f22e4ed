/** `countersign environments list`: the accounts of the service that are known here, the sandbox's two among them. */
import type { Command } from 'commander'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { printEnvironments } from '../environment-options.ts'
import { withCore } from '../session.ts'

interface ListOptions extends DataOption {
  readonly includeSecrets?: true
  readonly json?: true
}

export function addEnvironmentsList(environments: Command, context: CommandContext): void {
  environments
    .command('list')
    .summary('list the environments')
    .description(
      'Lists the environments; a star marks the current one. Columns: name, mode, base URL, prefix, authentication, acknowledgement, key.',
    )
    .option('--include-secrets', 'show the keys in clear')
    .option('--json', 'print one JSON object a line')
    .action(async (_own: unknown, command: Command) => {
      const options: ListOptions = command.optsWithGlobals()
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const listed = await client.call('environments.list', { includeSecrets: options.includeSecrets === true })
        printEnvironments(context, listed.environments, options.json === true)
      })
    })
}
