/** Flows in the window: which there are, and the one that is open, a built-in one or one of a file that is read again as it changes. */
import { z } from 'zod'
import type { StateCreator } from 'zustand/vanilla'
import { AppError } from '../../../shared/contract/errors.ts'
import { flowProblemSchema, type FlowProblem, type FlowSummary } from '../../../shared/model/flow-run.ts'
import { fileSentenceOf } from '../../state/file-sentence.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import type { FlowRunsSlice } from './flow-runs-slice.ts'
import type { OpenedFlow, WhichFlow } from './flow-start.ts'
import type { FlowViewSlice } from './flow-view-slice.ts'
import { watchFile, type OwnFile } from './own-file.ts'
import { isRunOf } from './run-origin.ts'

/** A file that is no flow: every problem with its place, or one sentence. */
export interface FlowFileProblem {
  readonly file: string
  /** What it was before is still open. */
  readonly isOpen: boolean
  readonly message: string
  readonly problems: readonly FlowProblem[]
}

export interface FlowsSlice {
  /** The built-in ones; null until they were read. */
  readonly flows: readonly FlowSummary[] | null
  readonly flowsProblem: string | null
  readonly openedFlow: OpenedFlow | null
  readonly flowFileProblem: FlowFileProblem | null
  /** The flow that was opened is to be run at once. */
  readonly flowRunWanted: boolean
  readFlows(): Promise<void>
  /** Opens a built-in flow, and its newest run where there is one. */
  openFlow(name: string): Promise<void>
  /** Opens a built-in flow and runs it, as the button does. */
  runFlow(name: string): Promise<void>
  /** The run that was asked for is begun, or asked about. */
  flowRunBegun(): void
  /** Opens a file of one's own, once it is chosen, and reads it again whenever it has changed. Null: none was chosen. */
  openFlowFile(chosen: OwnFile | Promise<OwnFile | null>): Promise<void>
  /** Back to the list; false where it is shown already. */
  leaveFlow(): boolean
}

const problemsSchema = z.array(flowProblemSchema)

function fileProblemOf(error: unknown, file: string, isOpen: boolean): FlowFileProblem {
  const problems = problemsSchema.safeParse(error instanceof AppError ? error.details : null)
  return { file, isOpen, message: fileSentenceOf(error), problems: problems.data ?? [] }
}

export function createFlowsSlice({
  client,
  notify,
}: SliceContext): StateCreator<FlowsSlice & FlowRunsSlice & FlowViewSlice, [], [], FlowsSlice> {
  return (set, get) => {
    /** Rises with each thing that is opened, read again or left: what was asked for before it is no longer wanted. */
    let turn = 0
    /** The file whose flow is open. */
    let openedFile: OwnFile | null = null
    let stopWatching: () => void = () => undefined

    /** Opens what was asked for in that turn; false where another one has come meanwhile. */
    async function open(which: WhichFlow, file: OwnFile | null, mine: number): Promise<boolean> {
      const { flow: plan } = await client.call('flows.get', which)
      if (mine !== turn) return false
      openedFile = file
      get().forgetFlowRun()
      set({ openedFlow: { which, plan, opening: mine }, flowFileProblem: null, flowRunWanted: false })
      const last = get().flowRuns?.find((run) => isRunOf(plan, run))
      if (last !== undefined) await get().showFlowRun(last.id)
      return mine === turn
    }

    /** Reads the file; one that is open stays so, with its runs, where it is no flow as it is now. */
    async function readFile(file: OwnFile): Promise<void> {
      const mine = ++turn
      const before = openedFile === file ? get().openedFlow : null
      try {
        const which = { source: { text: await file.read(), file: file.name } }
        if (before === null) {
          await open(which, file, mine)
          return
        }
        const { flow: plan } = await client.call('flows.get', which)
        if (mine !== turn) return
        set({ openedFlow: { ...before, which, plan }, flowFileProblem: null })
        notify({ tone: 'ok', title: 'Read again', message: `${file.name} has changed.` })
      } catch (error) {
        if (mine === turn && !isQuiet(error)) set({ flowFileProblem: fileProblemOf(error, file.name, before !== null) })
      }
    }

    /** Resolves with whether the flow is open. */
    async function openBuiltIn(name: string): Promise<boolean> {
      stopWatching()
      try {
        return await open({ name }, null, ++turn)
      } catch (error) {
        if (!isQuiet(error)) notify({ tone: 'bad', title: 'The flow could not be opened', message: sentenceOf(error) })
        return false
      }
    }

    return {
      flows: null,
      flowsProblem: null,
      openedFlow: null,
      flowFileProblem: null,
      flowRunWanted: false,
      async readFlows() {
        try {
          const [{ flows }] = await Promise.all([client.call('flows.list', {}), get().readFlowRuns()])
          set({ flows, flowsProblem: null })
        } catch (error) {
          if (!isQuiet(error)) set({ flowsProblem: sentenceOf(error) })
        }
      },
      async openFlow(name) {
        await openBuiltIn(name)
      },
      async runFlow(name) {
        if (await openBuiltIn(name)) set({ flowRunWanted: true })
      },
      flowRunBegun() {
        set({ flowRunWanted: false })
      },
      async openFlowFile(chosen) {
        let file: OwnFile | null
        try {
          file = await chosen
        } catch (error) {
          notify({ tone: 'bad', title: 'The file could not be opened', message: fileSentenceOf(error) })
          return
        }
        if (file === null) return
        const opened = file
        stopWatching()
        stopWatching = watchFile(opened, () => void readFile(opened))
        await readFile(opened)
      },
      leaveFlow() {
        if (get().openedFlow === null) return false
        if (get().flowComparison !== null) {
          void get().compareFlowRun(null)
          return true
        }
        turn++
        stopWatching()
        openedFile = null
        get().forgetFlowRun()
        set({ openedFlow: null, flowFileProblem: null, flowRunWanted: false })
        return true
      },
    }
  }
}
