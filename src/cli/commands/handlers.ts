/** `countersign handlers`: saves endpoints of the user's under a name, which other commands take as `@NAME`. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  withCore,
  withExistingData,
  withKeptData,
} from '../context.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { printableText } from '../../shared/text/printable.ts'
import {
  given,
  readFilled,
  readOnce,
  addSecretOptions,
  readGivenSecret,
  readNamedFile,
  type SecretOptions,
} from '../arguments.ts'
import { pick, type Cell, type Output } from '../output.ts'
import { findHook } from './hooks.ts'

interface HandlerOptions extends DataOption, SecretOptions {
  readonly url?: string
  readonly registeredUrl?: string | false
  readonly hook?: string
  readonly prefix?: string | false
  readonly targetCa?: string | false
}

interface UpdateOptions extends Omit<HandlerOptions, 'secret'> {
  readonly secret?: string | false
  readonly name?: string
}

/** One object of `handlers list --json`; scripts depend on its names. */
function handlerJson(handler: SavedHandler) {
  return pick(handler, 'name', 'url', 'registeredUrl', 'hookId', 'prefix', 'current', 'lastCheck')
}

function signerOf({ hookId, hasSecret }: SavedHandler, hooks: readonly Hook[]): Cell {
  const event = hooks.find(({ id }) => id === hookId)?.event
  if (hookId === null) return { text: hasSecret ? 'own secret' : "each delivery's hook" }
  return hasSecret
    ? { text: `hook ${event ?? hookId}` }
    : { text: 'hook deleted', colour: 'yellow' }
}

function checkCell({ lastCheck }: SavedHandler): Cell {
  if (lastCheck === null) return { text: 'not checked', colour: 'grey' }
  const { passed, failed, at } = lastCheck
  return {
    text: `${passed} passed, ${failed} failed ${at}`,
    colour: failed > 0 ? 'red' : passed > 0 ? 'green' : 'grey',
  }
}

async function print(
  output: Output,
  client: Client,
  handlers: readonly SavedHandler[],
  asJson: true | undefined,
): Promise<void> {
  const hooks = handlers.some(({ hookId }) => hookId !== null)
    ? (await client.call('hooks.list', {})).hooks
    : []
  const cells = (handler: SavedHandler): Cell[] => [
    { text: handler.current ? '*' : ' ' },
    { text: `@${handler.name}` },
    { text: handler.url },
    signerOf(handler, hooks),
    checkCell(handler),
  ]
  output.list(handlers, asJson, cells, handlerJson)
}

function addHandlerOptions(command: Command): Command {
  return addSecretOptions(
    command
      .option(
        '--registered-url <url>',
        "URL to sign (default: the hook's registered URL, or its own URL with --secret)",
        readOnce,
      )
      .option('--hook <id>', 'hook whose secret it verifies with', readOnce),
  )
    .option(
      '--prefix <name>',
      "prefix of the header names with --secret (default: the current environment's)",
      readFilled,
    )
    .option(
      '--target-ca <file>',
      'CA certificate that must verify its certificate (PEM)',
      readFilled,
    )
}

const readCa = async (file: string) => (await readNamedFile(file)).toString('utf8')

/** The ID of a hook as given: ours, or the service's. */
async function hookIdOf(client: Client, hook: string): Promise<string> {
  return (await findHook(client, hook)).id
}

export function add(command: Command, context: CommandContext): void {
  command.description(
    'Save your endpoints. Wherever a command takes an endpoint, @NAME or handler:NAME is one. In PowerShell, quote "@NAME" or use handler:NAME.',
  )

  command
    .command('list')
    .summary('list saved handlers')
    .description('List saved handlers: current (*), name, URL, what signs, last check.')
    .example('List saved handlers', 'handlers list')
    .printsJson('lines')
    .run(async (options: DataOption) => {
      await withExistingData(context, options, 'No handlers yet', async ({ client }) => {
        const { handlers: all } = await client.call('handlers.list', {})
        await print(context.output, client, all, options.json)
      })
    })

  const addCommand = command
    .command('add')
    .summary('save an endpoint')
    .description(
      "Save an endpoint, with a hook or secret for checks and flows. Without either, each delivery's own hook signs replays. The first handler becomes current.",
    )
    .example(
      'Save your handler with its secret',
      'handlers add local --url http://127.0.0.1:3000/webhooks --secret-file secret.txt',
    )
    .argument('<name>', 'name of the handler')
    .requiredOption('--url <url>', 'URL; on this computer, http:// may be omitted', readOnce)
  addHandlerOptions(addCommand)
    .printsJson()
    .run(async (name: string, options: HandlerOptions & { readonly url: string }) => {
      const { url, registeredUrl, hook, prefix, targetCa, json } = options
      const ownSecret = await readGivenSecret(context, options)
      // A hook was chosen instead of the variable.
      const secret =
        ownSecret ?? (hook === undefined ? context.env['COUNTERSIGN_SECRET'] : undefined)
      if (ownSecret !== undefined && hook !== undefined)
        throw new UsageError('Use either --hook or --secret.')
      const ca = typeof targetCa === 'string' ? await readCa(targetCa) : null
      await withCore(context, options, async ({ client }) => {
        const { handler } = await client.call('handlers.add', {
          name,
          url,
          registeredUrl: typeof registeredUrl === 'string' ? registeredUrl : null,
          hookId: hook === undefined ? null : await hookIdOf(client, hook),
          secret: secret === undefined || secret === '' ? null : secret,
          prefix: typeof prefix === 'string' ? prefix : null,
          targetCa: ca,
        })
        await print(context.output, client, [handler], json)
      })
    })

  const updateCommand = command
    .command('update')
    .summary('change a saved handler')
    .description(
      'Change a saved handler. Options you omit stay unchanged. A hook replaces a secret, and a secret replaces a hook.',
    )
    .example('Change the URL', 'handlers update local --url http://127.0.0.1:4000/webhooks')
    .argument('<name>', 'name of the handler')
    .option('--name <name>', 'new name', readOnce)
    .option('--url <url>', 'new URL', readOnce)
  addHandlerOptions(updateCommand)
    .option('--no-registered-url', 'sign the default URL again')
    .option('--no-secret', "forget hook and secret: each delivery's own hook signs")
    .option('--no-prefix', "use the current environment's prefix again")
    .option('--no-target-ca', 'use no CA certificate')
    .printsJson()
    .run(async (id: string, options: UpdateOptions) => {
      const { hook, json } = options
      const change = await changeOf(context, options)
      if (hook !== undefined && 'secret' in change)
        throw new UsageError('Use either --hook or --secret.')
      if (hook === undefined && Object.keys(change).length === 0)
        throw new UsageError('Nothing to change. Add an option, such as --url URL.')
      await withKeptData(context, options, `Handler "${id}" not found`, async ({ client }) => {
        const hooked = hook === undefined ? {} : { hookId: await hookIdOf(client, hook) }
        const { handler } = await client.call('handlers.update', { id, ...change, ...hooked })
        await print(context.output, client, [handler], json)
      })
    })

  command
    .command('use')
    .summary('set the current handler')
    .description('Set the current handler: replays without an endpoint go to it.')
    .example('Set the current handler', 'handlers use local')
    .argument('[name]', 'name of the handler')
    .option('--none', 'clear the current handler')
    .printsJson()
    .run(async (name: string | undefined, options: DataOption & { readonly none?: true }) => {
      if ((name === undefined) !== (options.none === true))
        throw new UsageError('Enter the name of a handler, or --none.')
      const missing = `Handler "${name ?? ''}" not found`
      await withKeptData(context, options, missing, async ({ client }) => {
        const { handlers: all } = await client.call('handlers.use', { id: name ?? null })
        await print(
          context.output,
          client,
          all.filter(({ current }) => current),
          options.json,
        )
      })
    })

  command
    .command('remove')
    .summary('remove a saved handler')
    .description('Remove a saved handler with its secret. Earlier sends keep its name.')
    .example('Remove a handler', 'handlers remove local')
    .argument('<name>', 'name of the handler')
    .printsJson()
    .run(async (name: string, options: DataOption) => {
      await withKeptData(context, options, `Handler "${name}" not found`, async ({ client }) => {
        await client.call('handlers.remove', { id: name })
        if (options.json === true) context.output.json({ name })
        else context.output.line(printableText(name))
      })
    })
}

/** The options that clear a value make commander set it to true by default. */
const isSet = (value: string | boolean | undefined): value is string | false =>
  typeof value === 'string' || value === false

async function changeOf(
  context: CommandContext,
  options: UpdateOptions,
): Promise<Omit<InputOf<'handlers.update'>, 'id' | 'hookId'>> {
  const { name, url, registeredUrl, secret, secretFile, prefix, targetCa } = options
  const ownSecret = await readGivenSecret(
    context,
    given({ secret: secret === false ? undefined : secret, secretFile }),
  )
  return {
    ...given({ name, url, secret: ownSecret }),
    ...(isSet(registeredUrl)
      ? { registeredUrl: registeredUrl === false ? null : registeredUrl }
      : {}),
    ...(secret === false ? { secret: null, hookId: null } : {}),
    ...(isSet(prefix) ? { prefix: prefix === false ? null : prefix } : {}),
    ...(isSet(targetCa) ? { targetCa: targetCa === false ? null : await readCa(targetCa) } : {}),
  }
}
