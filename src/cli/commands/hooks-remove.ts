/** `countersign hooks remove`: deletes a hook at the service; the record and its secret stay, so that old deliveries still verify. */
import type { Command } from 'commander'
import { printHook, withHook, type PrintOptions } from '../changed-hook.ts'
import type { CommandContext } from '../context.ts'

interface RemoveOptions extends PrintOptions {
  readonly live?: true
}

export function addHooksRemove(hooks: Command, context: CommandContext): void {
  hooks
    .command('remove')
    .summary('delete a hook at the service')
    .description(
      'Deletes a hook at the service. That is not undone; the record and its secret stay here, so that old deliveries still verify.',
    )
    .argument('<hook>', 'id of the hook')
    .option('--live', 'agree to changing a live environment')
    .option('--json', 'print one JSON object')
    .action(async (id: string, _own: unknown, command: Command) => {
      const options: RemoveOptions = command.optsWithGlobals()
      await withHook(context, options, id, async (client, hook) => {
        const removed = await client.call('hooks.remove', { id: hook.id, live: options.live })
        if (hook.remoteId === null)
          context.output.note(
            "Warning: the service's id of it is not known, so only the record here is closed. Delete it there too.",
          )
        if (removed.status === 'gone')
          context.output.note('The service no longer knew it: it was deleted elsewhere, and is marked as gone.')
        await printHook(context, client, removed, options)
      })
    })
}
