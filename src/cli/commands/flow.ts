/** `countersign flow`: lists and runs flows, and shows their runs. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  withExistingData,
  withKeptData,
  aboutFile,
  EXIT,
  UsageError,
  withReceiver,
  type Session,
} from '../context.ts'
import {
  given,
  readOnce,
  readFilled,
  readLiteral,
  readSpeed,
  addSecretOptions,
  readEndpointSecret,
  type SecretOptions,
  addTargetOptions,
  readTargetOptions,
  type TargetOptions,
} from '../arguments.ts'
import {
  flowCells,
  printEnd,
  runCells,
  runJson,
  stepCells,
  stepNotes,
  printAllEnd,
  rowCells,
  rowJson,
  widestRow,
  widestStep,
} from '../flow-text.ts'
import { createColumns, type Output } from '../output.ts'
import { constants, existsSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import {
  reportAllFlows,
  reportFlow,
  type FlowReportFormat,
  type FlowRow,
} from '../../core/flows/reports.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  FLOW_FILE_BYTES,
  type FlowChange,
  type FlowRun,
  type FlowSpeed,
  type FlowRunStep,
} from '../../shared/model/flow.ts'
import { plainWords } from '../../shared/flow-diagram/words.ts'
import { flowChangeOf } from '../../shared/model/outcomes.ts'
import { counted } from '../../shared/text/counted.ts'
import { checkReportFiles } from '../report-files.ts'
import { cancellable } from '../lifetime.ts'

const RUNS_SHOWN = 50

export function add(command: Command, context: CommandContext): void {
  const flow = command.description(
    'Run test-mode flows: trigger events and check the deliveries they cause.',
  )

  flow
    .command('list')
    .summary('list the built-in flows')
    .description('List the built-in flows: name, mode, where they run, and title.')
    .example('List the built-in flows', 'flow list')
    .printsJson('lines')
    .run(async ({ json }: DataOption) => {
      const { builtInFlows } = await import('../../core/flows/built-in/index.ts')
      const { flowSummary } = await import('../../core/flows/plan.ts')
      const flows = builtInFlows().map((built) => flowSummary(built.flow, true))
      context.output.list(flows, json, flowCells)
    })

  const runCommand = flow
    .command('run')
    .summary('run a flow, or all of them')
    .description(
      'Run a built-in flow, a flow file, or all built-in flows: trigger events and check the deliveries they cause. Sandbox runs are isolated: they use their own objects, hooks and clock. With --environment, the run waits for real deliveries and tells you what to do.',
    )
    .exitsWith(1, 'an expectation fails; with --all, if a flow fails')
    .example('Run a built-in flow', 'flow run purchase-visa')
    .example(
      'Forward its deliveries to your handler and write a JUnit report',
      'flow run purchase-visa --handler http://127.0.0.1:3000/webhooks --secret-file secret.txt --junit flow.xml',
    )
    .example('Run your own flow', 'flow run ./my-flow.json --html flow.html')
    .example('Run all built-in flows', 'flow run --all --junit flows.xml')
    .argument('[flow]', 'name of a built-in flow, or a file (see docs/flow-reference.md)')
    .option('--all', 'run all built-in flows and print a line for each')
    .option(
      '--speed <n>',
      'sandbox seconds per real second, or max',
      readFlowSpeed,
      'max' as FlowSpeed,
    )
    .option(
      '--environment <name>',
      "where to run it (default: the sandbox, in the flow's mode)",
      readOnce,
    )
    .option(
      '--set <path=value>',
      'set an input of the flow (amount, currency, scheme, location) or a field in every triggered event that has it, as typed, for example amount=10.00 (repeatable)',
      readLiteral,
    )
    .option(
      '--handler <url>',
      'your endpoint: a URL or @NAME that receives the deliveries, and whose responses are checked (default: none)',
      readOnce,
    )
    .option(
      '--registered-url <url>',
      'URL to sign for your handler (default: its own URL)',
      readOnce,
    )
  addSecretOptions(runCommand)
  addTargetOptions(runCommand, 'allow live-mode flows, and a live secret with --handler')
    .option('--json', 'print a JSON object; with --all, JSON Lines')
    .option('--junit <file>', 'write a JUnit report', readFilled)
    .option('--html <file>', 'write an HTML report', readFilled)
    .option('--mermaid <file>', 'write the sequence diagram as Mermaid', readFilled)
    .run(async (which: string | undefined, options: RunOptions) => {
      const { output, version } = context
      checkSelection(which, options)
      await checkReportFiles([options.junit, options.html, options.mermaid])
      if (which === undefined) {
        await runAll(context, options)
        return
      }
      const wish = await readWish(context, which, options)
      const silent = {
        step: () => undefined,
        ask: (text: string) => output.note(`Next: ${plainWords(text)}`),
      }
      const ended = await withReceiver(context, options, async (session) => {
        const started = await session.client.call('flows.start', wish)
        const over = await interruptible((stopped) =>
          followFlow(
            session,
            started.run,
            options.json === true ? silent : createStepPrinter(output),
            stopped,
          ),
        )
        // The page has the payloads, which this process doesn't know.
        if (options.html !== undefined)
          await writeFile(
            options.html,
            (await session.client.call('flows.report', { runId: over.id, format: 'html' })).text,
          )
        return over
      })
      if (options.json === true) output.json(runJson(ended))
      else printEnd(output, ended)
      await writeReports(ended, options, version)
      if (ended.state === 'cancelled')
        throw new AppError('CANCELLED', 'Run cancelled. Only the steps above are complete.')
      context.exit(ended.outcome === 'pass' ? EXIT.done : EXIT.no)
    })

  flow
    .command('runs')
    .summary('list the last runs')
    .description('List the last 50 runs, newest first.')
    .example('List the last runs of a flow', 'flow runs --flow purchase-visa')
    .option('--flow <name>', 'only runs of this flow', readOnce)
    .printsJson('lines')
    .run(async (options: DataOption & { readonly flow?: string }) => {
      const { output } = context
      const listed = await withExistingData(context, options, 'No flow runs yet', ({ client }) =>
        client.call('flows.runs', { limit: RUNS_SHOWN, ...given({ flow: options.flow }) }),
      )
      output.list(listed?.runs ?? [], options.json, runCells)
    })

  flow
    .command('show')
    .summary('show a run')
    .description('Show a run step by step.')
    .example('Show a run', 'flow show "$RUN"')
    .argument('<run>', 'run ID')
    .printsJson()
    .run(async (runId: string, options: DataOption) => {
      const { output } = context
      const { run } = await withKeptData(
        context,
        options,
        `Run "${runId}" not found`,
        ({ client }) => client.call('flows.run', { runId }),
      )
      if (options.json === true) {
        output.json(runJson(run))
        return
      }
      const lines = createColumns(output)(run.steps.map(stepCells))
      for (const [index, step] of run.steps.entries()) {
        output.line(lines[index] ?? '')
        for (const note of stepNotes(step)) output.line(`    ${note}`)
      }
      printEnd(output, run)
    })
}

interface RunOptions extends DataOption, SecretOptions, TargetOptions {
  readonly all?: true
  readonly speed: FlowSpeed
  readonly environment?: string
  readonly set?: Literals
  readonly handler?: string
  readonly registeredUrl?: string
  readonly junit?: string
  readonly html?: string
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
  return (
    /[/\\]|\.json$/i.test(which) ||
    (which !== '' && !/^[a-z][a-z0-9-]*$/.test(which)) ||
    existsSync(which)
  )
}

/**
 * Reads a flow file. A device or a pipe may never end, so this reads only regular files, up to the size limit. Rejects with
 * `INVALID_FLOW`.
 */
async function readFlowFile(file: string): Promise<string> {
  // Opening a pipe must not wait for a writer. Windows has neither the flag nor such pipes.
  const handle = await open(
    file,
    constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK),
  )
  try {
    const found = await handle.stat()
    if (!found.isFile() && !found.isDirectory())
      throw new AppError(
        'INVALID_FLOW',
        `${file} is not a regular file. Pass the flow's JSON file.`,
      )
    const pieces: Uint8Array[] = []
    // Counts the bytes read: files in /proc have a size of 0.
    for await (const piece of handle.createReadStream({ end: FLOW_FILE_BYTES, autoClose: false }))
      pieces.push(piece as Buffer)
    const bytes = Buffer.concat(pieces)
    if (bytes.length > FLOW_FILE_BYTES)
      throw new AppError(
        'INVALID_FLOW',
        `${file} is larger than 1 MiB. Split it into smaller flows.`,
      )
    return bytes.toString('utf8')
  } catch (error) {
    throw aboutFile(error, file)
  } finally {
    await handle.close()
  }
}

/** `which` is null for all flows. */
async function readWish(
  context: CommandContext,
  which: string | null,
  options: RunOptions,
): Promise<InputOf<'flows.start'>> {
  const { handler, registeredUrl, speed, environment } = options
  if (
    handler === undefined &&
    (registeredUrl ?? options.targetCa ?? options.secret ?? options.secretFile) !== undefined
  )
    throw new UsageError('--secret, --registered-url and --target-ca need --handler URL.')
  const { targetCa, ...consent } = await readTargetOptions(options)
  return {
    ...(which === null
      ? {}
      : isFile(which)
        ? { source: { text: await readFlowFile(which), file: which, path: resolve(which) } }
        : { name: which }),
    ...(environment === undefined ? {} : { environment }),
    ...(options.set === undefined ? {} : { literals: options.set }),
    speed,
    handler:
      handler === undefined
        ? null
        : {
            url: handler,
            registeredUrl: registeredUrl ?? null,
            secret: await readEndpointSecret(context, handler, options),
            targetCa,
          },
    ...consent,
  }
}

async function writeReports(run: FlowRun, options: RunOptions, version: string): Promise<void> {
  const wanted: [FlowReportFormat, string | undefined][] = [
    ['junit', options.junit],
    ['mermaid', options.mermaid],
  ]
  for (const [format, file] of wanted)
    if (file !== undefined) await writeFile(file, reportFlow(run, format, version))
}

function createStepPrinter(output: Output): Parameters<typeof followFlow>[2] {
  const columns = createColumns(output)
  columns([widestStep])
  return {
    step(step) {
      output.lines(columns([stepCells(step)]))
      for (const note of stepNotes(step)) output.line(`    ${note}`)
    },
    ask: (text) => output.note(`Next: ${plainWords(text)}`),
  }
}

// Follows a flow run to its end and prints each step once it is done.

/** Milliseconds between checks in case an event is missed. */
const LOOK_MS = 500

interface FlowListener {
  step(step: FlowRunStep): void
  /** Shows what the user must do at a real account. */
  ask(text: string): void
}

/** The first Ctrl+C aborts the signal. */
function interruptible<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  return cancellable(
    () => stopping.abort(),
    () => work(stopping.signal),
  )
}

/**
 * Resolves with the finished run. Cancelling it removes what it created. Rejects with `DISCONNECTED` if Countersign stops.
 */
async function followFlow(
  { client, closed }: Session,
  started: FlowRun,
  listener: FlowListener,
  stopped: AbortSignal,
): Promise<FlowRun> {
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
  const cancel = () => void client.call('flows.cancel', { runId }).catch(() => undefined)
  const stopListening = client.on('flows.changed', ({ run }) => {
    if (run.id === runId) look(run)
  })
  const timer = setInterval(
    () => void client.call('flows.run', { runId }).then(({ run }) => look(run), ended.reject),
    LOOK_MS,
  )
  void closed.then(() =>
    ended.reject(new AppError('DISCONNECTED', 'Countersign stopped during the run. Run it again.')),
  )
  look(started)
  stopped.addEventListener('abort', cancel)
  if (stopped.aborted) cancel()
  try {
    return await ended.promise
  } finally {
    stopped.removeEventListener('abort', cancel)
    stopListening()
    clearInterval(timer)
  }
}

const silent: FlowListener = { step: () => undefined, ask: () => undefined }

/** The runs before these that tell what changed. */
const RUNS_BEFORE = 500

/** Runs all built-in flows one after the other, prints a line for each, and writes one report. */
async function runAll(context: CommandContext, options: RunOptions): Promise<void> {
  const { output } = context
  const { environment: _, literals = {}, ...wish } = await readWish(context, null, options)
  const [{ builtInFlows }, { literalsFor }] = await Promise.all([
    import('../../core/flows/built-in/index.ts'),
    import('../../core/flows/run-flow.ts'),
  ])
  const rows = builtInFlows().map(({ flow }): FlowRow => ({
    flow,
    run: null,
    outcome: null,
    happened: '',
  }))
  const idle = Object.keys(literals).find(
    (path) => !rows.some(({ flow }) => path in literalsFor(flow, literals)),
  )
  if (idle !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `None of these flows has the input or field ${idle}. Check the path.`,
    )
  const columns = createColumns(output)
  columns([widestRow])
  const changes: FlowChange[] = []
  await withReceiver(context, options, async (session) => {
    const { client } = session
    const { runs } = await client.call('flows.runs', { limit: RUNS_BEFORE })
    const runRow = async ({ flow }: FlowRow, stopped: AbortSignal): Promise<FlowRow> => {
      if (flow.mode === 'live' && wish.live !== true)
        return { flow, run: null, outcome: 'skip', happened: 'Live-mode payloads not allowed.' }
      try {
        const started = await client.call('flows.start', {
          ...wish,
          name: flow.name,
          literals: literalsFor(flow, literals),
        })
        const run = await followFlow(session, started.run, silent, stopped)
        return { flow, run, outcome: run.outcome, happened: run.happened }
      } catch (error) {
        // What keeps the first flow from running keeps all of them.
        if (!(error instanceof AppError) || rows.every(({ run }) => run === null)) throw error
        return { flow, run: null, outcome: 'fail', happened: error.message }
      }
    }
    await interruptible(async (stopped) => {
      for (const [index, waiting] of rows.entries()) {
        if (stopped.aborted) break
        const row = await runRow(waiting, stopped)
        rows[index] = row
        if (row.outcome === null) break
        const change = row.run === null ? null : flowChangeOf(row.run, runs)
        if (change !== null) changes.push(change)
        if (options.json === true) output.json(rowJson(row, change))
        else output.lines(columns([rowCells(row, change)]))
      }
    })
  })
  if (options.json !== true) printAllEnd(output, rows, changes, options.handler !== undefined)
  if (options.junit !== undefined) await writeFile(options.junit, reportAllFlows(rows))
  const live = rows.filter(({ outcome }) => outcome === 'skip').length
  if (live > 0) output.note(`${counted(live, 'live-mode flow')} skipped. Add --live to run them.`)
  if (rows.some(({ outcome }) => outcome === null))
    throw new AppError('CANCELLED', 'Run cancelled. Only the flows above are complete.')
  context.exit(rows.some(({ outcome }) => outcome === 'fail') ? EXIT.no : EXIT.done)
}

/** Options that make no sense for all flows. */
const SINGLE = ['environment', 'html', 'mermaid'] as const

/** Rejects a selection that isn't exactly one flow or all. */
function checkSelection(which: string | undefined, options: RunOptions): void {
  if (which !== undefined && options.all === true)
    throw new UsageError('Use either a flow or --all.')
  if (which === undefined && options.all !== true)
    throw new UsageError('Name a flow, or use --all to run all built-in flows.')
  const single =
    options.all === true ? SINGLE.find((name) => options[name] !== undefined) : undefined
  if (single !== undefined)
    throw new UsageError(`--${single} needs a single flow. Leave out --all.`)
}
