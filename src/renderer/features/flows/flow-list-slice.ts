/** State of the flow list: flows that run one after the other, and the selected flow. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { FlowSummary } from '../../../shared/model/flow.ts'
import { counted } from '../../../shared/text/counted.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import { withItem } from '../../data/events.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { sentenceOf } from '../../data/act.ts'
import type { Consented } from '../../ui/use-consents.ts'
import type { FlowRunsSlice } from './flow-runs-slice.ts'
import { handlerInput, inputLiterals } from './flow-start.ts'

/** Flows that run one after the other. */
export interface FlowSeries {
  /** Their names, in order. */
  readonly names: readonly string[]
  /** How many of them are over. */
  readonly done: number
  readonly isCancelled: boolean
}

export interface FlowListSlice {
  /** Null if no flows are being run one after the other. */
  readonly series: FlowSeries | null
  /** The flow that the user selected, by its name; null for the first one in the list. */
  readonly selectedFlow: string | null
  /**
   * Runs all flows, or those named, and resolves once the first one runs. Rejects if that one can't run, and while consent is missing.
   */
  runAll(names: readonly string[] | null, consent: Consented): Promise<void>
  /** Stops the run in progress and starts no other. */
  cancelAll(): void
  selectFlow(name: string): void
}

export function createFlowListSlice({
  client,
  act,
  notify,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<
  FlowListSlice & FlowRunsSlice & { readonly all: readonly FlowSummary[] | null },
  { readonly core: CoreSlice }
>): FlowListSlice {
  const isGoing = (runId: string) => {
    const state = get().runs?.find(({ id }) => id === runId)?.state
    return state === 'running' || state === 'paused'
  }
  const isCancelled = () => get().series?.isCancelled === true

  /** Resolves once the run is over. Ends it if the series is cancelled. */
  async function ended(runId: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (isGoing(runId) && !isCancelled()) return
        stop()
        resolve()
      }
      const stop = subscribe(look)
      look()
    })
    if (isGoing(runId))
      await act("Couldn't cancel the run", () => client.call('flows.cancel', { runId }))
  }

  return {
    series: null,
    selectedFlow: null,
    async runAll(names, { allowHosts, live }) {
      if (get().series !== null)
        throw new AppError(
          'ALREADY_RUNNING',
          'All flows are already being run. Wait for them to finish, or cancel them.',
        )
      const { draft } = get()
      const all = get().all ?? (await client.call('flows.list', {})).flows
      const includesLive = live || (names === null && draft.includesLive)
      const [first, ...others] = all
        .filter(({ name, mode }) =>
          names === null ? mode === 'test' || includesLive : names.includes(name),
        )
        // A live flow needs a confirmation, so it is the first to ask.
        .toSorted((one, other) => Number(other.mode === 'live') - Number(one.mode === 'live'))
      if (first === undefined) return
      const handler = handlerInput(draft, app().core.handlers)
      /** Resolves with the run's ID. */
      const begin = async (flow: FlowSummary) => {
        const { run } = await client.call('flows.start', {
          name: flow.name,
          speed: draft.speed,
          handler,
          literals: inputLiterals(flow, draft),
          allowHosts,
          live: includesLive,
        })
        // It may have progressed before its ID was known here.
        const { run: now } = await client.call('flows.run', { runId: run.id })
        set(({ runs }) => ({ runs: withItem(runs, now) }))
        return run.id
      }
      const walk = async (firstRun: string) => {
        const failures: string[] = []
        await ended(firstRun)
        for (const flow of others) {
          if (isCancelled()) break
          set(({ series }) => ({ series: series && { ...series, done: series.done + 1 } }))
          try {
            await ended(await begin(flow))
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
      const firstRun = await begin(first)
      set({
        series: {
          names: [first, ...others].map(({ name }) => name),
          done: 0,
          isCancelled: false,
        },
      })
      void walk(firstRun)
    },
    cancelAll() {
      set(({ series }) => ({ series: series && { ...series, isCancelled: true } }))
    },
    selectFlow(selectedFlow) {
      set({ selectedFlow })
    },
  }
}
