/** `countersign hooks rotate`: gives a hook its new secret; what the previous ones signed still verifies. */
import type { Command } from 'commander'
import { printHook, withHook, type PrintOptions } from '../changed-hook.ts'
import type { CommandContext } from '../context.ts'
import { addSecretOptions, readSecret, type SecretOptions } from '../inputs.ts'

interface RotateOptions extends PrintOptions, SecretOptions {
  readonly live?: true
}

export function addHooksRotate(hooks: Command, context: CommandContext): void {
  const command = hooks
    .command('rotate')
    .summary('give a hook its new secret')
    .description('Makes a secret the present one of a hook. Deliveries signed with a previous one still verify.')
    .argument('<hook>', 'id of the hook')
  addSecretOptions(command)
    .option('--live', 'allow changes to a live hook')
    .option('--json', 'print one JSON object')
    .action(async (id: string, _own: unknown, self: Command) => {
      const options: RotateOptions = self.optsWithGlobals()
      const secret = await readSecret(context, options)
      await withHook(context, options, id, async (client, hook) => {
        const rotated = await client.call('hooks.rotate', { id: hook.id, secret, live: options.live })
        await printHook(context, client, rotated, options)
      })
    })
}
