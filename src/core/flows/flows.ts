/** Flows, built in or from files, and their runs. */
import { AppError } from '../../shared/contract/errors.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import {
  flowRunSchema,
  flowRunSummarySchema,
  type FlowPlan,
  type FlowRun,
  type FlowRunComparison,
  type FlowRunSummary,
  type FlowSpeed,
  type FlowSummary,
  type FlowChange,
  type FlowGroup,
  type FlowComparisonRow,
  type FlowRunStep,
} from '../../shared/model/flow-run.ts'
import { createRuns, type StartedRun } from '../base/runs.ts'
import { isAlive } from '../base/processes.ts'
import type { Store } from '../store/store.ts'
import { builtInFlows, findFlow, type Which } from './built-in/index.ts'
import { createFlowGroups, type FlowGroups } from './flow-groups.ts'
import type { ReceiverAnswer } from './arrivals.ts'
import { planOf, flowSummary } from './plan.ts'
import type { RunningFlow } from './run-flow.ts'
import {
  createRunStarter,
  type ReadyRun,
  type RunStarterDeps,
  type StartInput,
} from './start-run.ts'
import { flowChangeOf, isFailedStep } from '../../shared/model/outcomes.ts'

interface FlowsDeps extends RunStarterDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  /** Called with a run's progress, at most ten times per second, and at its end. */
  onChanged(run: FlowRun): void
  /** The same for a group of runs. */
  onGroupChanged(group: FlowGroup): void
}

export interface Flows {
  list(): FlowSummary[]
  get(which: Which): FlowPlan
  start(input: StartInput): Promise<FlowRun>
  step(runId: string): Promise<FlowRun>
  pause(runId: string): Promise<FlowRun>
  resume(runId: string): Promise<FlowRun>
  setSpeed(runId: string, speed: FlowSpeed): Promise<FlowRun>
  /** Resolves when the run has ended. */
  cancel(runId: string): Promise<FlowRun>
  runs(input: {
    readonly flow: string | undefined
    readonly limit: number
  }): Promise<FlowRunSummary[]>
  run(runId: string): Promise<FlowRun>
  compare(before: string, after: string): Promise<FlowRunComparison>
  /** Many flows run as one. */
  readonly groups: Omit<FlowGroups, 'close'>
  /** Called for every delivery once it is stored. */
  stored(row: DeliveryRow): void
  /** Called when the receiver has responded to a stored delivery, or its sender is gone. */
  answered(row: DeliveryRow, answer: ReceiverAnswer): void
  /** Ends the runs in the sandbox: somebody reset it. */
  sandboxReset(): void
  /** Cancels active runs and waits for them to end. No run starts after this. */
  close(): Promise<void>
}

function closing(): AppError {
  return new AppError(
    'NOT_RUNNING',
    'Countersign is shutting down. Start it again, then run the flow.',
  )
}

interface LiveRun {
  readonly running: RunningFlow
  /** The run's latest state. Its end is shown only once stored. */
  latest: FlowRun
}

export function createFlows(deps: FlowsDeps): Flows {
  const { store } = deps
  const starter = createRunStarter(deps)
  const runs = createRuns<LiveRun, FlowRun>({
    onProgress: ({ state }) => deps.onChanged(state.latest),
    onFailed(error) {
      deps.log.bug(error, 'the end of a flow')
      throw error
    },
    onEnded: (_, run) => deps.onChanged(run),
  })
  const inSandbox = new Set<RunningFlow>()
  const keep = (run: FlowRun) => store.write('putFlowRun', { run, owner: process.pid })

  /** Resolves with the run's end, even if something couldn't be closed or stored. */
  async function walk({ id, running, dispose }: ReadyRun): Promise<FlowRun> {
    const run = await running.run()
    inSandbox.delete(running)
    await dispose().catch((error: unknown) => deps.log.bug(error, 'removing what a flow created'))
    await keep(run).catch((error: unknown) => {
      deps.log.warn("Couldn't store a flow's result.", {
        run: id,
        reason: (error as Error).message,
      })
    })
    return run
  }

  async function begin(input: StartInput): Promise<FlowRun> {
    const ready = await starter.begin(input, findFlow(input), (run) => {
      const live = runs.get(run.id)
      if (live === undefined) return
      live.state.latest = run
      live.progress()
    })
    const { id, running, dispose } = ready
    try {
      if (runs.closing.aborted) throw closing()
      await keep(running.state())
    } catch (error) {
      await dispose()
      throw error
    }
    if (running.state().target === 'sandbox') inSandbox.add(running)
    runs.start(id, { running, latest: running.state() }, ({ stopped }) => {
      stopped.addEventListener('abort', () => {
        running.cancel()
      })
      if (stopped.aborted) running.cancel()
      return walk(ready)
    })
    return running.state()
  }

  async function start(input: StartInput): Promise<FlowRun> {
    if (runs.closing.aborted) throw closing()
    return runs.track(begin(input))
  }

  const groups = createFlowGroups({
    ...{ store, clock: deps.clock, ids: deps.ids, log: deps.log, onChanged: deps.onGroupChanged },
    async start(input) {
      const run = await start(input)
      const live = runs.get(run.id)
      return {
        run,
        ended: live?.ended ?? runOf(run.id),
        cancel() {
          live?.cancel()
        },
      }
    },
  })

  function activeRun(runId: string): StartedRun<LiveRun, FlowRun> {
    const found = runs.get(runId)
    if (found !== undefined) return found
    throw new AppError(
      'NOT_FOUND',
      `Run ${runId} isn't in progress. "countersign flow runs" lists all runs.`,
    )
  }

  async function runOf(runId: string): Promise<FlowRun> {
    const live = runs.get(runId)
    if (live !== undefined) return live.state.running.state()
    const { run, owner } = await store.read('flowRun', runId)
    return asItIs(flowRunSchema.parse(JSON.parse(run)), owner)
  }

  /** A run whose process is gone was interrupted. */
  function asItIs<T extends FlowRunSummary>(kept: T, owner: number): T {
    const isOpen = kept.state === 'running' || kept.state === 'paused'
    return isOpen && (owner === process.pid || !isAlive(owner))
      ? { ...kept, state: 'interrupted', summary: 'Countersign stopped before the run finished.' }
      : kept
  }

  const steer = async (
    runId: string,
    work: (running: RunningFlow) => Promise<void> | void,
  ): Promise<FlowRun> => {
    const { running } = activeRun(runId).state
    await work(running)
    return running.state()
  }

  return {
    list: () => builtInFlows().map(({ flow }) => flowSummary(flow, true)),
    get(which) {
      const { flow, origin, source } = findFlow(which)
      return planOf(flow, origin, source)
    },
    start,
    step: (runId) => steer(runId, (running) => running.step()),
    pause: (runId) => steer(runId, (running) => running.pause()),
    resume: (runId) => steer(runId, (running) => running.resume()),
    setSpeed: (runId, speed) => steer(runId, (running) => running.setSpeed(speed)),
    async cancel(runId) {
      const run = activeRun(runId)
      run.cancel()
      return run.ended
    },
    runs: async (input) =>
      (await store.read('flowRuns', input)).map(({ run, owner }) => {
        const kept = flowRunSummarySchema.parse(JSON.parse(run))
        const live = runs.get(kept.id)
        return live === undefined ? asItIs(kept, owner) : summaryOfRun(live.state.running.state())
      }),
    run: runOf,
    async compare(before, after) {
      const [left, right] = [await runOf(before), await runOf(after)]
      const nameOf = ({ flow, origin }: FlowRun) =>
        origin === null ? flow : `${flow} of ${origin}`
      // A moved file is still the same flow. A file named like a built-in flow is another flow.
      if (left.flow !== right.flow || (left.origin === null) !== (right.origin === null))
        throw new AppError(
          'INVALID_INPUT',
          `${before} is a run of ${nameOf(left)}, ${after} of ${nameOf(right)}. Compare two runs of the same flow.`,
        )
      return compareRuns(left, right)
    },
    stored: starter.stored,
    sandboxReset() {
      for (const running of inSandbox)
        running.cancel('The sandbox was reset during the run. Run the flow again.')
    },
    groups,
    async close() {
      await Promise.all([groups.close(), runs.close()])
    },
    answered: starter.answered,
  }
}

// Compares two runs of a flow step by step, by outcome and by the rule that failed. Data such as ids,
// card numbers and durations differs from run to run and is not compared.

function messageOf(change: FlowChange, before: FlowRunStep, after: FlowRunStep): string {
  if (change === 'fixed') return `Before: ${before.message}`
  if (change === 'still-failing' && before.rule !== after.rule)
    return `Before: ${before.message} Now: ${after.message}`
  if (change === 'skipped' && before.outcome !== after.outcome)
    return `Before: ${before.message} Now: ${after.message}`
  return isFailedStep(after) ? after.message : ''
}

function rowOf(
  name: string,
  before: FlowRunStep | null,
  after: FlowRunStep | null,
): FlowComparisonRow {
  const title = after?.title ?? before?.title ?? name
  if (before === null)
    return { name, title, before, after, change: 'added', message: 'Only in the later run.' }
  if (after === null)
    return { name, title, before, after, change: 'removed', message: 'Only in the earlier run.' }
  const change = flowChangeOf(before, after)
  return { name, title, before, after, change, message: messageOf(change, before, after) }
}

/** Compares a run with an earlier one of the same flow. */
export function compareRuns(before: FlowRun, after: FlowRun): FlowRunComparison {
  const names = [...new Set([...before.steps, ...after.steps].map(({ name }) => name))]
  const named = (run: FlowRun, name: string) => run.steps.find((step) => step.name === name) ?? null
  return {
    before: summaryOfRun(before),
    after: summaryOfRun(after),
    rows: names.map((name) => rowOf(name, named(before, name), named(after, name))),
  }
}

/** A run without its steps, for lists. */
function summaryOfRun(run: FlowRun): FlowRunSummary {
  // The schema drops what a summary doesn't have.
  return flowRunSummarySchema.parse(run)
}
