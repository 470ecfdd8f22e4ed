/** `countersign hooks env`: the secrets of active hooks as `NAME=secret` lines. Asking for them is what this command is for. */
import type { Command } from 'commander'
import { counted } from '../../shared/counted.ts'
import { readOnce } from '../arguments.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { environmentLines } from '../hook-environment.ts'
import { noDataYet, withExistingData } from '../session.ts'
import { listHooks } from './hooks-list.ts'

interface EnvOptions extends DataOption {
  readonly environment?: string
}

export function addHooksEnv(hooks: Command, context: CommandContext): void {
  hooks
    .command('env')
    .summary('print secrets for your handler')
    .description("Prints NAME=secret lines for your handler's configuration. Secrets are shown in clear.")
    .option('--environment <name>', 'only the hooks of this environment', readOnce)
    .action(async (_own: unknown, command: Command) => {
      const options: EnvOptions = command.optsWithGlobals()
      const dataFolder = dataFolderOf(context, options)
      const listed = await withExistingData(context, dataFolder, ({ client }) => listHooks(client, options.environment, true))
      if (listed === null) context.output.note(noDataYet('No hook is known yet', dataFolder))
      const active = (listed ?? []).filter(({ hook }) => hook.status === 'active')
      const named = active.flatMap(({ hook, secret }) => (typeof secret === 'string' ? [{ hook, secret }] : []))
      // To a file the secrets go as they are, whatever characters they have.
      for (const line of environmentLines(named)) await context.output.bytes(Buffer.from(`${line}\n`))
      if (listed !== null && active.length === 0)
        context.output.note(`There is no active hook${options.environment === undefined ? '' : ` in ${options.environment}`}.`)
      const missing = active.length - named.length
      if (missing > 0)
        context.output.note(
          `${missing} of ${counted(active.length, 'hook')} ${missing === 1 ? 'is left out: its secret is' : 'are left out: their secrets are'} not known here.`,
        )
    })
}
