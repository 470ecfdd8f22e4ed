/** `countersign hooks list`: lists hooks. */
import type { Command, CommandContext, DataOption } from '../context.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { given, readOnce } from '../arguments.ts'
import { pick, type Cell } from '../output.ts'
import { withExistingData } from '../session.ts'
import { MASK } from '../../shared/text/masked.ts'

/**
 * One object of `hooks list --json`; scripts depend on its names. Header values may be credentials, so they are masked like
 * secrets. `secret` only if requested, null if unknown.
 */
export function hookJson(hook: Hook, secret: string | null | undefined): Record<string, unknown> {
  const { headers } = hook
  return {
    ...pick(hook, 'id', 'remoteId', 'kind', 'event', 'url', 'programId', 'offerId'),
    headers:
      secret === undefined
        ? Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))
        : headers,
    ...pick(hook, 'environment', 'mode', 'path', 'status', 'createdAt'),
    ...given({ secret }),
  }
}

interface ListOptions extends DataOption {
  readonly environment?: string
  readonly includeSecrets?: true
}

/** A hook and its secret: undefined if not requested, null if unknown. */
interface ListedHook {
  readonly hook: Hook
  readonly secret: string | null | undefined
}

function hookCells({ hook, secret }: ListedHook): Cell[] {
  const shown = secret ?? hook.secretHint
  return [
    { text: hook.event },
    { text: hook.environment },
    { text: hook.status, colour: hook.status === 'active' ? 'green' : 'yellow' },
    { text: hook.url },
    { text: shown ?? 'unknown', colour: shown === null ? 'yellow' : null },
    { text: hook.id, colour: 'grey' },
  ]
}

export async function withSecret(client: Client, hook: Hook): Promise<ListedHook> {
  // Without a hint, the secret is missing or can't be decrypted, so asking for it would only fail.
  return {
    hook,
    secret:
      hook.secretHint === null ? null : (await client.call('hooks.reveal', { id: hook.id })).secret,
  }
}

/** The hooks of one environment or all, with their secrets if requested. */
export async function hooksWithSecrets(
  client: Client,
  environment: string | undefined,
  withSecrets: boolean,
): Promise<ListedHook[]> {
  const { hooks } = await client.call('hooks.list', { environment })
  return withSecrets
    ? Promise.all(hooks.map((hook) => withSecret(client, hook)))
    : hooks.map((hook) => ({ hook, secret: undefined }))
}

export function addHooksList(hooks: Command, context: CommandContext): void {
  hooks
    .command('list')
    .summary('list hooks')
    .description('List hooks: event, environment, status, URL, end of the secret, ID.')
    .example('List all hooks', 'hooks list')
    .example(
      'List the hooks of one environment as JSON Lines',
      'hooks list --environment sandbox-test --json',
    )
    .option('--environment <name>', 'only hooks of this environment', readOnce)
    .option('--include-secrets', 'show secrets and custom header values')
    .printsJson('lines')
    .run(async (options: ListOptions) => {
      const { output } = context
      const listed = await withExistingData(context, options, 'No hooks yet', ({ client }) =>
        hooksWithSecrets(client, options.environment, options.includeSecrets === true),
      )
      if (listed !== null)
        output.list(listed, options.json, hookCells, ({ hook, secret }) => hookJson(hook, secret))
    })
}
