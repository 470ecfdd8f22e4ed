/** `countersign tunnel …`: the public address of the running instance, and the tunnel that gives it one. */
import { Option } from 'commander'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  TUNNEL_PATIENCE_SECONDS,
  tunnelProviderSchema,
  type TunnelProvider,
  type TunnelStatus,
  type AddressTest,
  type TunnelProgram,
} from '../../shared/model/tunnel.ts'
import { readFilled, readOnce } from '../arguments.ts'
import { EXIT, UsageError } from '../failure.ts'
import { readTunnelToken, type TunnelTokenOptions } from '../inputs.ts'
import { createColumns, type Cell } from '../output.ts'
import { withInstance, type Session } from '../session.ts'
import { printableText } from '../../shared/text/printable.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { addressTests, tunnelStates } from '../../shared/model/outcomes.ts'
import { outcomeCell } from '../outcome-cell.ts'

interface TunnelOptions extends DataOption {
  readonly json?: true
}

interface StartOptions extends TunnelOptions, TunnelTokenOptions {
  readonly domain?: string
}

interface UseOptions extends TunnelOptions {
  readonly none?: true
}

function print({ output }: CommandContext, options: TunnelOptions, value: unknown, rows: readonly Cell[][]): void {
  if (options.json === true) output.json(value)
  else for (const line of createColumns(output)(rows)) output.line(line)
}

/** Says which hooks still point elsewhere, after the address is another one: to that of an earlier tunnel, or the one before. */
async function noteHooks(
  { output }: CommandContext,
  { client }: Session,
  { earlier }: TunnelStatus,
  before: string | null = null,
): Promise<void> {
  const { receiver } = await client.call('app.status', {})
  const { hooks } = await client.call('hooks.list', {})
  const others = new Set([...(before === null || before === receiver.publicUrl ? [] : [before]), ...earlier])
  for (const note of repointNotes([...others], receiver.publicUrl, hooks)) output.note(note)
}

/** Resolves with the state in which the start has ended: up, or stopped. Each new reason of a failure on the way is heard. */
async function untilStarted({ client, closed }: Session, first: TunnelStatus, onFailing: (problem: string) => void) {
  let now = first
  let told: string | null = null
  let wake: () => void = () => undefined
  const stop = client.on('tunnels.changed', (changed) => {
    if (changed.state === 'failing' && changed.problem !== null && changed.problem !== told) {
      told = changed.problem
      onFailing(told)
    }
    now = changed
    wake()
  })
  let isGone = false
  void closed.then(() => {
    isGone = true
    wake()
  })
  try {
    now = await client.call('tunnels.status', {})
    while (now.state !== 'up' && now.state !== 'stopped') {
      if (isGone) throw new AppError('DISCONNECTED', 'The running instance has stopped, and its tunnel with it.')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return now
  } finally {
    stop()
  }
}

async function start(context: CommandContext, session: Session, provider: TunnelProvider, options: StartOptions) {
  const { client } = session
  const token = await readTunnelToken(context, options)
  if (provider === 'ngrok' && token !== undefined) await client.call('tunnels.setToken', { provider, token })
  const first = await client.call('tunnels.start', { provider, domain: options.domain ?? null })
  const status = await untilStarted(session, first, (problem) => {
    context.output.note(problem)
    context.output.note(`Trying again for ${TUNNEL_PATIENCE_SECONDS} seconds at most; stop it with "countersign tunnel stop".`)
  })
  print(context, options, status, [tunnelCells(status)])
  await noteHooks(context, session, status)
  if (status.state !== 'up') context.exit(EXIT.failed)
}

export function addTunnel(tunnelCommand: Command, context: CommandContext): void {
  const tunnel = tunnelCommand.description(
    'Gives the receiver a public URL for new hooks, and tests whether that URL reaches it.',
  )
  const work = (command: Command, what: string, task: (session: Session) => Promise<void>) =>
    withInstance(dataFolderOf(context, command.optsWithGlobals<TunnelOptions>()), what, task)

  tunnel
    .command('start')
    .summary('start cloudflared or ngrok')
    .description(
      'Starts a tunnel to the receiver in the running instance, and ends once its address is there. The tunnel goes on until it is stopped, or the instance is.',
    )
    .argument('<program>', `one of ${tunnelProviderSchema.options.join(', ')}`)
    .option('--domain <domain>', 'of ngrok: a domain of the account (default: the one that ngrok gives)', readOnce)
    .addOption(
      new Option(
        '--token <token>',
        "of ngrok: the account's token, kept in the vault; - reads it from standard input (default: COUNTERSIGN_NGROK_TOKEN, else the kept one)",
      ).argParser(readOnce),
    )
    .option('--token-file <file>', 'file that holds the token', readFilled)
    .option('--json', 'print one JSON object')
    .action(async (name: string, _own: unknown, command: Command) => {
      const provider = tunnelProviderSchema.safeParse(name).data
      if (provider === undefined)
        throw new UsageError(`"${name}" is no program for tunnels. Name one of ${tunnelProviderSchema.options.join(', ')}.`)
      await work(command, 'A tunnel', (session) => start(context, session, provider, command.optsWithGlobals()))
    })
  tunnel
    .command('stop')
    .summary('end the tunnel')
    .description('Ends the tunnel. Where its address was the public one, there is none afterwards.')
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, command: Command) => {
      await work(command, 'Ending the tunnel', async ({ client }) => {
        const status = await client.call('tunnels.stop', {})
        print(context, command.optsWithGlobals(), status, [tunnelCells(status)])
      })
    })
  tunnel
    .command('status')
    .summary('the tunnel, the public address, the programs found')
    .description('Tells how the tunnel is, what the public address is, and which programs for tunnels are found on this machine.')
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, command: Command) => {
      await work(command, 'Telling how the tunnel is', async (session) => {
        const { client } = session
        const status = await client.call('tunnels.status', {})
        const { programs } = await client.call('tunnels.programs', {})
        const { receiver } = await client.call('app.status', {})
        const address: Cell[] = [{ text: 'address' }, { text: '' }, { text: receiver.publicUrl ?? 'no public address' }]
        const json = { ...status, publicUrl: receiver.publicUrl, programs }
        print(context, command.optsWithGlobals(), json, [tunnelCells(status), address, ...programs.map(programCells)])
        await noteHooks(context, session, status)
      })
    })
  tunnel
    .command('test')
    .summary('whether the public address is reached')
    .description(
      'Sends a request to the public address and tells whether it arrives at this receiver as it was sent. Nothing is stored of it. Ends with 1 where it does not.',
    )
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, command: Command) => {
      await work(command, 'Testing the public address', async ({ client }) => {
        const found = await client.call('tunnels.test', {})
        print(context, command.optsWithGlobals(), found, [testCells(found)])
        if (found.outcome !== 'reached') context.exit(EXIT.no)
      })
    })
  tunnel
    .command('use')
    .summary('set the address of a tunnel or proxy of your own')
    .description('Sets the public address, of a tunnel or a proxy that leads to the receiver by itself; --none takes it away.')
    .argument('[url]', 'HTTPS, without a path where the way passes paths on unchanged')
    .option('--none', 'no public address any more')
    .option('--json', "print one JSON object: the receiver's state")
    .action(async (url: string | undefined, _own: unknown, command: Command) => {
      const options: UseOptions = command.optsWithGlobals()
      if ((url === undefined) === (options.none === undefined)) throw new UsageError('Give either the address, or --none.')
      if (url !== undefined && !URL.canParse(url))
        throw new UsageError(`"${url}" is no address. Give a whole one, for example https://hooks.example.com.`)
      await work(command, 'The public address', async (session) => {
        const before = (await session.client.call('app.status', {})).receiver.publicUrl
        const status = await session.client.call('receiver.setPublicUrl', { url: url ?? null })
        print(context, options, status, [[{ text: status.publicUrl ?? 'no public address' }]])
        await noteHooks(context, session, await session.client.call('tunnels.status', {}), before)
      })
    })
  tunnel
    .command('forget')
    .summary("forget ngrok's token")
    .description('Removes the token of ngrok from the vault.')
    .action(async (_own: unknown, command: Command) => {
      await work(command, 'The vault', async ({ client }) => {
        await client.call('tunnels.setToken', { provider: 'ngrok', token: null })
      })
    })
}

/** A tunnel and the test of its address, as a person reads them. */
export function tunnelCells({ state, provider, url, problem, nextTryAt }: TunnelStatus): Cell[] {
  const again = nextTryAt === null ? '' : ` It is started again at ${nextTryAt}.`
  return [
    outcomeCell(tunnelStates[state], state),
    { text: provider ?? '' },
    { text: printableText(url ?? `${problem ?? ''}${again}`) },
  ]
}

export function programCells({ provider, path, install, page, needsToken, tokenHint }: TunnelProgram): Cell[] {
  const token = !needsToken ? '' : tokenHint === null ? ', no token kept' : `, token ${tokenHint}`
  return [
    path === null ? { text: 'missing', colour: 'yellow' } : { text: 'found', colour: 'green' },
    { text: provider },
    { text: printableText(path === null ? `Get it: ${install} (${page})` : `${path}${token}`) },
  ]
}

export function testCells({ outcome, message, ms }: AddressTest): Cell[] {
  return [outcomeCell(addressTests[outcome], outcome), { text: `${ms} ms` }, { text: printableText(message) }]
}

/** What to do about the hooks that still point to an address that was the public one; `publicUrl` null: there is none now. */
export function repointNotes(earlier: readonly string[], publicUrl: string | null, hooks: readonly Hook[]): string[] {
  return earlier.flatMap((from) => {
    const count = hooks.filter(({ status, url }) => status === 'active' && (url === from || url.startsWith(`${from}/`))).length
    if (count === 0) return []
    const which = count === 1 ? '1 hook still points' : `${count} hooks still point`
    const next =
      publicUrl === null
        ? 'which leads nowhere now. Start a tunnel, or name the public address with "countersign tunnel use URL"; then they can be moved there.'
        : `which is not the public address any more. Move: countersign hooks repoint ${from} ${publicUrl}`
    return [`${which} to ${from}, ${next}`]
  })
}
