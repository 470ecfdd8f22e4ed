/** The public parts of the flows feature. */
import type { Screens } from '../../state/commands.ts'
import { leaveFlow } from './commands.ts'
import { FLOW_SEARCH_ID, FlowsScreen } from './flows-screen.tsx'

export { flowKeys, flowPalette } from './commands.ts'
export { droppedFile } from './flow-file.tsx'

export const ownScreens: Screens<'flows'> = {
  flows: {
    Screen: FlowsScreen,
    scopes: ({ flows }) => (flows.opened === null ? [] : ['flows']),
    searchId: ({ flows }) => (flows.opened === null ? FLOW_SEARCH_ID : null),
    leave: leaveFlow,
  },
}
