/** `countersign hooks`: manages the hooks of an environment. */
import type { Command, CommandContext, DataOption } from '../context.ts'
import {
  addHooksAdd,
  addHooksUpdate,
  printHook,
  withHook,
  type PrintOptions,
  noteWarnings,
} from './hooks-change.ts'
import { addHooksList, hooksWithSecrets, hookJson } from './hooks-list.ts'
import { counted } from '../../shared/text/counted.ts'
import { readOnce, readEventName } from '../arguments.ts'
import { withExistingData, withCore } from '../session.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import { addSecretOptions, readSecret, type SecretOptions } from '../inputs.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import { EXIT } from '../failure.ts'
import type { Cell } from '../output.ts'
import { calls } from '../../shared/model/outcomes.ts'
import { outcomeCell } from '../outcome-cell.ts'
import type { Hook } from '../../shared/model/hook.ts'

export function add(command: Command, context: CommandContext): void {
  command.description('Manage hooks and their secrets.')
  addHooksList(command, context)
  addHooksAdd(command, context)
  addHooksUpdate(command, context)
  addHooksRemove(command, context)
  addHooksRotate(command, context)
  addHooksRepoint(command, context)
  addHooksImport(command, context)
  addHooksEnv(command, context)
}

interface EnvOptions extends DataOption {
  readonly environment?: string
}

function addHooksEnv(hooks: Command, context: CommandContext): void {
  hooks
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

interface RemoveOptions extends PrintOptions {
  readonly live?: true
}

function addHooksRemove(hooks: Command, context: CommandContext): void {
  hooks
    .command('remove')
    .summary('delete a hook at the service')
    .description(
      "Delete a hook at the service. This can't be undone. The record and its secret stay here, so old deliveries still verify.",
    )
    .example('Delete a hook', 'hooks remove "$HOOK"')
    .argument('<hook>', 'hook ID')
    .option('--live', 'allow changes to a live hook')
    .printsJson()
    .run(async (id: string, options: RemoveOptions) => {
      await withHook(context, options, id, async (client, hook) => {
        const removed = await client.call('hooks.remove', { id: hook.id, live: options.live })
        if (hook.remoteId === null)
          context.output.note(
            "Warning: the service's ID of this hook is unknown, so only the local record is closed. Delete the hook at the service too.",
          )
        if (removed.status === 'gone')
          context.output.note(
            'The hook was already deleted at the service. It is now marked as gone.',
          )
        await printHook(context, client, removed, options)
      })
    })
}

interface RotateOptions extends PrintOptions, SecretOptions {
  readonly live?: true
}

function addHooksRotate(hooks: Command, context: CommandContext): void {
  const command = hooks
    .command('rotate')
    .summary("replace a hook's secret")
    .description("Replace a hook's secret. Deliveries signed with a previous secret still verify.")
    .example('Set a new secret', 'hooks rotate "$HOOK" --secret-file new-secret.txt')
    .argument('<hook>', 'hook ID')
  addSecretOptions(command)
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

function addHooksRepoint(hooks: Command, context: CommandContext): void {
  hooks
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

function addHooksImport(hooks: Command, context: CommandContext): void {
  const command = hooks
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
  addSecretOptions(command)
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
        if (!isEventType(event))
          context.output.note(
            `The spec doesn't list ${event}. Its deliveries verify, but their schema is unknown.`,
          )
        if (options.json === true) context.output.json(hookJson(hook, undefined))
        else context.output.line(hook.id)
      })
    })
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
