/** Flows, built in or from files, and their runs. */
import { AppError } from '../../shared/contract/errors.ts'
import {
  flowRunSchema,
  flowRunSummarySchema,
  type FlowPlan,
  type FlowRun,
  type FlowRunSummary,
  type FlowSpeed,
  type FlowSummary,
} from '../../shared/model/flow.ts'
import { createRuns, type StartedRun } from '../base/runs.ts'
import { isAlive } from '../base/processes.ts'
import { parsedBy, readRow, readRows } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { builtInFlows, findFlow, type Which } from './built-in/index.ts'
import { planOf, flowSummary } from './plan.ts'
import {
  type RunningFlow,
  createRunStarter,
  type ReadyRun,
  type RunStarterDeps,
  type StartInput,
} from './run-flow.ts'

interface FlowsDeps extends RunStarterDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  /** Called with a run's progress, at most ten times per second, and at its end. */
  onChanged(run: FlowRun): void
}

export type Flows = ReturnType<typeof createFlows>

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

export function createFlows(deps: FlowsDeps) {
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
    await keep(run).catch((error: unknown) =>
      deps.log.warn("Couldn't store a flow's result.", {
        run: id,
        reason: (error as Error).message,
      }),
    )
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
      stopped.addEventListener('abort', () => running.cancel())
      if (stopped.aborted) running.cancel()
      return walk(ready)
    })
    return running.state()
  }

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
    const read = (text: string) => parsedBy(flowRunSchema, 'flow_runs.run', text)
    return asItIs(readRow(`Run ${runId}`, run, read), owner)
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
    list: (): FlowSummary[] => builtInFlows().map(({ flow }) => flowSummary(flow, true)),
    get(which: Which): FlowPlan {
      const { flow, origin, source } = findFlow(which)
      return planOf(flow, origin, source)
    },
    async start(input: StartInput): Promise<FlowRun> {
      if (runs.closing.aborted) throw closing()
      return runs.track(begin(input))
    },
    step: (runId: string): Promise<FlowRun> => steer(runId, (running) => running.step()),
    pause: (runId: string): Promise<FlowRun> => steer(runId, (running) => running.pause()),
    resume: (runId: string): Promise<FlowRun> => steer(runId, (running) => running.resume()),
    setSpeed: (runId: string, speed: FlowSpeed): Promise<FlowRun> =>
      steer(runId, (running) => running.setSpeed(speed)),
    /** Resolves when the run has ended. */
    async cancel(runId: string): Promise<FlowRun> {
      const run = activeRun(runId)
      run.cancel()
      return run.ended
    },
    runs: async (input: {
      readonly flow: string | undefined
      readonly limit: number
    }): Promise<FlowRunSummary[]> =>
      readRows(await store.read('flowRuns', input), ({ run, owner }) => {
        const kept = parsedBy(flowRunSummarySchema, 'flow_runs.summary', run)
        const live = runs.get(kept.id)
        return live === undefined ? asItIs(kept, owner) : summaryOfRun(live.state.running.state())
      }),
    run: runOf,
    flowRunOf: starter.flowRunOf,
    /** Called for every delivery once it is stored. */
    stored: starter.stored,
    /** Ends the runs in the sandbox: somebody reset it. */
    sandboxReset() {
      for (const running of inSandbox)
        running.cancel('The sandbox was reset during the run. Run the flow again.')
    },
    /** Called when the receiver has responded to a stored delivery, or its sender is gone. */
    answered: starter.answered,
    /** Cancels active runs and waits for them to end. No run starts after this. */
    close: runs.close,
  }
}

/** A run without its steps, for lists. */
function summaryOfRun(run: FlowRun): FlowRunSummary {
  // The schema drops what a summary doesn't have.
  return flowRunSummarySchema.parse(run)
}
