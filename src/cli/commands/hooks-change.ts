/** `countersign hooks add` and `hooks update`: register and change hooks. */
import type { Command, CommandContext, DataOption } from '../context.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { readEventName, readOnce } from '../arguments.ts'
import { readHeader, type Headers } from '../inputs.ts'
import { withCore, withKeptData } from '../session.ts'
import { originOf, withOrigin } from '../../shared/service/hook-finding.ts'
import { knownPrograms, type Hook } from '../../shared/model/hook.ts'
import { checkUpdateFields } from '../../shared/service/hook-rules.ts'
import { ANSWER_HELP, readAnswer, type AnswerOption } from '../answering.ts'
import { UsageError } from '../failure.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import { withSecret, hookJson } from './hooks-list.ts'
import type { Output } from '../output.ts'

export interface PrintOptions extends DataOption {
  readonly includeSecrets?: true
}

/** Finds a hook by our ID, or by the service's ID if only one hook has it. Throws `NOT_FOUND`. */
export async function findHook(client: Client, id: string): Promise<Hook> {
  const { hooks } = await client.call('hooks.list', {})
  const own = hooks.find((hook) => hook.id === id)
  const [remote, ...others] = hooks.filter((hook) => hook.remoteId === id)
  const found = own ?? (others.length === 0 ? remote : undefined)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    others.length === 0
      ? `Hook "${id}" not found. List hooks with "countersign hooks list".`
      : `Several hooks have the service ID "${id}". Use the ID from "countersign hooks list".`,
  )
}

/** Runs a task on a hook, in the running Countersign or this process. Throws `NOT_FOUND`; creates no data folder. */
export async function withHook(
  context: CommandContext,
  options: DataOption,
  id: string,
  task: (client: Client, hook: Hook) => Promise<void>,
): Promise<void> {
  await withKeptData(context, options, `Hook "${id}" not found`, async ({ client }) => {
    await task(client, await findHook(client, id))
  })
}

/** Prints the ID for people, or a JSON object. */
export async function printHook(
  context: CommandContext,
  client: Client,
  hook: Hook,
  options: PrintOptions,
): Promise<void> {
  const { secret } =
    options.includeSecrets === true ? await withSecret(client, hook) : { secret: undefined }
  if (options.json === true) context.output.json(hookJson(hook, secret))
  else context.output.line(printableText(hook.id))
}

/** Prints warnings to stderr, each with its spec section. */
export function noteWarnings(output: Output, warnings: OutputOf<'hooks.add'>['warnings']): void {
  for (const warning of warnings) output.note(printableText(`Warning: ${withOrigin(warning)}`))
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
  return (
    Array.isArray(details) &&
    details.some((finding: { rule?: unknown }) => finding.rule === 'program-required')
  )
}

/** The environment's only known program. Rejects if there are none, or several, which it lists. */
async function onlyProgram(
  client: Client,
  refusal: AppError,
  given: string | undefined,
): Promise<string> {
  const { environments } = await client.call('environments.list', {})
  const environment = given ?? environments.find(({ current }) => current)?.name ?? ''
  const objects = isSandboxEnvironment(environment)
    ? await client.call('sandbox.objects', { environment, kind: 'program' }).then(
        (listed) => listed.objects,
        // The sandbox isn't running; the programs of the hooks still count.
        () => [],
      )
    : []
  const { hooks } = await client.call('hooks.list', { environment })
  const programs = knownPrograms(
    environment,
    hooks,
    objects.map(({ id }) => id),
  )
  const [first, second] = programs
  if (first === undefined)
    throw new AppError(refusal.code, `${refusal.message} Use --program ID.`, {
      details: refusal.details,
      cause: refusal,
    })
  if (second === undefined) return first
  const titles = new Map(objects.map(({ id, title }) => [id, ` (${title})`]))
  const matches = programs.map((id) => `--program ${id}${titles.get(id) ?? ''}`).join(', ')
  throw new AppError(
    'INVALID_HOOK',
    `Found ${programs.length} programs in ${environment}. Choose one: ${matches}.`,
    {
      cause: refusal,
    },
  )
}

export function addHooksAdd(hooks: Command, context: CommandContext): void {
  hooks
    .command('add')
    .summary('register a hook with the service')
    .description(
      "Register a hook with the service and save its secret. Without --url, it gets its own path on the receiver's public URL, or on its local URL if none is set. For the sandbox's environments, Countersign must be running.",
    )
    .example('Subscribe to purchases', 'hooks add --event transaction.auth --program "$PROGRAM"')
    .example(
      'Send a custom header with each delivery',
      "hooks add --event brand.consent --header 'X-Team: payments'",
    )
    .requiredOption('--event <event>', 'event to subscribe to', readEventName)
    .option(
      '--url <url>',
      'URL that receives deliveries (default: a new path of the receiver)',
      readOnce,
    )
    .option('--program <id>', 'program of the hook (default: the only known program)', readOnce)
    .option('--offer <id>', 'only this offer (qualified events only)', readOnce)
    .option(
      "--header <'Name: value'>",
      'custom header of each delivery (repeatable, up to 5)',
      readHeader,
    )
    .option(
      '--environment <name>',
      'where to register (default: the current environment)',
      readOnce,
    )
    .option('--live', 'allow changes to a live environment')
    .option('--include-secrets', 'with --json: print the secret and header values')
    .printsJson()
    .run(async (options: AddOptions) => {
      const {
        event,
        url,
        program: programId,
        offer: offerId,
        header: headers,
        environment,
        live,
      } = options
      await withCore(context, options, async ({ client }) => {
        const input = { event, url, programId, offerId, headers, environment, live }
        const { hook, warnings } = await client
          .call('hooks.add', input)
          .catch(async (error: unknown) => {
            if (!isProgramMissing(error)) throw error
            return client.call('hooks.add', {
              ...input,
              programId: await onlyProgram(client, error, environment),
            })
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
  /** False with `--no-headers`. */
  readonly headers: boolean
  readonly answer?: AnswerOption
  readonly environment?: string
  readonly live?: true
}

/** The change for the service; null if there is none. */
function changeOf(options: UpdateOptions) {
  const { event, url, program: programId } = options
  const headers = options.headers ? options.header : {}
  return [event, url, programId, headers].every((value) => value === undefined)
    ? null
    : { event, url, programId, headers }
}

function refuseOffer(hook: Hook, offerId: string | undefined): void {
  if (offerId === undefined) return
  const [finding] = checkUpdateFields({ offerId }, null)
  if (finding !== undefined)
    throw new UsageError(
      `${finding.message} (rule ${finding.rule}, ${originOf(finding)}; hook ${hook.id})`,
    )
}

async function update(
  client: Client,
  hook: Hook,
  options: UpdateOptions,
  context: CommandContext,
): Promise<Hook> {
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
    .summary('change a hook or its response')
    .description(
      'Change a hook at the service. Options you omit are sent as last known. If --answer is the only option, the service is not called: it only sets how the receiver responds.',
    )
    .example('Change the URL', 'hooks update "$HOOK" --url https://127.0.0.1:4783/h/new')
    .example(
      'Respond 503 to the first two attempts, after 2 seconds',
      'hooks update "$HOOK" --answer fail-first=2,fail-status=503,delay=2s',
    )
    .argument('<hook>', 'hook ID')
    .option('--event <event>', 'new event of the same kind', readEventName)
    .option('--url <url>', 'new URL', readOnce)
    .option('--program <id>', 'new program', readOnce)
    .option('--offer <id>', "not supported: the service can't change the offer of a hook", readOnce)
    .option(
      "--header <'Name: value'>",
      'custom header; replaces all existing ones (repeatable)',
      readHeader,
    )
    .option('--no-headers', 'remove all custom headers')
    .option('--answer <rule>', ANSWER_HELP, readAnswer)
    .option('--environment <name>', 'environment the hook must belong to', readOnce)
    .option('--live', 'allow changes to a live hook')
    .option('--include-secrets', 'with --json: print the secret and header values')
    .printsJson()
    .run(async (id: string, options: UpdateOptions) => {
      if (options.header !== undefined && !options.headers)
        throw new UsageError('Use either --header or --no-headers.')
      if (changeOf(options) === null && options.answer === undefined && options.offer === undefined)
        throw new UsageError(
          'Nothing to change. Use --event, --url, --program, --header, --no-headers or --answer.',
        )
      await withHook(context, options, id, async (client, hook) => {
        refuseOffer(hook, options.offer)
        if (options.environment !== undefined && options.environment !== hook.environment)
          throw new UsageError(
            `The hook belongs to ${hook.environment}, not ${options.environment}. A hook can't move between environments.`,
          )
        await printHook(context, client, await update(client, hook, options, context), options)
      })
    })
}
