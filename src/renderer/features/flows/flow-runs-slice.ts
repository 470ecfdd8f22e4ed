/** State of flow runs: the shown run, the selection in it, and its commands. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { FlowActor, FlowRun, FlowRunSummary, FlowSpeed } from '../../../shared/model/flow.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import { withItem } from '../../data/events.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { saveBytes } from '../../ui/save.ts'
import { drawMermaid } from '../../../shared/flow-diagram/mermaid.ts'
import {
  flowInput,
  NO_DRAFT,
  type FlowAsked,
  type FlowDraft,
  type OpenedFlow,
} from './flow-start.ts'

export interface FlowViewSlice {
  /** The selected place: a step's number, or the ID of an unexpected delivery. */
  readonly place: string | null
  /** The highlighted lifeline, or null. */
  readonly actor: FlowActor | null
  /** Null for the default of the window's width. */
  readonly view: 'diagram' | 'list' | null
  selectPlace(place: string): void
  /** Highlights a participant. */
  lookAtActor(actor: FlowActor, place: string): void
  setView(view: 'diagram' | 'list'): void
}

/** The selection in a flow's diagram or list. */
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
  /** Newest first; null until loaded. */
  readonly runs: readonly FlowRunSummary[] | null
  /** Null shows the plan. */
  readonly run: FlowRun | null
  readonly draft: FlowDraft
  /** Rejects if loading fails. */
  readRuns(): Promise<void>
  changeDraft(change: Partial<FlowDraft>): void
  /** `step`: starts paused and runs one step. Rejects on errors and while consent is missing. */
  start(asked: FlowAsked & { readonly step: boolean }): Promise<void>
  steer(command: 'step' | 'pause' | 'resume' | 'cancel'): Promise<void>
  setSpeed(speed: FlowSpeed): Promise<void>
  /** Null for the plan. */
  showRun(runId: string | null): Promise<void>
  /** Clears the run and selection, because the flow was closed or replaced. */
  forgetRun(): void
  /** Saves the flow or the shown run as a file. */
  save(format: FlowFileFormat): Promise<void>
  changed(run: FlowRun): void
}

const RUNS_READ = 500

export type FlowFileFormat = 'mermaid' | 'html' | 'junit'

const endings: Readonly<Record<FlowFileFormat, string>> = {
  mermaid: 'mmd',
  html: 'html',
  junit: 'xml',
}

/** Includes the time of the run, if any: `purchase-visa-20261121113000.mmd`. */
function fileNameOf(format: FlowFileFormat, flow: string, run: FlowRun | null): string {
  const moment = run === null ? '' : `-${run.startedAt.slice(0, 19).replaceAll(/\D/g, '')}`
  return `${flow}${moment}.${endings[format]}`
}

export function createFlowRunsSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<
  FlowRunsSlice & FlowViewSlice & { readonly opened: OpenedFlow | null },
  { readonly core: CoreSlice }
>): FlowRunsSlice {
  /** Increments with each run to show, so that older requests are ignored. */
  let turn = 0
  const put = (run: FlowRunSummary) => set(({ runs }) => ({ runs: withItem(runs, run) }))
  /** The run that is making one more step, and the number of that step. */
  let stepping: { readonly run: string; readonly at: number } | null = null
  /** Selects the step that was just run. */
  const followStep = (run: FlowRun) => {
    if (
      stepping?.run !== run.id ||
      run.state === 'running' ||
      (run.state === 'paused' && run.current <= stepping.at)
    )
      return
    const { at } = stepping
    stepping = null
    const last = run.steps.findLast(
      ({ index, outcome }) => index >= at && outcome !== null && outcome !== 'skip',
    )
    if (last !== undefined) set({ place: String(last.index), actor: null })
  }
  /** A run changed: shows its new state, in the list and if it is open. */
  const update = (run: FlowRun) => {
    if (get().run?.id !== run.id) return
    set({ run })
    followStep(run)
  }
  const refresh = (run: FlowRun) => {
    put(run)
    update(run)
  }
  return {
    runs: null,
    run: null,
    draft: NO_DRAFT,
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
      if (opened === null) throw new AppError('INVALID_INPUT', 'Open a flow first.')
      const input = flowInput(opened, draft, app().core, { ...asked, paused: asked.paused || step })
      const { run } = await client.call('flows.start', input)
      put(run)
      // The run continues whatever is open, and is shown only if its flow is.
      if (get().opened?.opening === opened.opening) {
        turn++
        set({ run, place: null })
      }
      if (step) stepping = { run: run.id, at: asked.from }
      // The run may have progressed or finished before its ID was known here.
      const { run: now } = await client.call(step ? 'flows.step' : 'flows.run', { runId: run.id })
      refresh(now)
    },
    async steer(command) {
      const { run } = get()
      if (run === null) return
      const runId = run.id
      stepping = command === 'step' ? { run: runId, at: run.current } : null
      // A resumed run is followed again, to its first failure.
      if (command === 'resume') set({ place: null, actor: null })
      await act("Couldn't change the run", async () => {
        refresh((await client.call(`flows.${command}`, { runId })).run)
      })
    },
    async setSpeed(speed) {
      get().changeDraft({ speed })
      const run = get().run
      if (run === null || (run.state !== 'running' && run.state !== 'paused')) return
      await act("Couldn't change the speed", async () => {
        refresh((await client.call('flows.setSpeed', { runId: run.id, speed })).run)
      })
    },
    async showRun(runId) {
      const mine = ++turn
      if (runId === null) {
        set({ run: null, place: null })
        return
      }
      const wanted = () => mine === turn
      const read = await act("Couldn't load the run", () => client.call('flows.run', { runId }), {
        wanted,
      })
      if (read === undefined) return
      const isOther = get().run?.id !== runId
      set({ run: read.run, ...(isOther ? { place: null } : {}) })
    },
    forgetRun() {
      turn++
      set({ run: null, place: null, actor: null })
    },
    async save(format) {
      const { run, opened } = get()
      if (opened === null) return
      await act(
        "Couldn't save the file",
        async () => {
          const text =
            format === 'mermaid'
              ? drawMermaid(run ?? opened.plan)
              : (await client.call('flows.report', { runId: run?.id ?? '', format })).text
          const name = fileNameOf(format, opened.plan.name, run)
          saveBytes(new TextEncoder().encode(text), name)
          return name
        },
        { done: (name) => ({ tone: 'ok', title: 'File saved', message: name }) },
      )
    },
    changed(run) {
      if (get().runs !== null) put(run)
      update(run)
    },
  }
}
