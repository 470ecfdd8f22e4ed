/** The runner of flows one after the other. */
import { QueryObserver } from '@tanstack/react-query'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { FlowSummary } from '../../../shared/model/flow-run.ts'
import { counted } from '../../../shared/text/english.ts'
import { sentenceOf } from '../../core-data/act.ts'
import type { Data } from '../../core-data/data.ts'
import { runInput } from './flow-draft.ts'
import type { FlowsTools } from './flows-state.ts'
import { isRunning } from './open-flow.ts'

/** Resolves once a run is over, or can't be read. */
function runEnded({ queries }: Data, runId: string): Promise<void> {
  const observer = new QueryObserver<OutputOf<'flows.run'>>(queries, {
    queryKey: ['flows.run', { runId }],
  })
  return new Promise((resolve) => {
    const stop = observer.subscribe(({ data, isError }) => {
      if (data === undefined ? !isError : isRunning(data.run)) return
      stop()
      resolve()
    })
  })
}

/** Returns the flows to run in order: all, or those named. */
function flowsToRun(
  flows: readonly FlowSummary[],
  names: readonly string[] | null,
  includesLive: boolean,
): readonly FlowSummary[] {
  return (
    flows
      .filter(({ name, mode }) =>
        names === null ? mode === 'test' || includesLive : names.includes(name),
      )
      // A live flow may need consent, so it is the first to ask.
      .toSorted((one, other) => Number(other.mode === 'live') - Number(one.mode === 'live'))
  )
}

export class FlowSeriesRunner {
  readonly #tools: FlowsTools
  /** ID of the run in progress, or null. */
  #runId: string | null = null

  constructor(tools: FlowsTools) {
    this.#tools = tools
  }

  /**
   * Runs all flows, or those named, and resolves once the first one runs. Rejects if that one
   * can't run.
   */
  async run(names: readonly string[] | null): Promise<void> {
    const { client, data, set, get } = this.#tools
    if (get().series !== null)
      throw new AppError(
        'ALREADY_RUNNING',
        'All flows are already being run. Wait for them to finish, or cancel them.',
      )
    const list = data.cachedOutput('flows.list', {}) ?? (await client.call('flows.list', {}))
    const flows = flowsToRun(list.flows, names, get().draft.includesLive)
    const [first, ...others] = flows
    if (first === undefined) return
    const firstRun = await this.#start(first)
    set({ series: { names: flows.map(({ name }) => name), done: 0, isCancelled: false } })
    void this.#finish(firstRun, others)
  }

  /** Stops the run in progress and starts no other. */
  cancel(): void {
    this.#tools.set(({ series }) => ({ series: series && { ...series, isCancelled: true } }))
    void this.#cancelRun()
  }

  /** Starts a flow and resolves with the run's ID. */
  async #start(flow: FlowSummary): Promise<string> {
    const { client, get, app } = this.#tools
    const { run } = await client.call('flows.start', {
      name: flow.name,
      ...runInput(get().draft, flow, app().core.handlers),
    })
    return run.id
  }

  /** Waits for the first run, then runs the other flows. */
  async #finish(firstRun: string, others: readonly FlowSummary[]): Promise<void> {
    const { set, notify } = this.#tools
    const failures: string[] = []
    await this.#waitFor(firstRun)
    for (const flow of others) {
      if (this.#isCancelled()) break
      set(({ series }) => ({ series: series && { ...series, done: series.done + 1 } }))
      try {
        await this.#waitFor(await this.#start(flow))
      } catch (error) {
        // The others may still run.
        failures.push(sentenceOf(error))
      }
    }
    set({ series: null })
    if (failures[0] !== undefined)
      notify({
        tone: 'bad',
        title: `Couldn't run ${counted(failures.length, 'flow')}`,
        message: failures[0],
      })
  }

  /** Resolves once the run is over. Ends it if the series was cancelled meanwhile. */
  async #waitFor(runId: string): Promise<void> {
    this.#runId = runId
    if (this.#isCancelled()) void this.#cancelRun()
    await runEnded(this.#tools.data, runId)
    this.#runId = null
  }

  #isCancelled(): boolean {
    return this.#tools.get().series?.isCancelled === true
  }

  async #cancelRun(): Promise<void> {
    const { act, client } = this.#tools
    const runId = this.#runId
    if (runId !== null)
      await act("Couldn't cancel the run", () => client.call('flows.cancel', { runId }))
  }
}
