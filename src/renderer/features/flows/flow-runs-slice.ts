/** The runs of flows: their state, the one that is shown, what is selected in it, and the commands on it. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { FlowRun, FlowRunComparison, FlowRunSummary, FlowSpeed } from '../../../shared/model/flow-run.ts'
import type { FlowActor } from '../../../shared/model/flow.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import { withItem, type FeatureTools } from '../../state/feature-tools.ts'
import { saveBytes } from '../../ui/save.ts'
import { drawingOf, fileNameOf, type FlowFileFormat } from './flow-files.ts'
import { flowInput, NO_DRAFT, type FlowAsked, type FlowDraft, type OpenedFlow } from './flow-start.ts'

export interface FlowViewSlice {
  /** The run's place that is looked at: the number of a step, or the id of a delivery that no step asked for. */
  readonly place: string | null
  /** The lifeline that is looked at; null: none in particular. */
  readonly actor: FlowActor | null
  /** Null: what suits the width. */
  readonly view: 'diagram' | 'list' | null
  selectPlace(place: string): void
  /** Looks at an actor, where it takes part. */
  lookAtActor(actor: FlowActor, place: string): void
  setView(view: 'diagram' | 'list'): void
}

/** Where one looks in the drawing or the list of a flow. */
export function createFlowViewSlice({ set, get }: FeatureTools<FlowViewSlice>): FlowViewSlice {
  return {
    place: null,
    actor: null,
    view: null,
    selectPlace(place) {
      if (get().place !== place) set({ place, actor: null })
    },
    lookAtActor(actor, place) {
      set({ actor, place })
    },
    setView(view) {
      set({ view })
    },
  }
}

export interface FlowRunsSlice {
  /** Newest first; null until they were read. */
  readonly runs: readonly FlowRunSummary[] | null
  /** Null: the plan is shown, before any run. */
  readonly run: FlowRun | null
  readonly draft: FlowDraft
  readonly comparison: FlowRunComparison | null
  /** Rejects where they cannot be read. */
  readRuns(): Promise<void>
  changeDraft(change: Partial<FlowDraft>): void
  /** `step`: begins paused and runs one step. Rejects where it is refused, and until what it asks is agreed to. */
  start(asked: FlowAsked & { readonly step: boolean }): Promise<void>
  steer(command: 'step' | 'pause' | 'resume' | 'cancel'): Promise<void>
  setSpeed(speed: FlowSpeed): Promise<void>
  /** Null: the plan. */
  showRun(runId: string | null): Promise<void>
  /** Shows none, and no place of one: another flow is open, or none. */
  forgetRun(): void
  /** Holds the run that is shown against another one; null: no more. */
  compareRun(other: string | null): Promise<void>
  /** Makes a file of the flow or the run that is shown, saves it, and tells so. */
  save(format: FlowFileFormat): Promise<void>
  changed(run: FlowRun): void
}

const RUNS_READ = 500

export function createFlowRunsSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<
  FlowRunsSlice & FlowViewSlice & { readonly opened: OpenedFlow | null },
  { readonly core: EntitiesSlice }
>): FlowRunsSlice {
  /** Rises whenever something else is to be shown: a run that was asked for before it is no longer wanted. */
  let turn = 0
  /** The same of comparisons. */
  let comparing = 0
  const put = (run: FlowRunSummary) => {
    set(({ runs }) => ({ runs: withItem(runs, run) }))
  }
  /** A run as it is now; it is shown where it was before. */
  const refresh = (run: FlowRun) => {
    put(run)
    if (get().run?.id === run.id) set({ run })
  }
  return {
    runs: null,
    run: null,
    draft: NO_DRAFT,
    comparison: null,
    async readRuns() {
      const { runs } = await client.call('flows.runs', { limit: RUNS_READ })
      set({ runs })
      const shown = get().run
      if (shown !== null) await get().showRun(shown.id)
    },
    changeDraft(change) {
      set({ draft: { ...get().draft, ...change } })
    },
    async start({ step, ...asked }) {
      const { opened, draft } = get()
      const { environments } = app().core
      if (opened === null) throw new AppError('INVALID_INPUT', 'Open a flow first.')
      const input = flowInput(opened, draft, environments, { ...asked, paused: asked.paused || step })
      const { run } = await client.call('flows.start', input)
      put(run)
      // It goes on whatever is open by now, and is shown only where its flow still is.
      if (get().opened?.opening === opened.opening) {
        turn++
        set({ run, place: null, comparison: null })
      }
      // It may have gone on, or ended, before it was known here.
      const { run: now } = await client.call(step ? 'flows.step' : 'flows.run', { runId: run.id })
      refresh(now)
    },
    async steer(command) {
      const runId = get().run?.id
      if (runId === undefined) return
      await act('Couldn’t change the run', async () => {
        refresh((await client.call(`flows.${command}`, { runId })).run)
      })
    },
    async setSpeed(speed) {
      get().changeDraft({ speed })
      const run = get().run
      if (run === null || (run.state !== 'running' && run.state !== 'paused')) return
      await act('Couldn’t change the speed', async () => {
        refresh((await client.call('flows.setSpeed', { runId: run.id, speed })).run)
      })
    },
    async showRun(runId) {
      const mine = ++turn
      if (runId === null) {
        set({ run: null, place: null, comparison: null })
        return
      }
      const wanted = () => mine === turn
      const read = await act('Couldn’t load the run', () => client.call('flows.run', { runId }), { wanted })
      if (read === undefined) return
      const isOther = get().run?.id !== runId
      set({ run: read.run, ...(isOther ? { place: null, comparison: null } : {}) })
    },
    forgetRun() {
      turn++
      set({ run: null, place: null, actor: null, comparison: null })
    },
    async compareRun(other) {
      const mine = ++comparing
      const shown = get().run
      if (other === null || shown === null) {
        set({ comparison: null })
        return
      }
      const runs = get().runs ?? []
      const started = (id: string) => runs.find((run) => run.id === id)?.startedAt ?? ''
      const [before, after] = started(other) < started(shown.id) ? [other, shown.id] : [shown.id, other]
      const wanted = () => mine === comparing && get().run?.id === shown.id
      const call = () => client.call('flows.compare', { before, after })
      const comparison = await act('Couldn’t compare the runs', call, { wanted })
      if (comparison !== undefined) set({ comparison })
    },
    async save(format) {
      const { run, opened } = get()
      if (opened === null) return
      await act(
        'Couldn’t save the file',
        async () => {
          const isReport = format === 'html' || format === 'junit'
          const bytes = isReport
            ? new TextEncoder().encode((await client.call('flows.report', { runId: run?.id ?? '', format })).text)
            : await drawingOf(format, run ?? opened.plan)
          const name = fileNameOf(format, opened.plan.name, run)
          saveBytes(bytes, name)
          return name
        },
        { done: (name) => ({ tone: 'ok', title: 'File saved', message: name }) },
      )
    },
    changed(run) {
      if (get().runs !== null) put(run)
      if (get().run?.id === run.id) set({ run })
    },
  }
}
