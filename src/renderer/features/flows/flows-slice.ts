/** Flows in the window: which there are, how their runs stand, the one that is looked at, and what is done with it. */
import { z } from 'zod'
import type { StateCreator } from 'zustand/vanilla'
import { AppError } from '../../../shared/contract/errors.ts'
import {
  flowProblemSchema,
  type FlowPlan,
  type FlowProblem,
  type FlowRun,
  type FlowRunComparison,
  type FlowRunSummary,
  type FlowSpeed,
  type FlowSummary,
} from '../../../shared/model/flow-run.ts'
import type { FlowActor } from '../../../shared/model/flow.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import { outcomeOf, problemOf, type Outcome } from '../../ui/call-problem.ts'
import { saveBytes } from '../../ui/save.ts'
import { drawingOf, fileNameOf, type FlowFileFormat } from './flow-files.ts'
import { watchFile, type OwnFile } from './own-file.ts'
import { isRunOf } from './run-origin.ts'
import { inputOf, NO_DRAFT, questionOf, type FlowAsked, type FlowDraft, type FlowQuestion, type WhichFlow } from './flow-start.ts'

/** A file that is no flow: every problem with its place, or one sentence. */
export interface FlowFileProblem {
  readonly file: string
  /** What it was before is still open. */
  readonly isOpen: boolean
  readonly message: string
  readonly problems: readonly FlowProblem[]
}

type Started = Outcome<FlowRun> | { readonly ok: false; readonly question: FlowQuestion }

export interface FlowsSlice {
  /** The built-in ones; null until they were read. */
  readonly flows: readonly FlowSummary[] | null
  readonly flowsProblem: string | null
  /** Newest first; null until they were read. */
  readonly flowRuns: readonly FlowRunSummary[] | null
  /** The flow that is open. */
  readonly openedFlow: { readonly which: WhichFlow; readonly plan: FlowPlan } | null
  readonly flowFileProblem: FlowFileProblem | null
  /** Null: the plan is shown, before any run. */
  readonly flowRun: FlowRun | null
  /** The run's place that is looked at: the number of a step, or the id of a delivery that no step asked for. */
  readonly flowPlace: string | null
  /** The lifeline that is looked at; null: none in particular. */
  readonly flowActor: FlowActor | null
  /** The flow that was opened is to be run at once. */
  readonly flowRunWanted: boolean
  /** Null: what suits the width. */
  readonly flowView: 'diagram' | 'list' | null
  readonly flowDraft: FlowDraft
  readonly flowComparison: FlowRunComparison | null
  readFlows(): Promise<void>
  /** Opens a built-in flow, and its newest run where there is one. */
  openFlow(name: string): Promise<void>
  /** Opens a built-in flow and runs it, as the button does. */
  runFlow(name: string): Promise<void>
  /** The run that was asked for is begun, or asked about. */
  flowRunBegun(): void
  /** Opens a file of one's own, and reads it again whenever it has changed. */
  openFlowFile(file: OwnFile): Promise<void>
  /** Back to the list; false where it is shown already. */
  leaveFlow(): boolean
  selectFlowPlace(place: string): void
  /** Looks at an actor, where it takes part. */
  lookAtFlowActor(actor: FlowActor, place: string): void
  setFlowView(view: 'diagram' | 'list'): void
  changeFlowDraft(change: Partial<FlowDraft>): void
  /** `step`: begins paused and runs one step. */
  startFlow(asked: FlowAsked & { readonly step: boolean }): Promise<Started>
  steerFlow(command: 'step' | 'pause' | 'resume' | 'cancel'): Promise<void>
  setFlowSpeed(speed: FlowSpeed): Promise<void>
  /** Null: the plan. */
  showFlowRun(runId: string | null): Promise<void>
  /** Holds the run that is shown against another one; null: no more. */
  compareFlowRun(other: string | null): Promise<void>
  /** Makes a file of the flow or the run that is shown, saves it, and tells so. */
  saveFlow(format: FlowFileFormat): Promise<void>
  flowChanged(run: FlowRun): void
}

const problemsSchema = z.array(flowProblemSchema)

function fileProblemOf(error: unknown, file: string, isOpen: boolean): FlowFileProblem {
  const problems = problemsSchema.safeParse(error instanceof AppError ? error.details : null)
  return { file, isOpen, message: sentenceOf(error), problems: problems.data ?? [] }
}

export function createFlowsSlice({ client, notify }: SliceContext): StateCreator<FlowsSlice> {
  return (set, get) => {
    const put = (run: FlowRunSummary) => {
      const runs = get().flowRuns ?? []
      const known = runs.some(({ id }) => id === run.id)
      set({ flowRuns: known ? runs.map((each) => (each.id === run.id ? run : each)) : [run, ...runs] })
    }
    const show = (run: FlowRun) => {
      put(run)
      if (get().flowRun?.id === run.id) set({ flowRun: run })
    }
    const tell = (title: string, message: string) => {
      notify({ tone: 'bad', title, message })
    }
    async function open(which: WhichFlow): Promise<void> {
      const { flow: plan } = await client.call('flows.get', which)
      set({
        openedFlow: { which, plan },
        flowFileProblem: null,
        flowRun: null,
        flowPlace: null,
        flowActor: null,
        flowComparison: null,
      })
      const last = get().flowRuns?.find((run) => isRunOf(plan, run))
      if (last !== undefined) await get().showFlowRun(last.id)
    }

    let stopWatching: () => void = () => undefined
    /** `again`: it was open before, and has changed. */
    async function readFile(file: OwnFile, again: boolean): Promise<void> {
      const before = get().openedFlow
      try {
        const which = { source: { text: await file.read(), file: file.name } }
        if (!again || before === null) await open(which)
        else {
          const { flow: plan } = await client.call('flows.get', which)
          set({ openedFlow: { which, plan }, flowFileProblem: null })
          notify({ tone: 'ok', title: 'Read again', message: `${file.name} has changed.` })
        }
      } catch (error) {
        if (!isQuiet(error)) set({ flowFileProblem: fileProblemOf(error, file.name, again && before !== null) })
      }
    }

    return {
      flows: null,
      flowsProblem: null,
      flowRuns: null,
      openedFlow: null,
      flowFileProblem: null,
      flowRun: null,
      flowPlace: null,
      flowActor: null,
      flowRunWanted: false,
      flowView: null,
      flowDraft: NO_DRAFT,
      flowComparison: null,
      async readFlows() {
        try {
          const [{ flows }, { runs }] = await Promise.all([
            client.call('flows.list', {}),
            client.call('flows.runs', { limit: 500 }),
          ])
          set({ flows, flowRuns: runs, flowsProblem: null })
          const shown = get().flowRun
          if (shown !== null) await get().showFlowRun(shown.id)
        } catch (error) {
          if (!isQuiet(error)) set({ flowsProblem: sentenceOf(error) })
        }
      },
      async openFlow(name) {
        stopWatching()
        try {
          await open({ name })
        } catch (error) {
          if (!isQuiet(error)) tell('The flow could not be opened', sentenceOf(error))
        }
      },
      async runFlow(name) {
        await get().openFlow(name)
        const opened = get().openedFlow
        if (opened !== null && opened.plan.name === name) set({ flowRunWanted: true })
      },
      flowRunBegun() {
        set({ flowRunWanted: false })
      },
      async openFlowFile(file) {
        stopWatching()
        stopWatching = watchFile(file, () => void readFile(file, true))
        await readFile(file, false)
      },
      leaveFlow() {
        if (get().openedFlow === null) return false
        if (get().flowComparison !== null) set({ flowComparison: null })
        else {
          stopWatching()
          set({ openedFlow: null, flowFileProblem: null, flowRun: null, flowPlace: null })
        }
        return true
      },
      selectFlowPlace(place) {
        if (get().flowPlace !== place) set({ flowPlace: place, flowActor: null })
      },
      lookAtFlowActor(actor, place) {
        set({ flowActor: actor, flowPlace: place })
      },
      setFlowView(view) {
        set({ flowView: view })
      },
      changeFlowDraft(change) {
        set({ flowDraft: { ...get().flowDraft, ...change } })
      },
      async startFlow({ step, ...asked }) {
        const opened = get().openedFlow
        try {
          if (opened === null) throw new AppError('INVALID_INPUT', 'Open a flow first.')
          const input = inputOf(opened.which, get().flowDraft, { ...asked, paused: asked.paused || step })
          const { run } = await client.call('flows.start', input)
          put(run)
          set({ flowRun: run, flowPlace: null, flowComparison: null })
          // It may have gone on, or ended, before it was known here.
          const { run: now } = step
            ? await client.call('flows.step', { runId: run.id })
            : await client.call('flows.run', { runId: run.id })
          show(now)
          return { ok: true, value: now }
        } catch (error) {
          const question = questionOf(error)
          return question === null ? { ok: false, problem: problemOf(error) } : { ok: false, question }
        }
      },
      async steerFlow(command) {
        const runId = get().flowRun?.id
        if (runId === undefined) return
        const outcome = await outcomeOf(client.call(`flows.${command}`, { runId }))
        if (outcome.ok) show(outcome.value.run)
        else tell('The run did not take that', outcome.problem.message)
      },
      async setFlowSpeed(speed) {
        get().changeFlowDraft({ speed })
        const run = get().flowRun
        if (run === null || (run.state !== 'running' && run.state !== 'paused')) return
        const outcome = await outcomeOf(client.call('flows.setSpeed', { runId: run.id, speed }))
        if (outcome.ok) show(outcome.value.run)
        else tell('The speed was not changed', outcome.problem.message)
      },
      async showFlowRun(runId) {
        if (runId === null) {
          set({ flowRun: null, flowPlace: null, flowComparison: null })
          return
        }
        const outcome = await outcomeOf(client.call('flows.run', { runId }))
        if (!outcome.ok) {
          tell('The run could not be read', outcome.problem.message)
          return
        }
        const isOther = get().flowRun?.id !== runId
        set({ flowRun: outcome.value.run, ...(isOther ? { flowPlace: null, flowComparison: null } : {}) })
      },
      async compareFlowRun(other) {
        const shown = get().flowRun
        if (other === null || shown === null) {
          set({ flowComparison: null })
          return
        }
        const runs = get().flowRuns ?? []
        const started = (id: string) => runs.find((run) => run.id === id)?.startedAt ?? ''
        const [before, after] = started(other) < started(shown.id) ? [other, shown.id] : [shown.id, other]
        const outcome = await outcomeOf(client.call('flows.compare', { before, after }))
        if (outcome.ok) set({ flowComparison: outcome.value })
        else tell('The runs could not be compared', outcome.problem.message)
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
          tell('The file was not saved', sentenceOf(error))
        }
      },
      flowChanged(run) {
        if (get().flowRuns !== null) put(run)
        if (get().flowRun?.id === run.id) set({ flowRun: run })
      },
    }
  }
}
