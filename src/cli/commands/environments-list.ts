/** `countersign environments list`: the accounts of the service that are known here, the sandbox's two among them. */
import type { Command } from 'commander'
import type { Environment } from '../../shared/model/environment.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { createColumns, type Cell } from '../output.ts'
import { withCore } from '../session.ts'

interface ListOptions extends DataOption {
  readonly includeSecrets?: true
  readonly json?: true
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

function environmentJson({ name, mode, baseUrl, prefix, auth, ack, current, key }: Environment): Environment {
  return { name, mode, baseUrl, prefix, auth, ack, current, key }
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
      const { output } = context
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const listed = await client.call('environments.list', { includeSecrets: options.includeSecrets === true })
        if (options.json === true) for (const environment of listed.environments) output.json(environmentJson(environment))
        else for (const line of createColumns(output)(listed.environments.map(environmentCells))) output.line(line)
      })
    })
}
