/** State of flows, and the tools that its action files receive. */
import type { Data } from '../../core-data/data.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { FilesSlice } from '../../ui-state/files-slice.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { FlowDraft } from './flow-draft.ts'
import type { FlowFileProblem } from './flow-file-problem.ts'
import type { FlowSeries } from './flow-table.ts'
import type { FlowFile } from './open-flow.ts'

export interface FlowsState {
  readonly draft: FlowDraft
  readonly file: FlowFile | null
  readonly fileProblem: FlowFileProblem | null
  /** Name of the built-in flow to run as soon as it is shown. */
  readonly flowToRun: string | null
  /** Flows that are run one after the other, or null. */
  readonly series: FlowSeries | null
}

/** Other features' state that the slice uses. */
interface FlowsSliceContext {
  readonly data: Data
  readonly files: FilesSlice
  readonly core: CoreSlice
  readonly navigation: NavigationSlice
  readonly flows: FlowsState
}

export type FlowsTools = FeatureTools<FlowsState, FlowsSliceContext>
