/** `countersign flow run`: runs one flow, in the sandbox or against a real test account, and prints each step. */
import { constants, existsSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { reportFlow, type FlowReportFormat } from '../../core/flows/reports.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { FLOW_FILE_BYTES } from '../../shared/model/flow.ts'
import type { FlowRun, FlowSpeed, FlowRunStep } from '../../shared/model/flow-run.ts'
import { readFilled, readLiteral, readOnce, readSpeed } from '../arguments.ts'
import { aboutFile, EXIT, UsageError } from '../failure.ts'
import { printEnd, runJson, stepCells, stepNotes, widestStep } from '../flow-text.ts'
import { addSecretOptions, readSecret, type SecretOptions } from '../inputs.ts'
import { createColumns, type Output } from '../output.ts'
import { checkReportFiles } from '../report-files.ts'
import { withReceiver, type Session } from '../session.ts'
import { addTargetOptions, readTargetOptions, type TargetOptions } from '../target-options.ts'
import { cancellable } from '../lifetime.ts'

interface RunOptions extends DataOption, SecretOptions, TargetOptions {
  readonly speed: FlowSpeed
  readonly environment?: string
  readonly set?: Literals
  readonly handler?: string
  readonly registeredUrl?: string
  readonly json?: true
  readonly junit?: string
  readonly html?: string
  readonly svg?: string
  readonly mermaid?: string
}

function readFlowSpeed(text: string): FlowSpeed {
  if (text === 'max') return text
  try {
    return readSpeed(text)
  } catch {
    throw new InvalidArgumentError('Expected a number above 0, at most 100000, or max.')
  }
}

/** Anything that looks like a path, or exists, is a file. */
function isFile(which: string): boolean {
  return /[/\\]|\.json$/i.test(which) || (which !== '' && !/^[a-z][a-z0-9-]*$/.test(which)) || existsSync(which)
}

/**
 * Reads a flow file. A device or a pipe may never end, so this reads only regular files, up to the size limit. Rejects with
 * `INVALID_FLOW`.
 */
async function readFlowFile(file: string): Promise<string> {
  // Opening a pipe must not wait for a writer. Windows has neither the flag nor such pipes.
  const handle = await open(file, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK))
  try {
    const found = await handle.stat()
    if (!found.isFile() && !found.isDirectory())
      throw new AppError('INVALID_FLOW', `${file} is not a regular file. Pass the flow's JSON file.`)
    const pieces: Uint8Array[] = []
    // Counts the bytes read: files in /proc have a size of 0.
    for await (const piece of handle.createReadStream({ end: FLOW_FILE_BYTES, autoClose: false })) pieces.push(piece as Buffer)
    const bytes = Buffer.concat(pieces)
    if (bytes.length > FLOW_FILE_BYTES)
      throw new AppError('INVALID_FLOW', `${file} is larger than 1 MiB. Split it into smaller flows.`)
    return bytes.toString('utf8')
  } catch (error) {
    throw aboutFile(error, file)
  } finally {
    await handle.close()
  }
}

async function readWish(context: CommandContext, which: string, options: RunOptions): Promise<InputOf<'flows.start'>> {
  const { handler, registeredUrl, speed, environment } = options
  if (handler === undefined && (registeredUrl ?? options.targetCa ?? options.secret ?? options.secretFile) !== undefined)
    throw new UsageError('--secret, --registered-url and --target-ca need --handler URL.')
  const { targetCa, ...consent } = await readTargetOptions(options)
  return {
    ...(isFile(which) ? { source: { text: await readFlowFile(which), file: which, path: resolve(which) } } : { name: which }),
    ...(environment === undefined ? {} : { environment }),
    ...(options.set === undefined ? {} : { literals: options.set }),
    speed,
    handler:
      handler === undefined
        ? null
        : {
            url: handler,
            registeredUrl: registeredUrl ?? null,
            secret: await readSecret(context, options),
            targetCa,
          },
    ...consent,
  }
}

async function writeReports(run: FlowRun, options: RunOptions, version: string): Promise<void> {
  const wanted: [FlowReportFormat, string | undefined][] = [
    ['junit', options.junit],
    ['html', options.html],
    ['svg', options.svg],
    ['mermaid', options.mermaid],
  ]
  for (const [format, file] of wanted) if (file !== undefined) await writeFile(file, reportFlow(run, format, version))
}

function createStepPrinter(output: Output): Parameters<typeof followFlow>[2] {
  const columns = createColumns(output)
  columns([widestStep])
  return {
    step(step) {
      for (const line of columns([stepCells(step)])) output.line(line)
      for (const note of stepNotes(step)) output.line(`    ${note}`)
    },
    ask: (text) => output.note(`Next: ${text}`),
  }
}

export function addFlowRun(flow: Command, context: CommandContext): void {
  const run = flow
    .command('run')
    .summary('run a flow')
    .description(
      'Run a built-in flow or a flow file: trigger events and check the deliveries they cause. Sandbox runs are isolated: they use their own objects, hooks and clock. With --environment, the run waits for real deliveries and tells you what to do.',
    )
    .exitsWith(1, 'an expectation fails')
    .example('Run a built-in flow', 'flow run purchase-visa')
    .example(
      'Forward its deliveries to your handler and write a JUnit report',
      'flow run purchase-visa --handler http://127.0.0.1:3000/webhooks --secret-file secret.txt --junit flow.xml',
    )
    .example('Run your own flow', 'flow run ./my-flow.json --html flow.html')
    .argument('<flow>', 'name of a built-in flow, or a file (see docs/flow-reference.md)')
    .option('--speed <n>', 'sandbox seconds per real second, or max', readFlowSpeed, 'max' as FlowSpeed)
    .option('--environment <name>', "where to run it (default: the sandbox, in the flow's mode)", readOnce)
    .option(
      '--set <path=value>',
      'set a field in every triggered event that has it, as typed, for example amount=10.00 (repeatable)',
      readLiteral,
    )
    .option('--handler <url>', 'your endpoint: forward deliveries to it and check its responses', readOnce)
    .option('--registered-url <url>', 'URL to sign for your handler (default: its own URL)', readOnce)
  addSecretOptions(run)
  addTargetOptions(run, 'allow a live-mode flow, or a live secret with --handler')
    .option('--json', 'print a JSON object')
    .option('--junit <file>', 'write a JUnit report', readFilled)
    .option('--html <file>', 'write an HTML report', readFilled)
    .option('--svg <file>', 'write the sequence diagram as SVG', readFilled)
    .option('--mermaid <file>', 'write the sequence diagram as Mermaid', readFilled)
    .run(async (which: string, options: RunOptions) => {
      const { output, version } = context
      await checkReportFiles([options.junit, options.html, options.svg, options.mermaid])
      const wish = await readWish(context, which, options)
      const silent = { step: () => undefined, ask: (text: string) => output.note(`Next: ${text}`) }
      const ended = await withReceiver(context, dataFolderOf(context, options), async (session) => {
        const started = await session.client.call('flows.start', wish)
        return followFlow(session, started.run, options.json === true ? silent : createStepPrinter(output))
      })
      if (options.json === true) output.json(runJson(ended))
      else printEnd(output, ended)
      await writeReports(ended, options, version)
      if (ended.state === 'cancelled') throw new AppError('CANCELLED', 'Run cancelled. Only the steps above are complete.')
      context.exit(ended.outcome === 'pass' ? EXIT.done : EXIT.no)
    })
}

// Follows a flow run to its end and prints each step once it is done.

/** Milliseconds between checks in case an event is missed. */
const LOOK_MS = 500

interface FlowListener {
  step(step: FlowRunStep): void
  /** Shows what the user must do at a real account. */
  ask(text: string): void
}

/**
 * Resolves with the finished run. The first Ctrl+C cancels it and removes what it created. Rejects with `DISCONNECTED` if
 * Countersign stops.
 */
async function followFlow({ client, closed }: Session, started: FlowRun, listener: FlowListener): Promise<FlowRun> {
  const runId = started.id
  const ended = Promise.withResolvers<FlowRun>()
  let told = 0
  let asked: string | null = null
  const look = (run: FlowRun) => {
    // Steps are printed in order, so a finished step waits for earlier ones.
    for (let step = run.steps[told]; step?.state === 'done'; step = run.steps[told]) {
      listener.step(step)
      told++
    }
    if (run.ask !== null && run.ask !== asked) listener.ask(run.ask)
    asked = run.ask
    if (run.endedAt !== null) ended.resolve(run)
  }
  const stop = client.on('flows.changed', ({ run }) => {
    if (run.id === runId) look(run)
  })
  const timer = setInterval(() => {
    client.call('flows.run', { runId }).then(({ run }) => look(run), ended.reject)
  }, LOOK_MS)
  void closed.then(() => {
    ended.reject(new AppError('DISCONNECTED', 'Countersign stopped during the run. Run it again.'))
  })
  const cancel = () => {
    client.call('flows.cancel', { runId }).catch(() => undefined)
  }
  look(started)
  try {
    return await cancellable(cancel, () => ended.promise)
  } finally {
    stop()
    clearInterval(timer)
  }
}
