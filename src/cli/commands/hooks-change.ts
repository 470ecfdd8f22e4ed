/** `countersign hooks add` and `countersign hooks update`: register a hook with its service, and change it. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { readEventType, readOnce } from '../arguments.ts'
import { readHeader, type Headers } from '../inputs.ts'
import { withCore, withKeptData } from '../session.ts'
import { originOf } from '../../shared/service/hook-finding.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { checkUpdateFields } from '../../shared/service/hook-rules.ts'
import { ANSWER_HELP, readAnswer, type AnswerOption } from '../answering.ts'
import { UsageError } from '../failure.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import { withSecret, hookJson } from './hooks-list.ts'
import type { Output } from '../output.ts'

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

/** `countersign hooks update`: changes a hook at the service, and what the receiver answers to its deliveries. */
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
