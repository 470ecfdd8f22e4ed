/** `countersign environments use`: makes an environment the current one. */
import type { Command } from 'commander'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { printEnvironments } from '../environment-options.ts'
import { withCore } from '../session.ts'

interface UseOptions extends DataOption {
  readonly json?: true
}

export function addEnvironmentsUse(environments: Command, context: CommandContext): void {
  environments
    .command('use')
    .summary('make an environment the current one')
    .description('Makes an environment the current one: the one that is meant where none is named.')
    .argument('<name>', 'name of the environment')
    .option('--json', 'print one JSON object')
    .action(async (name: string, _own: unknown, command: Command) => {
      const options: UseOptions = command.optsWithGlobals()
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        printEnvironments(context, [await client.call('environments.use', { name })], options.json === true)
      })
    })
}
