/** The public parts of the handlers feature. */
export { HandlerDialog } from './handler-dialog.tsx'
export { ReachabilityMark } from './handler-page.tsx'
export { HandlersScreen, useProbes } from './handlers-screen.tsx'
