/** `countersign flow`: lists and runs flows, and shows their runs. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { reportAllFlows, type FlowRow } from '../../core/flows/reports.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import { checkCommands } from '../../shared/contract/nouns/check.ts'
import { flowCommands } from '../../shared/contract/nouns/flows.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { FLOW_FILE_BYTES } from '../../shared/model/flow.ts'
import type { FlowChange, FlowRun, FlowRunStep, FlowSpeed } from '../../shared/model/flow-run.ts'
import { plainWords } from '../../shared/flow-diagram/words.ts'
import { flowChangeOf } from '../../shared/model/flow-outcomes.ts'
import { counted } from '../../shared/text/english.ts'
import { defineCommand, defineGroup, JSON_LINES } from '../command.ts'
import { EXIT, UsageError, type ExitCode } from '../context.ts'
import {
  createStepPrinter,
  flowCells,
  printAllEnd,
  printEnd,
  rowCells,
  rowJson,
  runCells,
  runJson,
  widestRow,
} from '../flow-text.ts'
import { cancellable, followRun } from '../lifetime.ts'
import {
  argument,
  nonBlankOption,
  flagOption,
  textOption,
  parsedOption,
  type ValuesOf,
} from '../options/input.ts'
import { optionsOf } from '../options/field-options.ts'
import { readEndpointSecret, secretOptions } from '../options/secret-options.ts'
import { readNamedFile } from '../options/input-files.ts'
import { readSpeed } from '../options/value-readers.ts'
import { writeOutput } from '../output-file.ts'
import { checkReportFiles } from '../report-files.ts'
import type { CommandRun, Session } from '../session.ts'

const RUNS_SHOWN = 50

function readFlowSpeed(words: string): FlowSpeed {
  if (words === 'max') return words
  try {
    return readSpeed(words)
  } catch {
    throw new InvalidArgumentError('Expected a number above 0, at most 100000, or max.')
  }
}

/** Whether the argument is a file: it exists or resembles a path. */
function isFile(which: string): boolean {
  return (
    /[/\\]|\.json$/i.test(which) ||
    (which !== '' && !/^[a-z][a-z0-9-]*$/.test(which)) ||
    existsSync(which)
  )
}

/**
 * Reads a flow from a regular file; a device or pipe may never end. Rejects with `INVALID_FLOW`.
 */
async function readFlowFile(file: string): Promise<string> {
  const fileStats = await stat(file)
  if (!fileStats.isFile() && !fileStats.isDirectory())
    throw new AppError('INVALID_FLOW', `${file} is not a regular file. Pass the flow's JSON file.`)
  const bytes = fileStats.size > FLOW_FILE_BYTES ? null : readNamedFile(file)
  if (bytes === null || bytes.length > FLOW_FILE_BYTES)
    throw new AppError('INVALID_FLOW', `${file} is larger than 1 MiB. Split it into smaller flows.`)
  return bytes.toString('utf8')
}

const args = {
  which: argument('[flow]', 'name of a built-in flow, or a file (see docs/flow-reference.md)'),
}

const reportOptions = {
  junit: nonBlankOption('<file>', 'write a JUnit report'),
  html: nonBlankOption('<file>', 'write an HTML report'),
}

const options = {
  all: flagOption('run all built-in flows and print a line for each'),
  speed: parsedOption('<n>', 'sandbox seconds per real second, or max', readFlowSpeed).default(
    'max',
  ),
  ...optionsOf(flowCommands['flows.start'].input),
  handler: textOption(
    '<url>',
    'your endpoint: a URL or @NAME that receives the deliveries, and whose responses are checked (default: none)',
  ),
  registeredUrl: textOption(
    '<url>',
    "registered URL of the signature (default: the hook's, else your handler's)",
  ),
  requireHandler: flagOption('exit with 1 if no --handler is given, because nothing is checked'),
  ...secretOptions,
  ...optionsOf(
    checkCommands['check.start'].input.pick({ hookIds: true, prefix: true, targetCa: true }),
  ),
  ...reportOptions,
}

type RunInput = ValuesOf<typeof args> & ValuesOf<typeof options>

async function readStartInput(input: RunInput, run: CommandRun): Promise<InputOf<'flows.start'>> {
  const { which, handler, speed, environment, literals, allowHosts, live } = input
  const { registeredUrl, secret, secretFile, hookIds, prefix, targetCa } = input
  if (
    handler === undefined &&
    (registeredUrl ?? targetCa ?? secret ?? secretFile ?? prefix ?? hookIds[0]) !== undefined
  )
    throw new UsageError(
      '--secret, --hook, --prefix, --registered-url and --target-ca need --handler URL.',
    )
  const flow =
    which === undefined
      ? {}
      : isFile(which)
        ? { source: { text: await readFlowFile(which), file: which, path: resolve(which) } }
        : { name: which }
  const endpoint = handler !== undefined && {
    url: handler,
    registeredUrl,
    secret: await readEndpointSecret(run, handler, input),
    hookIds,
    prefix,
    targetCa,
  }
  return { ...flow, environment, literals, speed, handler: endpoint || null, allowHosts, live }
}

/**
 * Resolves with the finished run. The first Ctrl+C cancels it, which removes what it created.
 * `onAsk` gets what the user must do at a real account. Rejects with `DISCONNECTED`.
 */
export function followFlow(
  session: Session,
  runId: string,
  onStep?: (step: FlowRunStep) => void,
  onAsk?: (text: string) => void,
): Promise<FlowRun> {
  const { client } = session
  let printed = 0
  let asked: string | null = null
  return followRun(session, {
    event: 'flows.changed',
    async read() {
      const { run } = await client.call('flows.run', { runId })
      // Steps are printed in order, so a finished step waits for earlier ones.
      for (let step = run.steps[printed]; step?.state === 'done'; step = run.steps[printed]) {
        onStep?.(step)
        printed++
      }
      if (run.ask !== null && run.ask !== asked) onAsk?.(run.ask)
      asked = run.ask
      return run.endedAt === null ? undefined : run
    },
    cancel: () => client.call('flows.cancel', { runId }),
    gone: () => 'Countersign stopped during the run. Run it again.',
  })
}

const RUNS_BEFORE = 500

/** Returns the exit code of a run without failures, which may have had no handler to check. */
function exitUnlessUnchecked(
  { handler, requireHandler }: RunInput,
  { output }: CommandRun,
): ExitCode {
  if (!requireHandler || handler !== undefined) return EXIT.done
  output.note('--require-handler: nothing was checked. Add --handler URL.')
  return EXIT.negative
}

/** Runs all built-in flows one after the other and writes one report. */
async function runAll(input: RunInput, run: CommandRun): Promise<ExitCode> {
  const { output } = run
  const { environment: _, literals = {}, ...startInput } = await readStartInput(input, run)
  const [{ builtInFlows }, { literalsFor }] = await Promise.all([
    import('../../core/flows/built-in/index.ts'),
    import('../../core/flows/cause-steps.ts'),
  ])
  const rows = builtInFlows().map(({ flow }): FlowRow => ({
    flow,
    run: null,
    outcome: null,
    happened: '',
  }))
  const unusedPath = Object.keys(literals).find(
    (path) => !rows.some(({ flow }) => path in literalsFor(flow, literals)),
  )
  if (unusedPath !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `None of these flows has the input or field ${unusedPath}. Check the path.`,
    )
  const session = await run.openReceiver()
  const { client } = session
  const { runs } = await client.call('flows.runs', { limit: RUNS_BEFORE })
  let isStopped = false
  const runRow = async ({ flow }: FlowRow): Promise<FlowRow> => {
    if (flow.mode === 'live' && startInput.live !== true)
      return { flow, run: null, outcome: 'skip', happened: 'Live-mode payloads not allowed.' }
    try {
      const flowInput = { name: flow.name, literals: literalsFor(flow, literals) }
      const { id: runId } = (await client.call('flows.start', { ...startInput, ...flowInput })).run
      // Cancels a run that was stopped while it started, because nothing follows it yet.
      if (isStopped) await client.call('flows.cancel', { runId })
      const ended = await followFlow(session, runId)
      return { flow, run: ended, outcome: ended.outcome, happened: ended.happened }
    } catch (error) {
      // An error before the first run would stop all other flows too.
      if (!(error instanceof AppError) || rows.every((row) => row.run === null)) throw error
      return { flow, run: null, outcome: 'fail', happened: error.message }
    }
  }
  type ChangedRow = readonly [row: FlowRow, change: FlowChange | null]
  const print = output.printer<ChangedRow>(
    (changed) => rowCells(...changed),
    (changed) => rowJson(...changed),
    widestRow,
  )
  const changes: FlowChange[] = []
  const stop = () => {
    isStopped = true
  }
  await cancellable(stop, async () => {
    for (const [index, waiting] of rows.entries()) {
      if (isStopped) break
      const row = await runRow(waiting)
      rows[index] = row
      if (row.outcome === null) break
      const change = row.run === null ? null : flowChangeOf(row.run, runs)
      if (change !== null) changes.push(change)
      print([[row, change]])
    }
  })
  if (!output.asJson)
    printAllEnd(output, rows, changes, { hasHandler: input.handler !== undefined })
  if (input.junit !== undefined) await writeOutput(input.junit, reportAllFlows(rows), 'shared')
  const live = rows.filter(({ outcome }) => outcome === 'skip').length
  if (live > 0) output.note(`${counted(live, 'live-mode flow')} skipped. Add --live to run them.`)
  if (rows.some(({ outcome }) => outcome === null))
    throw new AppError('CANCELLED', 'Run cancelled. Only the flows above are complete.')
  if (rows.some(({ outcome }) => outcome === 'fail')) return EXIT.negative
  return exitUnlessUnchecked(input, run)
}

/** Options that need a single flow. */
const SINGLE_FLOW_OPTIONS = ['environment', 'html'] as const

function checkSelection({ which, all, ...input }: RunInput): void {
  if (which !== undefined && all) throw new UsageError('Use either a flow or --all.')
  if (which === undefined && !all)
    throw new UsageError('Name a flow, or use --all to run all built-in flows.')
  const misplaced = all ? SINGLE_FLOW_OPTIONS.find((name) => input[name] !== undefined) : undefined
  if (misplaced !== undefined)
    throw new UsageError(`--${misplaced} needs a single flow. Leave out --all.`)
}

export const add = defineGroup(
  'Run test-mode flows: trigger events and check the deliveries they cause.',
  {
    list: defineCommand({
      summary: 'list flows',
      description: 'List the built-in flows and your own: name, mode, where they run, and title.',
      examples: [['List all flows', 'flow list']],
      json: JSON_LINES,
      async run(_, { findData, output }) {
        const session = await findData(null)
        if (session !== null)
          return output.list((await session.client.call('flows.list', {})).flows, flowCells)
        const { builtInFlows } = await import('../../core/flows/built-in/index.ts')
        const { flowSummary } = await import('../../core/flows/plan.ts')
        output.list(
          builtInFlows().map(({ flow }) => flowSummary(flow, { isBuiltIn: true })),
          flowCells,
        )
      },
    }),

    run: defineCommand({
      summary: 'run a flow, or all of them',
      description:
        'Run a built-in flow, a flow file, or all built-in flows: trigger events and check the deliveries they cause. Sandbox runs are isolated: they use their own objects, hooks and clock. With --environment, the run waits for real deliveries and tells you what to do.',
      exits: { 1: 'an expectation fails; with --all, if a flow fails' },
      examples: [
        ['Run a built-in flow', 'flow run purchase-visa'],
        [
          'Forward its deliveries to your handler and write a JUnit report',
          'flow run purchase-visa --handler http://127.0.0.1:3000/webhooks --secret-file secret.txt --junit flow.xml',
        ],
        ['Run your own flow', 'flow run ./my-flow.json --html flow.html'],
        ['Run all built-in flows', 'flow run --all --junit flows.xml'],
      ],
      json: 'print a JSON object; with --all, JSON Lines',
      args,
      options,
      async run(input, run) {
        const { output } = run
        checkSelection(input)
        await checkReportFiles([input.junit, input.html])
        if (input.all) return runAll(input, run)
        const startInput = await readStartInput(input, run)
        const session = await run.openReceiver()
        const { client } = session
        const started = await client.call('flows.start', startInput)
        const ended = await followFlow(
          session,
          started.run.id,
          output.asJson ? undefined : createStepPrinter(output),
          (words) => output.note(`Next: ${plainWords(words)}`),
        )
        output.result(runJson(ended), () => printEnd(output, ended))
        for (const format of ['junit', 'html'] as const) {
          const file = input[format]
          if (file === undefined) continue
          const report = await client.call('flows.report', { runId: ended.id, format })
          await writeOutput(file, report.text, 'shared')
        }
        if (ended.state === 'cancelled')
          throw new AppError('CANCELLED', 'Run cancelled. Only the steps above are complete.')
        return ended.outcome === 'pass' ? exitUnlessUnchecked(input, run) : EXIT.negative
      },
    }),

    runs: defineCommand({
      summary: 'list the last runs',
      description: 'List the last 50 runs, newest first.',
      examples: [['List the last runs of a flow', 'flow runs --flow purchase-visa']],
      json: JSON_LINES,
      options: optionsOf(flowCommands['flows.runs'].input),
      async run({ flow }, { findData, output }) {
        const session = await findData('No flow runs yet')
        if (session === null) return
        const { runs } = await session.client.call('flows.runs', { limit: RUNS_SHOWN, flow })
        output.list(runs, runCells)
      },
    }),

    show: defineCommand({
      summary: 'show a run',
      description: 'Show a run step by step.',
      examples: [['Show a run', 'flow show "$RUN"']],
      args: { runId: argument('<run>', 'run ID') },
      async run({ runId }, { needData, output }) {
        const { client } = await needData(`Run "${runId}" not found`)
        const { run } = await client.call('flows.run', { runId })
        output.result(runJson(run), () => {
          const print = createStepPrinter(output)
          for (const step of run.steps) print(step)
          printEnd(output, run)
        })
      },
    }),
  },
)
