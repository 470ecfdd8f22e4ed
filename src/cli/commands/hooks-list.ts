/** `countersign hooks list`: the hooks whose deliveries can be proved. */
import type { Command } from 'commander'
import type { Hook } from '../../shared/model/hook.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { hookJson } from '../hook-json.ts'
import { createColumns, type Cell } from '../output.ts'
import { withExistingData } from '../session.ts'

interface ListOptions extends DataOption {
  readonly environment?: string
  readonly includeSecrets?: true
  readonly json?: true
}

function hookCells(hook: Hook, secret: string | undefined): Cell[] {
  return [
    { text: hook.event },
    { text: hook.environment },
    { text: hook.status, colour: hook.status === 'active' ? 'green' : 'yellow' },
    { text: hook.url },
    { text: secret ?? hook.secretHint ?? 'cannot be opened here', colour: hook.secretHint === null ? 'yellow' : null },
    { text: hook.id, colour: 'grey' },
  ]
}

/** Each hook of the environment, or of all, with its secret where secrets are asked for. */
export async function listHooks(
  client: Client,
  environment: string | undefined,
  withSecrets: boolean,
): Promise<{ readonly hook: Hook; readonly secret: string | undefined }[]> {
  const { hooks } = await client.call('hooks.list', environment === undefined ? {} : { environment })
  return Promise.all(
    hooks.map(async (hook) => ({
      hook,
      secret: withSecrets ? (await client.call('hooks.reveal', { id: hook.id })).secret : undefined,
    })),
  )
}

export function addHooksList(hooks: Command, context: CommandContext): void {
  hooks
    .command('list')
    .summary('list the hooks')
    .description('Lists the hooks: event, environment, state, URL, end of the secret, id.')
    .option('--environment <name>', 'only those of this environment')
    .option('--include-secrets', 'show secrets and header values')
    .option('--json', 'print one JSON object a line')
    .action(async (_own: unknown, command: Command) => {
      const options: ListOptions = command.optsWithGlobals()
      const dataFolder = dataFolderOf(context, options)
      const { output } = context
      const listed = await withExistingData(context, dataFolder, ({ client }) =>
        listHooks(client, options.environment, options.includeSecrets === true),
      )
      if (listed === null) output.note(`No hook is known yet: ${dataFolder} holds no database.`)
      else if (options.json === true) for (const { hook, secret } of listed) output.json(hookJson(hook, secret))
      else for (const line of createColumns(output)(listed.map(({ hook, secret }) => hookCells(hook, secret)))) output.line(line)
    })
}
