/** `countersign serve`: runs receiver, sandbox and the app in the browser until stopped. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { readBindAddress } from '../../loopback/bind-address.ts'
import { limitYoungGeneration } from '../../core/base/threads/memory.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { given, readMany, readPort } from '../arguments.ts'
import { withStop } from '../lifetime.ts'
import { openInBrowser, removeRedirect } from '../open-browser.ts'
import { findPortHolder } from '../port-holder.ts'
import type { Served } from '../serve-host.ts'

interface ServeCommandOptions extends DataOption {
  readonly host: string
  readonly uiPort?: number
  readonly receiverPort?: number
  readonly receiverHttpPort?: number
  readonly sandboxPort?: number
  readonly allowUiHost?: readonly string[]
  readonly dangerouslyBind?: true
  readonly open: boolean
}

/** Lifetime of the printed link, in milliseconds: a person may come back to it later. */
const PRINTED_LIFETIME_MS = 600_000

/** Quotes a path for a shell. */
function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function printBanner(context: CommandContext, { host, status }: Served, address: string): void {
  const { output } = context
  const receiver = status.receiver.url ?? 'off'
  const rows = [
    ['App', `${address}  (works once, within 10 minutes; new link: countersign open)`],
    ['Receiver', receiver],
    ...(status.receiver.httpUrl === null
      ? []
      : [['', `${status.receiver.httpUrl}  (for tunnels)`]]),
    ['Sandbox', status.sandbox ?? 'off'],
    ['CA cert', status.caFile],
    ['Data', status.dataFolder],
  ].map(([name = '', text = '']) => [`  ${name}`, text] as const)
  output.line(output.colour('Countersign is running.', 'bold'))
  output.line('')
  output.facts(rows)
  output.line('')
  output.line('Send a test request:')
  output.line(
    `  curl -sS --cacert ${shellWord(status.caFile)} --data '{"hello":"world"}' ${receiver}/hello`,
  )
  output.line('')
  output.line(`Press Ctrl+C to stop. (${host.origin}, process ${process.pid})`)
}

/** Adds the process that uses the port, if the system shows it. */
async function withHolder(error: unknown): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'PORT_IN_USE') return error
  const port = (error.details as { port?: unknown } | null | undefined)?.port
  const holder = typeof port === 'number' ? await findPortHolder(port) : null
  if (holder === null) return error
  const who = `process ${holder.pid}${holder.name === null ? '' : ` (${holder.name})`}`
  const message = error.message.replace(/in use(?: by another program)?(?=\.)/, `in use by ${who}`)
  return new AppError(error.code, message, {
    details: error.details,
    cause: error,
  })
}

async function serve(
  context: CommandContext,
  options: ServeCommandOptions,
  stopped: Promise<string>,
): Promise<void> {
  const { uiPort, receiverPort, receiverHttpPort, sandboxPort } = options
  const dataFolder = dataFolderOf(context, options)
  const bind = readBindAddress(options.host, options.dangerouslyBind === true)
  if (!bind.loopback)
    context.output.note(`Warning: listening on ${bind.address}, which other computers can reach.`)
  limitYoungGeneration()
  const { startServing } = await import('../serve-host.ts')
  const served = await startServing(context, {
    dataFolder,
    bind,
    allowedHosts: options.allowUiHost ?? [],
    ...given({ uiPort, receiverPort, receiverHttpPort, sandboxPort }),
  }).catch(async (error: unknown) => {
    throw await withHolder(error)
  })
  try {
    const { status } = served
    const address = served.host.issueAddress(PRINTED_LIFETIME_MS)
    if (options.json === true) {
      const { caFile, receiver, sandbox } = status
      context.output.json({
        ui: address,
        receiver: receiver.url,
        sandbox,
        ca: caFile,
        data: status.dataFolder,
        pid: process.pid,
      })
    } else {
      printBanner(context, served, address)
      // A second link, so that the printed one still opens another browser.
      if (options.open)
        await openInBrowser(dataFolder, served.host.issueAddress(PRINTED_LIFETIME_MS), context.env)
    }
    await stopped
  } finally {
    await served.close()
    await removeRedirect(dataFolder)
  }
}

export function add(command: Command, context: CommandContext): void {
  command
    .description(
      'Run the receiver, the sandbox and the app in the browser, until stopped. Port 0 picks a free port and remembers it for the data folder.',
    )
    .example('Start Countersign and open the app', 'serve', { notRun: 'runs until stopped' })
    .example(
      'Start on free ports and print the URLs as JSON',
      'serve --json --receiver-port 0 --ui-port 0 --sandbox-port 0 --data ./captures',
      { notRun: 'runs until stopped' },
    )
    .option('--host <address>', 'IP address to listen on', '127.0.0.1')
    .option('--receiver-port <n>', 'receiver port, HTTPS (default: 4783)', readPort)
    .option('--ui-port <n>', 'app port (default: 4780)', readPort)
    .option('--sandbox-port <n>', 'sandbox port (default: 4784)', readPort)
    .option(
      '--receiver-http-port <n>',
      'also receive over plain HTTP on this port, for tunnels',
      readPort,
    )
    .option(
      '--allow-ui-host <host:port>',
      'also allow the app at this host and port (repeatable)',
      readMany,
    )
    .option('--dangerously-bind', 'allow a --host that other computers can reach')
    .option('--no-open', "don't open the browser")
    .option('--json', "print a JSON object with the URLs, and don't open the browser")
    .run(async (options: ServeCommandOptions) => {
      // Listens for signals first: one that arrives during startup must close everything again.
      await withStop(context.env, (stopped) => serve(context, options, stopped))
    })
}
