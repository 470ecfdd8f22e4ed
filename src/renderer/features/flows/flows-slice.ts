/** Flows in the window: which there are, and the one that is open, a built-in one or one of a file that is read again as it changes. */
import { z } from 'zod'
import { AppError } from '../../../shared/contract/errors.ts'
import { flowProblemSchema, type FlowProblem, type FlowSummary } from '../../../shared/model/flow-run.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { fileSentenceOf } from '../../state/file-sentence.ts'
import { isQuiet } from '../../state/slice-context.ts'
import type { FlowRunsSlice, FlowViewSlice } from './flow-runs-slice.ts'
import type { OpenedFlow, WhichFlow } from './flow-start.ts'
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
  readonly all: readonly FlowSummary[] | null
  readonly problem: string | null
  readonly opened: OpenedFlow | null
  readonly fileProblem: FlowFileProblem | null
  /** The flow that was opened is to be run at once. */
  readonly runWanted: boolean
  read(): Promise<void>
  /** Opens a built-in flow, and its newest run where there is one. */
  open(name: string): Promise<void>
  /** Opens a built-in flow and runs it, as the button does. */
  openAndRun(name: string): Promise<void>
  /** The run that was asked for is begun, or asked about. */
  runBegun(): void
  /** Opens a file of one's own, once it is chosen, and reads it again whenever it has changed. Null: none was chosen. */
  openFile(chosen: OwnFile | Promise<OwnFile | null>): Promise<void>
  /** Back to the list; false where it is shown already. */
  leave(): boolean
}

const problemsSchema = z.array(flowProblemSchema)

function fileProblemOf(error: unknown, file: string, isOpen: boolean): FlowFileProblem {
  const problems = problemsSchema.safeParse(error instanceof AppError ? error.details : null)
  return { file, isOpen, message: fileSentenceOf(error), problems: problems.data ?? [] }
}

export function createFlowsSlice({
  client,
  resource,
  fail,
  notify,
  set,
  get,
}: FeatureTools<FlowsSlice & FlowRunsSlice & FlowViewSlice>): FlowsSlice {
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
    get().forgetRun()
    set({ opened: { which, plan, opening: mine }, fileProblem: null, runWanted: false })
    const last = get().runs?.find((run) => isRunOf(plan, run))
    if (last !== undefined) await get().showRun(last.id)
    return mine === turn
  }

  /** Reads the file; one that is open stays so, with its runs, where it is no flow as it is now. */
  async function readFile(file: OwnFile): Promise<void> {
    const mine = ++turn
    const before = openedFile === file ? get().opened : null
    try {
      const which = { source: { text: await file.read(), file: file.name } }
      if (before === null) {
        await open(which, file, mine)
        return
      }
      const { flow: plan } = await client.call('flows.get', which)
      if (mine !== turn) return
      set({ opened: { ...before, which, plan }, fileProblem: null })
      notify({ tone: 'ok', title: 'Flow reloaded', message: `${file.name} has changed.` })
    } catch (error) {
      if (mine === turn && !isQuiet(error)) set({ fileProblem: fileProblemOf(error, file.name, before !== null) })
    }
  }

  /** Resolves with whether the flow is open. */
  async function openBuiltIn(name: string): Promise<boolean> {
    stopWatching()
    try {
      return await open({ name }, null, ++turn)
    } catch (error) {
      fail('Couldn’t open the flow', error)
      return false
    }
  }

  return {
    all: null,
    problem: null,
    opened: null,
    fileProblem: null,
    runWanted: false,
    read: resource(async () => {
      const [{ flows }] = await Promise.all([client.call('flows.list', {}), get().readRuns()])
      return { all: flows }
    }, 'problem'),
    async open(name) {
      await openBuiltIn(name)
    },
    async openAndRun(name) {
      if (await openBuiltIn(name)) set({ runWanted: true })
    },
    runBegun() {
      set({ runWanted: false })
    },
    async openFile(chosen) {
      let file: OwnFile | null
      try {
        file = await chosen
      } catch (error) {
        notify({ tone: 'bad', title: 'Couldn’t open the file', message: fileSentenceOf(error) })
        return
      }
      if (file === null) return
      const opened = file
      stopWatching()
      stopWatching = watchFile(opened, () => void readFile(opened))
      await readFile(opened)
    },
    leave() {
      if (get().opened === null) return false
      if (get().comparison !== null) {
        void get().compareRun(null)
        return true
      }
      turn++
      stopWatching()
      openedFile = null
      get().forgetRun()
      set({ opened: null, fileProblem: null, runWanted: false })
      return true
    },
  }
}
