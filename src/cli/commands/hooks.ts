/** `countersign hooks`: manages the hooks of an environment. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  withExistingData,
  withCore,
  UsageError,
  withKeptData,
} from '../context.ts'
import { counted } from '../../shared/text/counted.ts'
import {
  readOnce,
  readEventName,
  addSecretOptions,
  readSecret,
  type SecretOptions,
  given,
  readHeader,
  type Headers,
} from '../arguments.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import { type Cell, outcomeCell, pick, type Output } from '../output.ts'
import { calls, syncs } from '../../shared/model/outcomes.ts'
import { type Hook, knownPrograms, type SyncedHook, syncSummary } from '../../shared/model/hook.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { MASK } from '../../shared/text/masked.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import { originOf, withOrigin } from '../../shared/service/hook-finding.ts'
import { checkUpdateFields } from '../../shared/service/hook-rules.ts'
import { ANSWER_HELP, readAnswer, type AnswerOption } from '../answering.ts'

export function add(command: Command, context: CommandContext): void {
  command.description('Manage hooks and their secrets.')

  command
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

  command
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

  command
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

  command
    .command('remove')
    .summary('delete a hook at the service')
    .description(
      "Delete a hook at the service. This can't be undone. The record and its secret stay here, so old deliveries still verify. With --purge, they are removed too, if no delivery, handler or unfinished replay needs the hook.",
    )
    .example('Delete a hook', 'hooks remove "$HOOK"')
    .argument('<hook>', 'hook ID')
    .option('--purge', 'remove its record and secret from this computer too')
    .option('--live', 'allow changes to a live hook')
    .printsJson()
    .run(async (id: string, options: RemoveOptions) => {
      await withHook(context, options, id, async (client, hook) => {
        const { purge, live } = options
        const removed = await client.call('hooks.remove', { id: hook.id, purge, live })
        if (hook.remoteId === null)
          context.output.note(
            "Warning: the service's ID of this hook is unknown, so only the local record is closed. Delete the hook at the service too.",
          )
        if (removed.status === 'gone')
          context.output.note(
            `The hook was already deleted at the service.${options.purge === true ? '' : ' It is now marked as gone.'}`,
          )
        await printHook(context, client, removed, options)
      })
    })

  const rotateCommand = command
    .command('rotate')
    .summary("replace a hook's secret")
    .description("Replace a hook's secret. Deliveries signed with a previous secret still verify.")
    .example('Set a new secret', 'hooks rotate "$HOOK" --secret-file new-secret.txt')
    .argument('<hook>', 'hook ID')
  addSecretOptions(rotateCommand)
    .option('--live', 'allow changes to a live hook')
    .printsJson()
    .run(async (id: string, options: RotateOptions) => {
      const secret = await readSecret(context, options)
      await withHook(context, options, id, async (client, hook) => {
        const rotated = await client.call('hooks.rotate', {
          id: hook.id,
          secret,
          live: options.live,
        })
        await printHook(context, client, rotated, options)
      })
    })

  command
    .command('repoint')
    .summary('move hooks to another base URL')
    .description(
      'Move every active hook under one base URL to the same path under another. A hook that the service rejects keeps its URL.',
    )
    .exitsWith(3, 'the service rejects a change')
    .example(
      'Move hooks to a new tunnel',
      'hooks repoint https://old.tunnel.example https://new.tunnel.example',
    )
    .argument('<from>', 'current base URL, for example https://old.tunnel.example')
    .argument('<to>', 'new base URL')
    .option('--live', 'allow changes to live environments')
    .printsJson('lines')
    .run(async (from: string, to: string, options: RepointOptions) => {
      const { output } = context
      const result = await withExistingData(context, options, null, ({ client }) =>
        client.call('hooks.repoint', { from, to, live: options.live }),
      )
      const moved = result?.moved ?? []
      if (moved.length === 0) output.note(printableText(`No active hooks under ${from}.`))
      output.list(moved, options.json, movedCells, ({ hook, problem, warnings }) => ({
        ...hookJson(hook, undefined),
        problem,
        warnings,
      }))
      // A problem of the URL affects all its hooks, so it is printed once.
      const told = new Map(
        moved.flatMap(({ warnings }) => warnings).map((warning) => [warning.message, warning]),
      )
      noteWarnings(output, [...told.values()])
      for (const { hook, problem } of moved)
        if (problem !== null) output.note(printableText(`${hook.id}: ${problem}`))
      if (moved.some(({ problem }) => problem !== null)) context.exit(EXIT.failed)
    })

  command
    .command('sync')
    .summary('compare hooks with the service')
    .description(
      "Compare an environment's hooks with those that the service lists: import new ones with their secrets, and mark those as gone that it no longer has. Nothing changes at the service. The spec doesn't show how to list hooks, so a service may not support it.",
    )
    .example('Show what would change', 'hooks sync sandbox-test --dry-run')
    .argument('[environment]', 'name of the environment (default: the current one)')
    .option('--dry-run', 'show the plan, change nothing')
    .option('--live', "allow sending a live environment's key")
    .printsJson()
    .run(async (environment: string | undefined, { dryRun, live, ...options }: SyncOptions) => {
      const { output } = context
      const result = await withCore(context, options, ({ client }) =>
        client.call('hooks.sync', { environment, dryRun, live }),
      )
      if (options.json === true) {
        output.json(result)
        return
      }
      output.table(result.hooks.map(syncedCells))
      for (const note of result.notes) output.note(printableText(note))
      output.note(syncSummary(result))
    })

  const importCommand = command
    .command('import')
    .summary('import a hook registered elsewhere')
    .description(
      'Import a hook that was registered elsewhere, with its secret. In sandbox-test or sandbox-live, the sandbox sends deliveries to it.',
    )
    .example(
      'Import a hook with its secret',
      'hooks import --event transaction.auth --url https://127.0.0.1:4783/h/demo --secret-file secret.txt',
    )
    .requiredOption('--event <event>', 'event of the hook', readEventName)
    .requiredOption('--url <url>', 'registered URL, exactly as registered', readOnce)
  addSecretOptions(importCommand)
    .option('--program <id>', 'program of the hook', readOnce)
    .option('--offer <id>', 'offer of the hook', readOnce)
    .option('--environment <name>', 'environment of the hook (default: the current one)', readOnce)
    .option(
      '--remote-id <id>',
      "the service's ID of the hook, needed to change or delete it from here",
      readOnce,
    )
    .option('--live', 'allow changes to a live environment')
    .printsJson()
    .run(async (options: ImportOptions) => {
      const { event, url, program, offer, environment, remoteId, live = false } = options
      const secret = await readSecret(context, options)
      await withCore(context, options, async ({ client }) => {
        const hook = await client.call('hooks.import', {
          event,
          url,
          secret,
          live,
          programId: program,
          offerId: offer,
          environment,
          remoteId,
        })
        noteWarnings(context.output, hook.warnings)
        if (!isEventType(event))
          context.output.note(
            `The spec doesn't list ${event}. Its deliveries verify, but their schema is unknown.`,
          )
        if (options.json === true) context.output.json(hookJson(hook, undefined))
        else context.output.line(hook.id)
      })
    })

  command
    .command('env')
    .summary('print secrets for your handler')
    .description(
      "Print NAME=secret lines for your handler's .env file, as --env-file reads it. Secrets are not masked.",
    )
    .example('Write the secrets of all active hooks to a file', 'hooks env > .env')
    .option('--environment <name>', 'only hooks of this environment', readOnce)
    .run(async (options: EnvOptions) => {
      const listed = await withExistingData(context, options, 'No hooks yet', ({ client }) =>
        hooksWithSecrets(client, options.environment, true),
      )
      const active = (listed ?? []).filter(({ hook }) => hook.status === 'active')
      const named = active.flatMap(({ hook, secret }) =>
        typeof secret === 'string' ? [{ hook, secret }] : [],
      )
      // A file gets the exact secrets, whatever characters they contain.
      const { lines, unwritable } = environmentLines(named)
      for (const line of lines) await context.output.bytes(Buffer.from(`${line}\n`))
      for (const line of lines.filter(isForFilesOnly))
        context.output.note(
          `A shell would change ${line.split('=')[0]}. Load the file with --env-file.`,
        )
      for (const name of unwritable)
        context.output.note(
          `Left out ${name}: its secret has all three quotation marks. Copy it from "countersign hooks list --include-secrets".`,
        )
      if (listed !== null && active.length === 0)
        context.output.note(
          `No active hooks${options.environment === undefined ? '' : ` in ${options.environment}`}.`,
        )
      const missing = active.length - named.length
      if (missing > 0)
        context.output.note(
          `Skipped ${missing} of ${counted(active.length, 'hook')}: ${missing === 1 ? 'its secret is' : 'their secrets are'} unknown.`,
        )
    })
}

interface EnvOptions extends DataOption {
  readonly environment?: string
}

interface RemoveOptions extends PrintOptions {
  readonly purge?: true
  readonly live?: true
}

interface RotateOptions extends PrintOptions, SecretOptions {
  readonly live?: true
}

interface RepointOptions extends PrintOptions {
  readonly live?: true
}

type Moved = OutputOf<'hooks.repoint'>['moved'][number]

function movedCells({ hook, problem }: Moved): Cell[] {
  return [
    outcomeCell(calls[problem === null ? 'done' : 'failed']),
    { text: hook.event },
    { text: hook.environment },
    { text: hook.url },
    { text: hook.id, colour: 'grey' },
  ]
}

interface SyncOptions extends PrintOptions {
  readonly dryRun?: true
  readonly live?: true
}

function syncedCells({ state, event, url, note }: SyncedHook): Cell[] {
  return [outcomeCell(syncs[state]), { text: event }, { text: url }, { text: note ?? '' }]
}

interface ImportOptions extends DataOption, SecretOptions {
  readonly event: string
  readonly url: string
  readonly program?: string
  readonly offer?: string
  readonly environment?: string
  readonly remoteId?: string
  readonly live?: true
}

// Writes hook secrets as `NAME=secret` lines for the configuration of a handler.

type NamedHook = Pick<Hook, 'event' | 'environment'>

export interface NamedSecret {
  readonly hook: NamedHook
  readonly secret: string
}

function baseName(hook: NamedHook): string {
  return `WEBHOOK_SECRET_${hook.event.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
}

/** Names secrets after their events; adds the environment, then a number, if hooks share an event. */
function namesOf(hooks: readonly NamedHook[]): string[] {
  const countOf = (names: readonly string[], name: string) =>
    names.filter((other) => other === name).length
  const byEvent = hooks.map(baseName)
  const byEnvironment = hooks.map((hook, index) => {
    const name = byEvent[index] ?? ''
    return countOf(byEvent, name) === 1
      ? name
      : `${name}_${hook.environment.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
  })
  return byEnvironment.map((name, index) =>
    countOf(byEnvironment, name) === 1
      ? name
      : `${name}_${countOf(byEnvironment.slice(0, index), name) + 1}`,
  )
}

/** Quotation marks that `.env` readers remove without changing the text between them; double ones expand `\n`. */
const quotes = ["'", '"', '`'] as const

/** Bare if possible, which every reader takes. Null if no quotes can enclose it. */
function quote(secret: string): string | null {
  if (/^[\w./+=:@%-]+$/.test(secret)) return secret
  const mark = quotes.find(
    (candidate) => !secret.includes(candidate) && !(candidate === '"' && secret.includes('\\')),
  )
  return mark === undefined ? null : `${mark}${secret}${mark}`
}

/** Whether a line is read differently by shells, which expand what isn't in single quotes. */
export function isForFilesOnly(line: string): boolean {
  return /^\w+=(?:`|".*[$`])/s.test(line)
}

/** One line per secret, and the names of secrets that no `.env` file can hold. */
export function environmentLines(secrets: readonly NamedSecret[]): {
  readonly lines: string[]
  readonly unwritable: string[]
} {
  const names = namesOf(secrets.map(({ hook }) => hook))
  const written = secrets.map(({ secret }, index) => ({
    name: names[index] ?? '',
    quoted: quote(secret),
  }))
  return {
    lines: written.flatMap(({ name, quoted }) => (quoted === null ? [] : [`${name}=${quoted}`])),
    unwritable: written.flatMap(({ name, quoted }) => (quoted === null ? [name] : [])),
  }
}

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
  named: string | undefined,
): Promise<string> {
  const { environments } = await client.call('environments.list', {})
  const environment = named ?? environments.find(({ current }) => current)?.name ?? ''
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
