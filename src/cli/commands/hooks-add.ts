/** `countersign hooks add`: registers a hook at the service of an environment. */
import type { Command } from '../command.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { readEventType, readOnce } from '../arguments.ts'
import { noteWarnings, printHook, type PrintOptions } from '../changed-hook.ts'
import { dataFolderOf, type CommandContext } from '../context.ts'
import { readHeader, type Headers } from '../headers.ts'
import { withCore } from '../session.ts'

interface AddOptions extends PrintOptions {
  readonly event: string
  readonly url?: string
  readonly program?: string
  readonly offer?: string
  readonly header?: Headers
  readonly environment?: string
  readonly live?: true
}

function isProgramMissing(error: unknown): error is AppError {
  const { details } = error instanceof AppError ? error : { details: null }
  return Array.isArray(details) && details.some((finding: { rule?: unknown }) => finding.rule === 'program-required')
}

/** The same refusal, with the programs that there are: the sandbox alone can tell them, the interface shows no call for it. */
async function withPrograms(client: Client, refusal: AppError, environment: string | undefined): Promise<AppError> {
  const { environments } = await client.call('environments.list', {})
  const name = environment ?? environments.find(({ current }) => current)?.name
  const programs = isSandboxEnvironment(name ?? '')
    ? await client.call('sandbox.objects', { environment: name, kind: 'program' }).then(
        ({ objects }) => objects.map(({ id, title }) => `--program ${id} (${title})`),
        // It does not run: nothing is known of them, and the refusal stands as it is.
        () => [],
      )
    : []
  const hint = programs.length === 0 ? 'Name it with --program ID.' : `In ${name} there is ${programs.join(', ')}.`
  return new AppError(refusal.code, `${refusal.message} ${hint}`, { details: refusal.details, cause: refusal })
}

export function addHooksAdd(hooks: Command, context: CommandContext): void {
  hooks
    .command('add')
    .summary('register a hook at the service')
    .description(
      "Registers a hook at the service of an environment, and keeps its secret. Without --url it registers an address of the receiver's own, the public one where one is set.",
    )
    .requiredOption('--event <event>', 'event type to register for', readEventType)
    .option('--url <url>', 'address that deliveries go to (default: one of the receiver)', readOnce)
    .option('--program <id>', 'program it belongs to; every event but brand.consent needs one', readOnce)
    .option('--offer <id>', 'limits the three qualified events to one offer', readOnce)
    .option('--header <header>', "header of each delivery, 'Name: value' (again for more, up to 5)", readHeader)
    .option('--environment <name>', 'where to register it (default: the current environment)', readOnce)
    .option('--live', 'agree to changing a live environment')
    .option('--include-secrets', 'print the secret and header values too, with --json')
    .option('--json', 'print one JSON object')
    .run(async (options: AddOptions) => {
      const { event, url, program: programId, offer: offerId, header: headers, environment, live } = options
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const input = { event, url, programId, offerId, headers, environment, live }
        const { hook, warnings } = await client.call('hooks.add', input).catch(async (error: unknown) => {
          throw isProgramMissing(error) ? await withPrograms(client, error, environment) : error
        })
        noteWarnings(context.output, warnings)
        await printHook(context, client, hook, options)
      })
    })
}
