/** `countersign hooks`: manages the hooks of an environment. */
import { type Command, type CommandContext, dataFolderOf, type DataOption } from '../context.ts'
import { addHooksAdd, addHooksUpdate, printHook, withHook, type PrintOptions, noteWarnings } from './hooks-change.ts'
import { addHooksList, hooksWithSecrets, hookJson } from './hooks-list.ts'
import { counted } from '../../shared/text/counted.ts'
import { readOnce, readEventType } from '../arguments.ts'
import { noDataYet, withExistingData, withCore } from '../session.ts'
import { addSecretOptions, readSecret, type SecretOptions } from '../inputs.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import { EXIT } from '../failure.ts'
import { createColumns, type Cell } from '../output.ts'
import { calls } from '../../shared/model/outcomes.ts'
import { outcomeCell } from '../outcome-cell.ts'
import type { Hook } from '../../shared/model/hook.ts'

export function addHooks(command: Command, context: CommandContext): void {
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

/** `countersign hooks env`: the secrets of active hooks as `NAME=secret` lines. Asking for them is what this command is for. */
function addHooksEnv(hooks: Command, context: CommandContext): void {
  hooks
    .command('env')
    .summary('print secrets for your handler')
    .description("Prints NAME=secret lines for your handler's configuration. Secrets are shown in clear.")
    .option('--environment <name>', 'only the hooks of this environment', readOnce)
    .run(async (options: EnvOptions) => {
      const dataFolder = dataFolderOf(context, options)
      const listed = await withExistingData(context, dataFolder, ({ client }) =>
        hooksWithSecrets(client, options.environment, true),
      )
      if (listed === null) context.output.note(noDataYet('No hook is known yet', dataFolder))
      const active = (listed ?? []).filter(({ hook }) => hook.status === 'active')
      const named = active.flatMap(({ hook, secret }) => (typeof secret === 'string' ? [{ hook, secret }] : []))
      // To a file the secrets go as they are, whatever characters they have.
      for (const line of environmentLines(named)) await context.output.bytes(Buffer.from(`${line}\n`))
      if (listed !== null && active.length === 0)
        context.output.note(`There is no active hook${options.environment === undefined ? '' : ` in ${options.environment}`}.`)
      const missing = active.length - named.length
      if (missing > 0)
        context.output.note(
          `${missing} of ${counted(active.length, 'hook')} ${missing === 1 ? 'is left out: its secret is' : 'are left out: their secrets are'} not known here.`,
        )
    })
}

interface RemoveOptions extends PrintOptions {
  readonly live?: true
}

/** `countersign hooks remove`: deletes a hook at the service; the record and its secret stay, so that old deliveries still verify. */
function addHooksRemove(hooks: Command, context: CommandContext): void {
  hooks
    .command('remove')
    .summary('delete a hook at the service')
    .description(
      'Deletes a hook at the service. That is not undone; the record and its secret stay here, so that old deliveries still verify.',
    )
    .argument('<hook>', 'id of the hook')
    .option('--live', 'agree to changing a live environment')
    .option('--json', 'print one JSON object')
    .run(async (id: string, options: RemoveOptions) => {
      await withHook(context, options, id, async (client, hook) => {
        const removed = await client.call('hooks.remove', { id: hook.id, live: options.live })
        if (hook.remoteId === null)
          context.output.note(
            "Warning: the service's id of it is not known, so only the record here is closed. Delete it there too.",
          )
        if (removed.status === 'gone')
          context.output.note('The service no longer knew it: it was deleted elsewhere, and is marked as gone.')
        await printHook(context, client, removed, options)
      })
    })
}

interface RotateOptions extends PrintOptions, SecretOptions {
  readonly live?: true
}

/** `countersign hooks rotate`: gives a hook its new secret; what the previous ones signed still verifies. */
function addHooksRotate(hooks: Command, context: CommandContext): void {
  const command = hooks
    .command('rotate')
    .summary('give a hook its new secret')
    .description('Makes a secret the present one of a hook. Deliveries signed with a previous one still verify.')
    .argument('<hook>', 'id of the hook')
  addSecretOptions(command)
    .option('--live', 'allow changes to a live hook')
    .option('--json', 'print one JSON object')
    .run(async (id: string, options: RotateOptions) => {
      const secret = await readSecret(context, options)
      await withHook(context, options, id, async (client, hook) => {
        const rotated = await client.call('hooks.rotate', { id: hook.id, secret, live: options.live })
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

/** `countersign hooks repoint`: moves the hooks under one address to another, as when a tunnel has got a new name. */
function addHooksRepoint(hooks: Command, context: CommandContext): void {
  hooks
    .command('repoint')
    .summary('move hooks from one address to another')
    .description(
      'Changes every active hook whose URL lies under an address to the same path under another one, at the service of each. One that is refused keeps its URL, and the code is 3.',
    )
    .argument('<from>', 'address that they lie under, for example https://old.tunnel.example')
    .argument('<to>', 'address that they are to lie under')
    .option('--live', 'agree to changing live environments')
    .option('--json', 'print one JSON object a line')
    .run(async (from: string, to: string, options: RepointOptions) => {
      const { output } = context
      const result = await withExistingData(context, dataFolderOf(context, options), ({ client }) =>
        client.call('hooks.repoint', { from, to, live: options.live }),
      )
      const moved = result?.moved ?? []
      if (moved.length === 0) output.note(printableText(`No active hook lies under ${from}.`))
      if (options.json === true)
        for (const { hook, problem, warnings } of moved) output.json({ ...hookJson(hook, undefined), problem, warnings })
      else for (const line of createColumns(output)(moved.map(movedCells))) output.line(line)
      // What is the matter with the address is the matter with every hook there: it is said once.
      const told = new Map(moved.flatMap(({ warnings }) => warnings).map((warning) => [warning.message, warning]))
      noteWarnings(output, [...told.values()])
      for (const { hook, problem } of moved) if (problem !== null) output.note(printableText(`${hook.id}: ${problem}`))
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
  readonly json?: true
}

/** `countersign hooks import`: records a hook that was registered elsewhere, so that its deliveries can be proved. */
function addHooksImport(hooks: Command, context: CommandContext): void {
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
    .run(async (options: ImportOptions) => {
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

// Hook secrets as `NAME=secret` lines, for the configuration of the handler that verifies their deliveries.

type NamedHook = Pick<Hook, 'event' | 'environment'>

export interface NamedSecret {
  readonly hook: NamedHook
  readonly secret: string
}

function baseName(hook: NamedHook): string {
  return `WEBHOOK_SECRET_${hook.event.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
}

/** Names by the event; where several hooks share one, the environment joins, and where that is not enough a number. */
function namesOf(hooks: readonly NamedHook[]): string[] {
  const countOf = (names: readonly string[], name: string) => names.filter((other) => other === name).length
  const byEvent = hooks.map(baseName)
  const byEnvironment = hooks.map((hook, index) => {
    const name = byEvent[index] ?? ''
    return countOf(byEvent, name) === 1 ? name : `${name}_${hook.environment.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
  })
  return byEnvironment.map((name, index) =>
    countOf(byEnvironment, name) === 1 ? name : `${name}_${countOf(byEnvironment.slice(0, index), name) + 1}`,
  )
}

/** Quoted so that a shell and the usual readers of `.env` files take the text as it is. */
function quote(secret: string): string {
  return /^[\w./+=:@%-]+$/.test(secret) ? secret : `'${secret.replaceAll("'", String.raw`'\''`)}'`
}

/** One line a hook, in the order given. */
export function environmentLines(secrets: readonly NamedSecret[]): string[] {
  const names = namesOf(secrets.map(({ hook }) => hook))
  return secrets.map(({ secret }, index) => `${names[index]}=${quote(secret)}`)
}
