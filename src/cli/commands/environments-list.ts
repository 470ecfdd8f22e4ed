/** `countersign environments list`: the accounts of the service that are known here, the sandbox's two among them. */
import type { Command } from 'commander'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { printEnvironments } from '../environment-options.ts'
import { noDataYet, withExistingData } from '../session.ts'

interface ListOptions extends DataOption {
  readonly includeSecrets?: true
  readonly json?: true
}

const MADE_AT_START = '; the two of the sandbox are made when it is first started'

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
      const dataFolder = dataFolderOf(context, options)
      const listed = await withExistingData(context, dataFolder, ({ client }) =>
        client.call('environments.list', { includeSecrets: options.includeSecrets === true }),
      )
      if (listed === null) context.output.note(noDataYet('No environment is known yet', dataFolder, MADE_AT_START))
      else printEnvironments(context, listed.environments, options.json === true)
    })
}
