/** Runs of flows in the window: how they stand, the one that is shown, and what is done with it. */
import type { StateCreator } from 'zustand/vanilla'
import { AppError } from '../../../shared/contract/errors.ts'
import type { FlowRun, FlowRunComparison, FlowRunSummary, FlowSpeed } from '../../../shared/model/flow-run.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import { sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import { outcomeOf, type CallProblem } from '../../ui/call-problem.ts'
import { saveBytes } from '../../ui/save.ts'
import { drawingOf, fileNameOf, type FlowFileFormat } from './flow-files.ts'
import { inputOf, NO_DRAFT, type FlowAsked, type FlowDraft, type OpenedFlow } from './flow-start.ts'
import type { FlowViewSlice } from './flow-view-slice.ts'

export interface FlowRunsSlice {
  /** Newest first; null until they were read. */
  readonly flowRuns: readonly FlowRunSummary[] | null
  /** Null: the plan is shown, before any run. */
  readonly flowRun: FlowRun | null
  readonly flowDraft: FlowDraft
  readonly flowComparison: FlowRunComparison | null
  /** Rejects where they cannot be read. */
  readFlowRuns(): Promise<void>
  changeFlowDraft(change: Partial<FlowDraft>): void
  /** `step`: begins paused and runs one step. Rejects where it is refused, and until what it asks is agreed to. */
  startFlow(asked: FlowAsked & { readonly step: boolean }): Promise<void>
  steerFlow(command: 'step' | 'pause' | 'resume' | 'cancel'): Promise<void>
  setFlowSpeed(speed: FlowSpeed): Promise<void>
  /** Null: the plan. */
  showFlowRun(runId: string | null): Promise<void>
  /** Shows none, and no place of one: another flow is open, or none. */
  forgetFlowRun(): void
  /** Holds the run that is shown against another one; null: no more. */
  compareFlowRun(other: string | null): Promise<void>
  /** Makes a file of the flow or the run that is shown, saves it, and tells so. */
  saveFlow(format: FlowFileFormat): Promise<void>
  flowChanged(run: FlowRun): void
}

const RUNS_READ = 500

type Around = FlowRunsSlice & FlowViewSlice & EntitiesSlice & { readonly openedFlow: OpenedFlow | null }

export function createFlowRunsSlice({ client, notify }: SliceContext): StateCreator<Around, [], [], FlowRunsSlice> {
  return (set, get) => {
    /** Rises whenever something else is to be shown: a run that was asked for before it is no longer wanted. */
    let turn = 0
    /** The same of comparisons. */
    let comparing = 0
    const put = (run: FlowRunSummary) => {
      const runs = get().flowRuns ?? []
      const known = runs.some(({ id }) => id === run.id)
      set({ flowRuns: known ? runs.map((each) => (each.id === run.id ? run : each)) : [run, ...runs] })
    }
    /** A run as it is now; it is shown where it was before. */
    const refresh = (run: FlowRun) => {
      put(run)
      if (get().flowRun?.id === run.id) set({ flowRun: run })
    }
    const tell = (title: string, problem: CallProblem) => {
      notify({ tone: 'bad', title, message: problem.message })
    }

    return {
      flowRuns: null,
      flowRun: null,
      flowDraft: NO_DRAFT,
      flowComparison: null,
      async readFlowRuns() {
        const { runs } = await client.call('flows.runs', { limit: RUNS_READ })
        set({ flowRuns: runs })
        const shown = get().flowRun
        if (shown !== null) await get().showFlowRun(shown.id)
      },
      changeFlowDraft(change) {
        set({ flowDraft: { ...get().flowDraft, ...change } })
      },
      async startFlow({ step, ...asked }) {
        const { openedFlow: opened, flowDraft, environments } = get()
        if (opened === null) throw new AppError('INVALID_INPUT', 'Open a flow first.')
        const input = inputOf(opened, flowDraft, environments, { ...asked, paused: asked.paused || step })
        const { run } = await client.call('flows.start', input)
        put(run)
        // It goes on whatever is open by now, and is shown only where its flow still is.
        if (get().openedFlow?.opening === opened.opening) {
          turn++
          set({ flowRun: run, flowPlace: null, flowComparison: null })
        }
        // It may have gone on, or ended, before it was known here.
        const { run: now } = await client.call(step ? 'flows.step' : 'flows.run', { runId: run.id })
        refresh(now)
      },
      async steerFlow(command) {
        const runId = get().flowRun?.id
        if (runId === undefined) return
        const outcome = await outcomeOf(client.call(`flows.${command}`, { runId }))
        if (outcome.ok) refresh(outcome.value.run)
        else tell('The run did not take that', outcome.problem)
      },
      async setFlowSpeed(speed) {
        get().changeFlowDraft({ speed })
        const run = get().flowRun
        if (run === null || (run.state !== 'running' && run.state !== 'paused')) return
        const outcome = await outcomeOf(client.call('flows.setSpeed', { runId: run.id, speed }))
        if (outcome.ok) refresh(outcome.value.run)
        else tell('The speed was not changed', outcome.problem)
      },
      async showFlowRun(runId) {
        const mine = ++turn
        if (runId === null) {
          set({ flowRun: null, flowPlace: null, flowComparison: null })
          return
        }
        const outcome = await outcomeOf(client.call('flows.run', { runId }))
        if (mine !== turn) return
        if (!outcome.ok) {
          tell('The run could not be read', outcome.problem)
          return
        }
        const isOther = get().flowRun?.id !== runId
        set({ flowRun: outcome.value.run, ...(isOther ? { flowPlace: null, flowComparison: null } : {}) })
      },
      forgetFlowRun() {
        turn++
        set({ flowRun: null, flowPlace: null, flowActor: null, flowComparison: null })
      },
      async compareFlowRun(other) {
        const mine = ++comparing
        const shown = get().flowRun
        if (other === null || shown === null) {
          set({ flowComparison: null })
          return
        }
        const runs = get().flowRuns ?? []
        const started = (id: string) => runs.find((run) => run.id === id)?.startedAt ?? ''
        const [before, after] = started(other) < started(shown.id) ? [other, shown.id] : [shown.id, other]
        const outcome = await outcomeOf(client.call('flows.compare', { before, after }))
        if (mine !== comparing || get().flowRun?.id !== shown.id) return
        if (outcome.ok) set({ flowComparison: outcome.value })
        else tell('The runs could not be compared', outcome.problem)
      },
      async saveFlow(format) {
        const { openedFlow, flowRun } = get()
        if (openedFlow === null) return
        try {
          const isReport = format === 'html' || format === 'junit'
          const bytes = isReport
            ? new TextEncoder().encode((await client.call('flows.report', { runId: flowRun?.id ?? '', format })).text)
            : await drawingOf(format, flowRun ?? openedFlow.plan)
          const name = fileNameOf(format, openedFlow.plan.name, flowRun)
          saveBytes(bytes, name)
          notify({ tone: 'ok', title: 'Saved', message: name })
        } catch (error) {
          notify({ tone: 'bad', title: 'The file was not saved', message: sentenceOf(error) })
        }
      },
      flowChanged(run) {
        if (get().flowRuns !== null) put(run)
        if (get().flowRun?.id === run.id) set({ flowRun: run })
      },
    }
  }
}
