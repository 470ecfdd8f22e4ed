/** Flows: the built-in ones and those of files, their runs, and what is kept of them. */
import { AppError } from '../../shared/contract/errors.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { FlowPlan, FlowRun, FlowRunComparison, FlowRunSummary, FlowSpeed, FlowSummary } from '../../shared/model/flow-run.ts'
import { isProcess } from '../processes.ts'
import type { Store } from '../store/store.ts'
import { builtInFlows } from './built-in/index.ts'
import { compareRuns } from './compare-runs.ts'
import { findFlow, type Which } from './flow-source.ts'
import { planOf, summaryOf } from './plan.ts'
import type { RunningFlow } from './run-flow.ts'
import { summaryOfRun } from './run-summary.ts'
import { createRunStarter, type ReadyRun, type RunStarterDeps, type StartInput } from './start-run.ts'
import { createTelling, type Telling } from './telling.ts'

export interface FlowsDeps extends RunStarterDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  /** Hears how a run stands: ten times a second at most while it goes, and when it has ended. */
  onChanged(run: FlowRun): void
}

export interface Flows {
  list(): FlowSummary[]
  get(which: Which): FlowPlan
  start(input: StartInput): Promise<FlowRun>
  step(runId: string): Promise<FlowRun>
  pause(runId: string): Promise<FlowRun>
  resume(runId: string): Promise<FlowRun>
  setSpeed(runId: string, speed: FlowSpeed): Promise<FlowRun>
  /** Resolves once it has ended. */
  cancel(runId: string): Promise<FlowRun>
  runs(input: { readonly flow: string | undefined; readonly limit: number }): Promise<FlowRunSummary[]>
  run(runId: string): Promise<FlowRun>
  compare(before: string, after: string): Promise<FlowRunComparison>
  /** Hears of each delivery once it is stored. */
  stored(row: DeliveryRow): void
  /** Cancels what goes, and waits for its end; nothing begins any more. */
  close(): Promise<void>
}

interface Going {
  readonly running: RunningFlow
  readonly ended: Promise<FlowRun>
}

function closing(): AppError {
  return new AppError('NOT_RUNNING', 'The program is ending, so no flow begins. Start it again, and run the flow then.')
}

export function createFlows(deps: FlowsDeps): Flows {
  const { store } = deps
  const going = new Map<string, Going>()
  const starter = createRunStarter(deps)
  const starting = new Set<Promise<unknown>>()
  let isClosing = false
  const keep = (run: FlowRun) => store.write('putFlowRun', { run, owner: process.pid })

  /** Walks to the end, and says how it ended whatever can be closed or written by then. */
  async function walk({ id, running, letGo }: ReadyRun, telling: Telling): Promise<FlowRun> {
    const run = await running.run()
    await letGo().catch((error: unknown) => deps.log.bug(error, 'taking away what a flow had made'))
    await keep(run).catch((error: unknown) => {
      deps.log.warn('How a flow ended could not be kept.', { run: id, reason: (error as Error).message })
    })
    going.delete(id)
    telling.last(run)
    return run
  }

  async function begin(input: StartInput): Promise<FlowRun> {
    const telling = createTelling((run) => deps.onChanged(run))
    const ready = await starter.begin(input, findFlow(input), telling.tell)
    const { id, running, letGo } = ready
    try {
      if (isClosing) throw closing()
      await keep(running.state())
    } catch (error) {
      await letGo()
      throw error
    }
    const ended = walk(ready, telling)
    ended.catch((error: unknown) => deps.log.bug(error, 'the end of a flow'))
    going.set(id, { running, ended })
    return running.state()
  }

  async function start(input: StartInput): Promise<FlowRun> {
    if (isClosing) throw closing()
    const beginning = begin(input)
    starting.add(beginning)
    return beginning.finally(() => starting.delete(beginning))
  }

  function goingRun(runId: string): Going {
    const found = going.get(runId)
    if (found !== undefined) return found
    throw new AppError('NOT_FOUND', `No run ${runId} goes here. The runs of flows are listed by "countersign flow runs".`)
  }

  async function runOf(runId: string): Promise<FlowRun> {
    const live = going.get(runId)
    if (live !== undefined) return live.running.state()
    return asItIs(await store.read('flowRun', runId))
  }

  /** One that went in a process that is gone has been interrupted. */
  function asItIs<T extends FlowRunSummary>({ run: kept, owner }: { readonly run: T; readonly owner: number }): T {
    const isOpen = kept.state === 'running' || kept.state === 'paused'
    return isOpen && (owner === process.pid || !isProcess(owner))
      ? { ...kept, state: 'interrupted', summary: 'The program ended before the run did.' }
      : kept
  }

  const steer = async (runId: string, work: (running: RunningFlow) => Promise<void> | void): Promise<FlowRun> => {
    const { running } = goingRun(runId)
    await work(running)
    return running.state()
  }

  return {
    list: () => builtInFlows().map(({ flow }) => summaryOf(flow, true)),
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
      const { running, ended } = goingRun(runId)
      running.cancel()
      return ended
    },
    runs: async (input) =>
      (await store.read('flowRuns', input)).map((kept) => {
        const live = going.get(kept.run.id)
        return live === undefined ? asItIs(kept) : summaryOfRun(live.running.state())
      }),
    run: runOf,
    async compare(before, after) {
      const [left, right] = [await runOf(before), await runOf(after)]
      const nameOf = ({ flow, origin }: FlowRun) => (origin === null ? flow : `${flow} of ${origin}`)
      // Moved, a file is still the same flow; a file that is named like a built-in one is another.
      if (left.flow !== right.flow || (left.origin === null) !== (right.origin === null))
        throw new AppError(
          'INVALID_INPUT',
          `${before} is a run of ${nameOf(left)}, ${after} one of ${nameOf(right)}: only runs of one flow are compared.`,
        )
      return compareRuns(left, right)
    },
    stored: starter.stored,
    async close() {
      isClosing = true
      await Promise.allSettled(starting)
      for (const { running } of going.values()) running.cancel()
      await Promise.allSettled([...going.values()].map(({ ended }) => ended))
    },
  }
}
