/** `countersign serve`: runs receiver, sandbox and the app in the browser until stopped. */
import { readBindAddress } from '../../loopback/bind-address.ts'
import { limitYoungGeneration } from '../../core/base/threads/memory.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { defineCommand } from '../command.ts'
import { whenAborted } from '../../core/base/async.ts'
import { withStop } from '../lifetime.ts'
import { openInBrowser, removeRedirect } from '../open-browser.ts'
import {
  flagOption,
  listOption,
  textOption,
  parsedOption,
  type ValuesOf,
} from '../options/input.ts'
import { readPort } from '../options/value-readers.ts'
import { findPortHolder } from '../port-holder.ts'
import type { Served, ServeOptions } from '../serve-host.ts'
import type { CommandRun } from '../session.ts'

/** Lifetime of the printed link, in milliseconds; a person may use it later. */
const PRINTED_LIFETIME_MS = 600_000

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function printBanner({ output }: CommandRun, { host, status }: Served, address: string): void {
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
  output.line(output.color('Countersign is running.', 'bold'))
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

async function namePortHolder(error: unknown): Promise<unknown> {
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

const options = {
  host: textOption('<address>', 'IP address to listen on').default('127.0.0.1'),
  receiverPort: parsedOption('<n>', 'receiver port, HTTPS (default: 4783)', readPort),
  uiPort: parsedOption('<n>', 'app port (default: 4780)', readPort),
  sandboxPort: parsedOption('<n>', 'sandbox port (default: 4784)', readPort),
  receiverHttpPort: parsedOption(
    '<n>',
    'also receive over plain HTTP on this port, for tunnels',
    readPort,
  ),
  allowedHosts: listOption(
    '--allow-ui-host <host:port>',
    'also allow the app at this host and port (repeatable)',
  ),
  dangerouslyBind: flagOption('allow a --host that other computers can reach'),
  noOpen: flagOption("don't open the browser"),
  stdio: flagOption(
    'run commands from standard input until it ends, with free ports and a temporary data folder (for programs)',
  ),
}
type ServeValues = ValuesOf<typeof options>

/** Serves until the signal aborts, or with `--stdio` until standard input ends. */
async function serve(
  input: ServeValues,
  run: CommandRun,
  signal: AbortSignal,
  data: Pick<ServeOptions, 'dataFolder' | 'isTemporary' | 'setupFile'>,
): Promise<void> {
  const { dataFolder } = data
  const bind = readBindAddress(input.host, input)
  if (!bind.loopback)
    run.output.note(`Warning: listening on ${bind.address}, which other computers can reach.`)
  limitYoungGeneration()
  const { startCoreAndHost } = await import('../serve-host.ts')
  const defaultPort = input.stdio ? 0 : undefined
  const { uiPort = defaultPort, receiverPort = defaultPort, sandboxPort = defaultPort } = input
  const served = await startCoreAndHost(run, {
    ...input,
    ...data,
    uiPort,
    receiverPort,
    sandboxPort,
    bind,
  }).catch(async (error: unknown) => {
    throw await namePortHolder(error)
  })
  try {
    const { caFile, receiver, sandbox } = served.status
    const address = served.host.issueAddress(PRINTED_LIFETIME_MS)
    const json = {
      ui: address,
      receiver: receiver.url,
      sandbox,
      ca: caFile,
      data: served.status.dataFolder,
      pid: process.pid,
    }
    run.output.asJson ||= input.stdio
    run.output.result(json, () => printBanner(run, served, address))
    if (input.stdio) {
      const { runPipedCommands } = await import('../piped-commands.ts')
      return await runPipedCommands(run, dataFolder, signal)
    }
    // Opens a second link, so that the printed one still works in another browser.
    if (!run.output.asJson && !input.noOpen)
      await openInBrowser(dataFolder, served.host.issueAddress(PRINTED_LIFETIME_MS), run.env)
    await whenAborted(signal)
  } finally {
    await served.close()
    await removeRedirect(dataFolder)
  }
}

export const add = defineCommand({
  description:
    'Run the receiver, the sandbox and the app in the browser, until stopped. Port 0 picks a free port and remembers it for the data folder.',
  examples: [
    ['Start Countersign and open the app', 'serve', { notRun: 'runs until stopped' }],
    [
      'Start on free ports and print the URLs as JSON',
      'serve --json --receiver-port 0 --ui-port 0 --sandbox-port 0 --data ./captures',
      { notRun: 'runs until stopped' },
    ],
  ],
  json: "print a JSON object with the URLs, and don't open the browser",
  options,
  async run(input, run) {
    // Listens for signals first: a signal during startup must close everything.
    await withStop(run.env, async (signal) => {
      const isTemporary = input.stdio && run.data === undefined
      const dataFolder = isTemporary ? await run.temporaryFolder() : run.dataFolder()
      const setupFile = isTemporary ? null : run.setupFile()
      await serve(input, run, signal, { dataFolder, isTemporary, setupFile })
    })
  },
})
