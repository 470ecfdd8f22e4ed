/** `countersign tunnel`: manages the receiver's public URL and the tunnel that provides it. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  UsageError,
  withInstance,
  type Session,
} from '../context.ts'
import {
  tunnelProviderSchema,
  type TunnelStatus,
  type AddressTest,
} from '../../shared/model/status.ts'
import { readOnce } from '../arguments.ts'
import { type Cell, outcomeCell } from '../output.ts'
import { printableText } from '../../shared/text/printable.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { addressTests, tunnelStates } from '../../shared/model/outcomes.ts'
import { listed } from '../../shared/text/counted.ts'

function print(
  { output }: CommandContext,
  options: DataOption,
  value: unknown,
  rows: readonly Cell[][],
): void {
  if (options.json === true) output.json(value)
  else output.table(rows)
}

/** After the public URL changed, lists hooks that still use an earlier one. */
async function noteHooks(
  { output }: CommandContext,
  { client }: Session,
  { earlier }: TunnelStatus,
  before: string | null = null,
): Promise<void> {
  const { receiver } = await client.call('app.status', {})
  const { hooks } = await client.call('hooks.list', {})
  const others = new Set([
    ...(before === null || before === receiver.publicUrl ? [] : [before]),
    ...earlier,
  ])
  for (const note of repointNotes([...others], receiver.publicUrl, hooks)) output.note(note)
}

export function add(command: Command, context: CommandContext): void {
  const tunnel = command.description("Manage the receiver's public URL.")
  tunnel
    .command('start')
    .summary('start cloudflared or ngrok')
    .description(
      'Start a tunnel to the receiver and print its public URL. The tunnel runs until you stop it or Countersign.',
    )
    .requiresRunning()
    .exitsWith(3, 'the tool is missing or reports no URL')
    .example('Start a Cloudflare tunnel', 'tunnel start cloudflared', {
      notRun: 'needs cloudflared and a network',
    })
    .example('Start ngrok on your own domain', 'tunnel start ngrok --domain my-team.ngrok.app', {
      notRun: 'needs ngrok and a network',
    })
    .argument('<program>', `tunnel tool: ${listed(tunnelProviderSchema.options, 'or')}`)
    .option('--domain <domain>', 'ngrok: your domain (default: one that ngrok assigns)', readOnce)
    .printsJson()
    .run(async (name: string, options: DataOption & { readonly domain?: string }) => {
      const provider = tunnelProviderSchema.safeParse(name).data
      if (provider === undefined)
        throw new UsageError(
          `Unknown tunnel tool "${name}". Use ${listed(tunnelProviderSchema.options, 'or')}.`,
        )
      await withInstance(context, options, 'A tunnel', async (session) => {
        const input = { provider, domain: options.domain ?? null }
        const status = await session.client.call('tunnels.start', input)
        print(context, options, status, [tunnelCells(status)])
        await noteHooks(context, session, status)
      })
    })
  tunnel
    .command('stop')
    .summary('stop the tunnel')
    .description('Stop the tunnel. If its URL was the public URL, the receiver no longer has one.')
    .requiresRunning()
    .example('Stop the tunnel', 'tunnel stop')
    .printsJson()
    .run(async (options: DataOption) => {
      await withInstance(context, options, 'Stopping a tunnel', async ({ client }) => {
        const status = await client.call('tunnels.stop', {})
        print(context, options, status, [tunnelCells(status)])
      })
    })
  tunnel
    .command('status')
    .summary('show the tunnel and the public URL')
    .description('Show the tunnel and the public URL.')
    .requiresRunning()
    .example('Show the tunnel and the public URL', 'tunnel status')
    .printsJson()
    .run(async (options: DataOption) => {
      await withInstance(context, options, 'The tunnel status', async (session) => {
        const { client } = session
        const status = await client.call('tunnels.status', {})
        const { receiver } = await client.call('app.status', {})
        const address: Cell[] = [
          { text: 'public URL' },
          { text: '' },
          { text: receiver.publicUrl ?? 'not set' },
        ]
        const json = { ...status, publicUrl: receiver.publicUrl }
        print(context, options, json, [tunnelCells(status), address])
        await noteHooks(context, session, status)
      })
    })
  tunnel
    .command('test')
    .summary('test the public URL')
    .description(
      'Send a request to the public URL and check that it reaches this receiver unchanged. The request is not stored.',
    )
    .requiresRunning()
    .exitsWith(1, 'the request does not arrive or arrives changed')
    .example('Test the public URL', 'tunnel test', { notRun: 'needs a public URL' })
    .printsJson()
    .run(async (options: DataOption) => {
      await withInstance(context, options, 'Testing the public URL', async ({ client }) => {
        const found = await client.call('tunnels.test', {})
        print(context, options, found, [testCells(found)])
        if (found.outcome !== 'reached') context.exit(EXIT.no)
      })
    })
  tunnel
    .command('use')
    .summary('set your own public URL')
    .description('Set a public URL that your tunnel or proxy provides; --none removes it.')
    .requiresRunning()
    .example('Use your own proxy', 'tunnel use https://hooks.example.com')
    .example('Remove the public URL', 'tunnel use --none')
    .argument('[url]', 'HTTPS URL, without a path unless your proxy removes it')
    .option('--none', 'remove the public URL')
    .option('--json', "print the receiver's state as a JSON object")
    .run(async (url: string | undefined, options: DataOption & { readonly none?: true }) => {
      if ((url === undefined) === (options.none === undefined))
        throw new UsageError('Use either a URL or --none.')
      if (url !== undefined && !URL.canParse(url))
        throw new UsageError(
          `"${url}" is not a URL. Enter a complete one, for example https://hooks.example.com.`,
        )
      await withInstance(context, options, 'The public URL', async (session) => {
        const before = (await session.client.call('app.status', {})).receiver.publicUrl
        const status = await session.client.call('receiver.setPublicUrl', { url: url ?? null })
        print(context, options, status, [[{ text: status.publicUrl ?? 'no public URL' }]])
        await noteHooks(context, session, await session.client.call('tunnels.status', {}), before)
      })
    })
}

function tunnelCells({ state, provider, url, problem }: TunnelStatus): Cell[] {
  return [
    outcomeCell(tunnelStates[state], state),
    { text: provider ?? '' },
    { text: printableText(url ?? problem ?? '') },
  ]
}

function testCells({ outcome, message, ms }: AddressTest): Cell[] {
  return [
    outcomeCell(addressTests[outcome], outcome),
    { text: `${ms} ms` },
    { text: printableText(message) },
  ]
}

/** What to do about hooks on an earlier public URL; `publicUrl` is null if there is none now. */
export function repointNotes(
  earlier: readonly string[],
  publicUrl: string | null,
  hooks: readonly Hook[],
): string[] {
  return earlier.flatMap((from) => {
    const count = hooks.filter(
      ({ status, url }) => status === 'active' && (url === from || url.startsWith(`${from}/`)),
    ).length
    if (count === 0) return []
    const which = count === 1 ? '1 hook still points' : `${count} hooks still point`
    const next =
      publicUrl === null
        ? ', which no longer works. Start a tunnel or set the public URL with "countersign tunnel use URL", then move them there.'
        : `, which is no longer the public URL. Move them: countersign hooks repoint ${from} ${publicUrl}`
    return [`${which} to ${from}${next}`]
  })
}
