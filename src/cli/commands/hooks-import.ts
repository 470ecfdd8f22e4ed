/** `countersign hooks import`: records a hook that was registered elsewhere, so that its deliveries can be proved. */
import type { Command } from 'commander'
import { readEventType, readOnce } from '../arguments.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { hookJson } from '../hook-json.ts'
import { addSecretOptions, readSecret, type SecretOptions } from '../inputs.ts'
import { withCore } from '../session.ts'

interface ImportOptions extends DataOption, SecretOptions {
  readonly event: string
  readonly url: string
  readonly program?: string
  readonly offer?: string
  readonly environment?: string
  readonly remoteId?: string
  readonly live?: true
  readonly json?: true
}

export function addHooksImport(hooks: Command, context: CommandContext): void {
  const command = hooks
    .command('import')
    .summary('record a hook that was made elsewhere')
    .description(
      'Records a hook that was made elsewhere, with its secret. In sandbox-test or sandbox-live the sandbox sends to it too.',
    )
    .requiredOption('--event <event>', 'event type it is registered for', readEventType)
    .requiredOption('--url <url>', 'registered URL, verbatim', readOnce)
  addSecretOptions(command)
    .option('--program <id>', 'program it belongs to', readOnce)
    .option('--offer <id>', 'offer its deliveries are limited to', readOnce)
    .option('--environment <name>', 'environment it belongs to (default: the current one)', readOnce)
    .option('--remote-id <id>', "the service's own id of it, so that it can be changed and deleted from here", readOnce)
    .option('--live', 'agree to recording it for a live environment')
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, self: Command) => {
      const options: ImportOptions = self.optsWithGlobals()
      const { event, url, program, offer, environment, remoteId, live = false } = options
      const secret = await readSecret(context, options)
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const hook = await client.call('hooks.import', {
          event,
          url,
          secret,
          live,
          ...(program === undefined ? {} : { programId: program }),
          ...(offer === undefined ? {} : { offerId: offer }),
          ...(environment === undefined ? {} : { environment }),
          ...(remoteId === undefined ? {} : { remoteId }),
        })
        if (options.json === true) context.output.json(hookJson(hook, undefined))
        else context.output.line(hook.id)
      })
    })
}
