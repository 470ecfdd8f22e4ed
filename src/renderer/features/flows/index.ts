/** The public parts of the flows feature. */
export { flowKeys, flowPalette, leaveFlow } from './commands.ts'
export { droppedFile } from './flow-file.tsx'
export { FLOW_SEARCH_ID, FlowsScreen } from './flows-screen.tsx'
