/** `countersign hooks update`: changes a hook at the service, and what the receiver answers to its deliveries. */
import type { Command } from '../command.ts'
import { originOf } from '../../shared/service/hook-finding.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { checkUpdateFields } from '../../shared/service/hook-rules.ts'
import { ANSWER_HELP, readAnswer, type AnswerOption } from '../answering.ts'
import { readEventType, readOnce } from '../arguments.ts'
import { noteWarnings, printHook, withHook, type PrintOptions } from '../changed-hook.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../failure.ts'
import { readHeader, type Headers } from '../headers.ts'

interface UpdateOptions extends PrintOptions {
  readonly event?: string
  readonly url?: string
  readonly program?: string
  readonly offer?: string
  readonly header?: Headers
  /** False where `--no-headers` is given. */
  readonly headers: boolean
  readonly answer?: AnswerOption
  readonly environment?: string
  readonly live?: true
}

/** What the service is to change; null where nothing of that was named. */
function changeOf(options: UpdateOptions) {
  const { event, url, program: programId } = options
  const headers = options.headers ? options.header : {}
  return [event, url, programId, headers].every((value) => value === undefined) ? null : { event, url, programId, headers }
}

function refuseOffer(hook: Hook, offerId: string | undefined): void {
  if (offerId === undefined) return
  const [finding] = checkUpdateFields({ offerId }, null)
  if (finding !== undefined)
    throw new UsageError(`${finding.message} (rule ${finding.rule}, ${originOf(finding)}; hook ${hook.id})`)
}

async function update(client: Client, hook: Hook, options: UpdateOptions, context: CommandContext): Promise<Hook> {
  const change = changeOf(options)
  let changed = hook
  if (change !== null) {
    const result = await client.call('hooks.update', { id: hook.id, ...change, live: options.live })
    noteWarnings(context.output, result.warnings)
    changed = result.hook
  }
  return options.answer === undefined
    ? changed
    : client.call('hooks.answer', { id: hook.id, rule: options.answer, live: options.live })
}

export function addHooksUpdate(hooks: Command, context: CommandContext): void {
  hooks
    .command('update')
    .summary('change a hook, and what it is answered')
    .description(
      'Changes a hook at the service: what is not named is sent as last known. With --answer it sets what the receiver answers to its deliveries; that alone changes nothing at the service.',
    )
    .argument('<hook>', 'id of the hook')
    .option('--event <event>', 'another event type of the same kind', readEventType)
    .option('--url <url>', 'another address', readOnce)
    .option('--program <id>', 'another program', readOnce)
    .option('--offer <id>', 'refused: the update form of the interface has no offer', readOnce)
    .option('--header <header>', "'Name: value' in place of all headers it has (again for more)", readHeader)
    .option('--no-headers', 'removes all custom headers')
    .option('--answer <rule>', ANSWER_HELP, readAnswer)
    .option('--environment <name>', 'the environment that it must belong to', readOnce)
    .option('--live', 'allow changes to a live hook')
    .option('--include-secrets', 'print the secret and header values too, with --json')
    .option('--json', 'print one JSON object')
    .run(async (id: string, options: UpdateOptions) => {
      if (options.header !== undefined && !options.headers)
        throw new UsageError('Both --header and --no-headers are given. Give one of them.')
      if (changeOf(options) === null && options.answer === undefined && options.offer === undefined)
        throw new UsageError('Nothing is to change: give --event, --url, --program, --header, --no-headers or --answer.')
      await withHook(context, options, id, async (client, hook) => {
        refuseOffer(hook, options.offer)
        if (options.environment !== undefined && options.environment !== hook.environment)
          throw new UsageError(`The hook belongs to ${hook.environment}, not to ${options.environment}: it cannot be moved.`)
        await printHook(context, client, await update(client, hook, options, context), options)
      })
    })
}
