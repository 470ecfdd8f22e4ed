/** What the commands that change hooks have in common: finding the one that is meant, and telling what came of it. */
import type { Hook } from '../shared/model/hook.ts'
import type { OutputOf } from '../shared/contract/contract.ts'
import { originOf } from '../shared/service/hook-finding.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { Client } from '../shared/rpc/client.ts'
import { printableText } from '../shared/text/printable.ts'
import { withSecret } from './commands/hooks-list.ts'
import { dataFolderOf, type CommandContext, type DataOption } from './context.ts'
import { hookJson } from './hook-json.ts'
import type { Output } from './output.ts'
import { withKeptData } from './session.ts'

export interface PrintOptions extends DataOption {
  readonly includeSecrets?: true
  readonly json?: true
}

/** The hook of an id: ours, or the service's where it is that of one hook alone. Throws `NOT_FOUND`. */
async function findHook(client: Client, id: string): Promise<Hook> {
  const { hooks } = await client.call('hooks.list', {})
  const own = hooks.find((hook) => hook.id === id)
  const [remote, ...others] = hooks.filter((hook) => hook.remoteId === id)
  const found = own ?? (others.length === 0 ? remote : undefined)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    `There is no hook "${id}"${others.length === 0 ? '' : ' by that id alone'}. List them with "countersign hooks list".`,
  )
}

/** Runs a task on the hook of an id, with the running instance or a core of its own. Throws `NOT_FOUND`, and makes no data folder. */
export async function withHook(
  context: CommandContext,
  options: DataOption,
  id: string,
  task: (client: Client, hook: Hook) => Promise<void>,
): Promise<void> {
  const dataFolder = dataFolderOf(context, options)
  await withKeptData(context, dataFolder, `There is no hook "${id}"`, async ({ client }) => {
    await task(client, await findHook(client, id))
  })
}

/** The id for people, one object for programs. */
export async function printHook(context: CommandContext, client: Client, hook: Hook, options: PrintOptions): Promise<void> {
  const { secret } = options.includeSecrets === true ? await withSecret(client, hook) : { secret: undefined }
  if (options.json === true) context.output.json(hookJson(hook, secret))
  else context.output.line(printableText(hook.id))
}

/** Warnings go to standard error, each with the section of the interface that it comes from. */
export function noteWarnings(output: Output, warnings: OutputOf<'hooks.add'>['warnings']): void {
  for (const warning of warnings) output.note(printableText(`Warning: ${warning.message} (${originOf(warning)})`))
}
