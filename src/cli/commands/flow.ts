/** `countersign flow`: lists and runs flows, and shows their runs. */
import type { Command, CommandContext, DataOption } from '../context.ts'
import { given, readOnce } from '../arguments.ts'
import { flowCells, printEnd, runCells, runJson, stepCells, stepNotes } from '../flow-text.ts'
import { createColumns } from '../output.ts'
import { withExistingData, withKeptData } from '../session.ts'
import { addFlowRun } from './flow-run.ts'

const RUNS_SHOWN = 50

function addFlowList(flow: Command, context: CommandContext): void {
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
}

function addFlowRuns(flow: Command, context: CommandContext): void {
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
}

function addFlowShow(flow: Command, context: CommandContext): void {
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

export function add(command: Command, context: CommandContext): void {
  const flow = command.description(
    'Run test-mode flows: trigger events and check the deliveries they cause.',
  )
  addFlowList(flow, context)
  addFlowRun(flow, context)
  addFlowRuns(flow, context)
  addFlowShow(flow, context)
}
