/** State of flow runs: the form of the next one, the shown run with its selected step, and its commands. */
import { typedLiteral } from '../../../shared/body/json-literals.ts'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { drawMermaid } from '../../../shared/flow-diagram/mermaid.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type {
  FlowPlan,
  FlowRun,
  FlowRunSummary,
  FlowSpeed,
  FlowSummary,
} from '../../../shared/model/flow.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import { isOfSandbox } from '../../state/environments.ts'
import { withItem } from '../../data/events.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { saveBytes } from '../../ui/save.ts'
import type { Consented } from '../../ui/use-consents.ts'

/** The name of a built-in flow, or the text of a file. */
export type WhichFlow =
  { readonly name: string } | { readonly source: { readonly text: string; readonly file: string } }

export interface OpenedFlow {
  readonly which: WhichFlow
  readonly plan: FlowPlan
  /** Distinguishes openings of a flow. A reloaded file keeps its opening. */
  readonly opening: number
}

/** The form of a run, shared by all flows. Not stored. */
export interface FlowDraft {
  /** Empty for the sandbox. */
  readonly environment: string
  /** The name of a saved handler; empty for none. Null until one is chosen: the current handler, if there is one. */
  readonly handler: string | null
  readonly speed: FlowSpeed
  /** Inputs as typed, by name; empty ones are chosen by the sandbox. Each flow uses those it has. */
  readonly inputs: Readonly<Record<string, string>>
  /** Whether a run of all flows includes those in live mode. */
  readonly includesLive: boolean
}

export const NO_DRAFT: FlowDraft = {
  environment: '',
  handler: null,
  speed: 'max',
  inputs: {},
  includesLive: false,
}

interface FlowAsked extends Consented {
  readonly paused: boolean
  readonly from: number
  /** Starts paused and runs one step. */
  readonly step: boolean
}

/** The handler of the next run; null for none. */
export function chosenHandler(
  { handler }: Pick<FlowDraft, 'handler'>,
  handlers: readonly SavedHandler[],
): SavedHandler | null {
  return (
    handlers.find(({ name, current }) => (handler === null ? current : name === handler)) ?? null
  )
}

/** Accounts that a flow can run in. */
export function accountsOf(
  { sandboxOnly, mode }: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): readonly Environment[] {
  return sandboxOnly === null
    ? environments.filter((one) => !isOfSandbox(one.name) && one.mode === mode)
    : []
}

/** The selected account if this flow can run in it: it may have been selected for another flow. Empty for the sandbox. */
export function flowAccount(
  { environment }: Pick<FlowDraft, 'environment'>,
  plan: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): string {
  return accountsOf(plan, environments).some(({ name }) => name === environment) ? environment : ''
}

/** What every run takes from the form. A saved handler brings its secret and registered URL. */
export function draftInput(
  draft: FlowDraft,
  { inputs }: Pick<FlowSummary, 'inputs'>,
  handlers: readonly SavedHandler[],
): Pick<InputOf<'flows.start'>, 'speed' | 'handler' | 'literals'> {
  const handler = chosenHandler(draft, handlers)
  // Numbers stay as typed.
  const literals = inputs.flatMap(({ name }) => {
    const text = (draft.inputs[name] ?? '').trim()
    return text === '' ? [] : [[name, typedLiteral(text)] as const]
  })
  return {
    speed: draft.speed,
    handler: handler === null ? null : { url: handlerRef(handler) },
    literals: Object.fromEntries(literals),
  }
}

export interface FlowRunsSlice {
  /** Newest first; null until loaded. */
  readonly runs: readonly FlowRunSummary[] | null
  /** Null shows the plan. */
  readonly run: FlowRun | null
  /** The selected place: a step's number, or the ID of an unexpected delivery. */
  readonly place: string | null
  readonly draft: FlowDraft
  selectPlace(place: string): void
  /** Rejects if loading fails. */
  readRuns(): Promise<void>
  changeDraft(change: Partial<FlowDraft>): void
  /** Rejects on errors and while consent is missing. */
  start(asked: FlowAsked): Promise<void>
  steer(command: 'step' | 'pause' | 'resume' | 'cancel'): Promise<void>
  /** Changes the speed of the next run, and of a run in progress. */
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

/** Whether a run is in progress. */
export function isGoing(run: Pick<FlowRunSummary, 'state'> | null | undefined): boolean {
  return run?.state === 'running' || run?.state === 'paused'
}

export function createFlowRunsSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<
  FlowRunsSlice & { readonly opened: OpenedFlow | null },
  { readonly core: CoreSlice }
>): FlowRunsSlice {
  /** Increments with each run to show, so that older requests are ignored. */
  let turn = 0
  const put = (run: FlowRunSummary) => set(({ runs }) => ({ runs: withItem(runs, run) }))
  /** The run that is making one more step, and the number of that step. */
  let stepping: { readonly run: string; readonly at: number } | null = null
  /** Selects the step that was just run. */
  const followStep = (run: FlowRun) => {
    if (stepping?.run !== run.id || run.state === 'running') return
    const { at } = stepping
    if (run.state === 'paused' && run.current <= at) return
    stepping = null
    const last = run.steps.findLast(
      ({ index, outcome }) => index >= at && outcome !== null && outcome !== 'skip',
    )
    if (last !== undefined) set({ place: String(last.index) })
  }
  /** Shows a run's new state if it is open. */
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
    place: null,
    draft: NO_DRAFT,
    selectPlace(place) {
      if (get().place !== place) set({ place })
    },
    async readRuns() {
      const { runs } = await client.call('flows.runs', { limit: RUNS_READ })
      set({ runs })
      const shown = get().run
      if (shown !== null) await get().showRun(shown.id)
    },
    changeDraft(change) {
      set({ draft: { ...get().draft, ...change } })
    },
    async start({ step, paused, ...asked }) {
      const { opened, draft } = get()
      if (opened === null) throw new AppError('INVALID_INPUT', 'Open a flow first.')
      const { environments, handlers } = app().core
      const environment = flowAccount(draft, opened.plan, environments)
      const { literals, ...input } = draftInput(draft, opened.plan, handlers)
      const { run } = await client.call('flows.start', {
        ...opened.which,
        ...(environment === '' ? { literals } : { environment }),
        ...input,
        ...asked,
        paused: paused || step,
      })
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
      if (command === 'resume') set({ place: null })
      await act("Couldn't change the run", async () => {
        refresh((await client.call(`flows.${command}`, { runId })).run)
      })
    },
    async setSpeed(speed) {
      get().changeDraft({ speed })
      const { run } = get()
      if (run === null || !isGoing(run)) return
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
      set({ run: null, place: null })
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
          // With the time of the run: `purchase-visa-20261121113000.mmd`.
          const moment = run === null ? '' : `-${run.startedAt.slice(0, 19).replaceAll(/\D/g, '')}`
          const name = `${opened.plan.name}${moment}.${endings[format]}`
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
