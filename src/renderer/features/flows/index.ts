/** What the shell may use of the flows. */
export { flowKeys, flowPalette } from './commands.ts'
export { leaveFlow } from './flow-actions.ts'
export { FLOW_SEARCH_ID } from './flow-list.tsx'
export { FlowsScreen } from './flows-screen.tsx'
