/** What the shell may use of the flows. */
export { FLOW_RUN_ID, FLOW_STEP_ID } from './flow-controls.tsx'
export { FLOW_SEARCH_ID } from './flow-list.tsx'
export { wordsOfRun } from './flow-runs.tsx'
export { FlowsScreen } from './flows-screen.tsx'
export { openShownDelivery, goToFirstFailed } from './flow-actions.ts'
export { moveActor } from './move.ts'
export { movePlace } from './places.ts'
