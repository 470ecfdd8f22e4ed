/** The public parts of the flows feature. */
export { flowKeys, flowPalette } from './commands.ts'
export { leaveFlow } from './flow-actions.ts'
export { FLOW_SEARCH_ID } from './flow-list.tsx'
export { FlowsScreen } from './flows-screen.tsx'
export { droppedFile } from './own-file.ts'
