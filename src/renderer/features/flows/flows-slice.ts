/** Flows in the window: the run form, the open flow file, its runs and series of flows. */
import type { UserFile } from '../../ui-state/user-file.ts'
import { initialDraft } from './flow-draft.ts'
import { FlowFileLoader } from './flow-file-loader.ts'
import { saveReport, type FlowReportFormat } from './flow-report.ts'
import { flowRunActions } from './flow-run-actions.ts'
import { FlowSeriesRunner } from './flow-series-runner.ts'
import type { FlowsState, FlowsTools } from './flows-state.ts'
import { followFlowAddress } from './follow-flow-address.ts'

export function createFlowsSlice(tools: FlowsTools) {
  const { set, app } = tools
  const fileLoader = new FlowFileLoader(tools)
  const seriesRunner = new FlowSeriesRunner(tools)
  followFlowAddress(tools, fileLoader)

  const initial: FlowsState = {
    draft: initialDraft(),
    file: null,
    fileProblem: null,
    flowToRun: null,
    series: null,
  }
  const actions = {
    ...flowRunActions(tools),
    openAndRun(name: string) {
      set({ flowToRun: name })
      app().navigation.go('flows', { flow: name })
    },
    /** Clears the flow to run when its run begins. */
    clearFlowToRun() {
      set({ flowToRun: null })
    },
    /** Opens a flow file once it is chosen, and reloads it on change. Null if none was chosen. */
    async openFile(chosen: UserFile | Promise<UserFile | null>) {
      let file: UserFile | null
      try {
        file = await chosen
      } catch (error) {
        app().files.notOpened(error)
        return
      }
      if (file !== null) await fileLoader.open(file)
    },
    save: (format: FlowReportFormat) => saveReport(tools, format),
    /** Runs all flows, or those named. Rejects if the first one can't run. */
    runAll: (names: readonly string[] | null) => seriesRunner.run(names),
    cancelAll: () => seriesRunner.cancel(),
  }
  return { ...initial, ...actions }
}
