/** `countersign environments remove`: forgets an account of the service that no hook belongs to. */
import type { Command } from 'commander'
import { printableText } from '../../shared/text/printable.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { withCore } from '../session.ts'

interface RemoveOptions extends DataOption {
  readonly json?: true
}

export function addEnvironmentsRemove(environments: Command, context: CommandContext): void {
  environments
    .command('remove')
    .summary('forget an environment')
    .description(
      'Forgets an environment and its key. One that hooks belong to stays, since their deliveries are proved with its prefix and mode.',
    )
    .argument('<name>', 'name of the environment')
    .option('--json', 'print one JSON object')
    .action(async (name: string, _own: unknown, command: Command) => {
      const options: RemoveOptions = command.optsWithGlobals()
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        await client.call('environments.remove', { name })
        if (options.json === true) context.output.json({ name })
        else context.output.line(printableText(name))
      })
    })
}
