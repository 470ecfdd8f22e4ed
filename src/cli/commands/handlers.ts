/** `countersign handlers`: saves endpoints under a name, which other commands take as `@NAME`. */
import { handlerAddSchema, type SavedHandler } from '../../shared/model/handler.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { defineCommand, defineGroup, JSON_LINES } from '../command.ts'
import { UsageError } from '../context.ts'
import { argument, flagOption, omitUndefined, textOption } from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { readGivenSecret, secretOptions } from '../options/secret-options.ts'
import { grey, pick, type Cell, type Output } from '../print.ts'
import type { Caller } from '../session.ts'
import { findHook } from './hooks.ts'

/** Returns an object of `handlers list --json`; scripts depend on its names. */
function handlerJson(handler: SavedHandler) {
  return pick(handler, 'name', 'url', 'registeredUrl', 'hookId', 'prefix', 'current', 'lastCheck')
}

function signerOf({ hookId, hasSecret }: SavedHandler, hooks: readonly Hook[]): Cell {
  const event = hooks.find(({ id }) => id === hookId)?.event
  if (hookId === null) return hasSecret ? 'own secret' : "each delivery's hook"
  return hasSecret ? `hook ${event ?? hookId}` : { text: 'hook deleted', color: 'yellow' }
}

function checkCell({ lastCheck }: SavedHandler): Cell {
  if (lastCheck === null) return grey('not checked')
  const { passed, failed, at } = lastCheck
  return {
    text: `${passed} passed, ${failed} failed ${at}`,
    color: failed > 0 ? 'red' : passed > 0 ? 'green' : 'grey',
  }
}

async function printHandlers(
  output: Output,
  client: Caller,
  handlers: readonly SavedHandler[],
): Promise<void> {
  const hooks = handlers.some(({ hookId }) => hookId !== null)
    ? (await client.call('hooks.list', {})).hooks
    : []
  const cells = (handler: SavedHandler): Cell[] => [
    handler.current ? '*' : ' ',
    `@${handler.name}`,
    handler.url,
    signerOf(handler, hooks),
    checkCell(handler),
  ]
  output.list(handlers, cells, handlerJson)
}

const { url: newUrl, ...addOptions } = optionsOf(handlerAddSchema)

const handlerOptions = {
  ...addOptions,
  hook: textOption('<id>', 'hook whose secret it verifies with'),
  ...secretOptions,
}

const name = argument('<name>', 'name of the handler')

async function hookIdOf(client: Caller, hook: string | undefined): Promise<string | undefined> {
  return hook === undefined ? undefined : (await findHook(client, hook)).id
}

export const add = defineGroup(
  'Save your endpoints. Use @NAME or handler:NAME instead of a URL. In PowerShell, quote "@NAME" or use handler:NAME.',
  {
    list: defineCommand({
      summary: 'list saved handlers',
      description: 'List saved handlers: current (*), name, URL, what signs, last check.',
      examples: [['List saved handlers', 'handlers list']],
      json: JSON_LINES,
      async run(_, { findData, output }) {
        const session = await findData('No handlers yet')
        if (session === null) return
        const { handlers } = await session.client.call('handlers.list', {})
        await printHandlers(output, session.client, handlers)
      },
    }),

    add: defineCommand({
      summary: 'save an endpoint',
      description:
        "Save an endpoint, with a hook or secret for checks and flows. Without either, each delivery's own hook signs replays. The first handler becomes current.",
      examples: [
        [
          'Save your handler with its secret',
          'handlers add local --url http://127.0.0.1:3000/webhooks --secret-file secret.txt',
        ],
      ],
      args: { name },
      options: {
        url: newUrl,
        ...handlerOptions,
      },
      async run(input, run) {
        const { hook, ...settings } = input
        const ownSecret = await readGivenSecret(run, input)
        if (ownSecret !== undefined && hook !== undefined)
          throw new UsageError('Use either --hook or --secret.')
        // A chosen hook takes precedence over the variable.
        const secret = ownSecret ?? (hook === undefined ? run.env['COUNTERSIGN_SECRET'] : undefined)
        const { client } = run
        const { handler } = await client.call('handlers.add', {
          ...settings,
          hookId: await hookIdOf(client, hook),
          secret: secret || null,
        })
        await printHandlers(run.output, client, [handler])
      },
    }),

    update: defineCommand({
      summary: 'change a saved handler',
      description:
        'Change a saved handler. Options you omit stay unchanged. A hook replaces a secret, and a secret replaces a hook.',
      examples: [['Change the URL', 'handlers update local --url http://127.0.0.1:4000/webhooks']],
      args: { id: name },
      options: {
        name: textOption('<name>', 'new name'),
        url: textOption('<url>', 'new URL'),
        ...handlerOptions,
        noRegisteredUrl: flagOption('sign the default URL again').conflicts('registeredUrl'),
        noSecret: flagOption("forget hook and secret: each delivery's own hook signs").conflicts(
          'secret',
          'secretFile',
        ),
        noPrefix: flagOption("use the current environment's prefix again").conflicts('prefix'),
        noTargetCa: flagOption('use no CA certificate').conflicts('targetCa'),
      },
      async run(input, run) {
        const { id, hook } = input
        const secret = input.noSecret ? null : await readGivenSecret(run, input)
        if (hook !== undefined && secret !== undefined)
          throw new UsageError('Use either --hook or --secret.')
        const change = omitUndefined({
          name: input.name,
          url: input.url,
          registeredUrl: input.noRegisteredUrl ? null : input.registeredUrl,
          secret,
          hookId: secret === null ? null : undefined,
          prefix: input.noPrefix ? null : input.prefix,
          targetCa: input.noTargetCa ? null : input.targetCa,
        })
        if (hook === undefined && Object.keys(change).length === 0)
          throw new UsageError('Nothing to change. Add an option, such as --url URL.')
        const { client } = await run.needData(`Handler "${id}" not found`)
        const hooked = omitUndefined({ hookId: await hookIdOf(client, hook) })
        const { handler } = await client.call('handlers.update', { id, ...change, ...hooked })
        await printHandlers(run.output, client, [handler])
      },
    }),

    use: defineCommand({
      summary: 'set the current handler',
      description: 'Set the current handler: replays without an endpoint go to it.',
      examples: [['Set the current handler', 'handlers use local']],
      args: { id: argument('[name]', 'name of the handler') },
      options: { none: flagOption('clear the current handler') },
      async run({ id, none }, { needData, output }) {
        if ((id === undefined) !== none)
          throw new UsageError('Enter the name of a handler, or --none.')
        const { client } = await needData(`Handler "${id ?? ''}" not found`)
        const { handlers } = await client.call('handlers.use', { id: id ?? null })
        await printHandlers(
          output,
          client,
          handlers.filter(({ current }) => current),
        )
      },
    }),

    remove: defineCommand({
      summary: 'remove a saved handler',
      description: 'Remove a saved handler with its secret. Earlier sends keep its name.',
      examples: [['Remove a handler', 'handlers remove local']],
      args: { name },
      async run(input, { needData, output }) {
        const { client } = await needData(`Handler "${input.name}" not found`)
        await client.call('handlers.remove', { id: input.name })
        output.result({ name: input.name }, input.name)
      },
    }),
  },
)
