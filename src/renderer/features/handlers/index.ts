/** The public parts of the handlers feature, with their checks and forwarding. */
export { CheckScreen } from './check-screen.tsx'
export { ForwardDialogs } from './forwarding-form.tsx'
export { HandlerDialog } from './handler-form.tsx'
export { ReachabilityMark } from './handler-parts.tsx'
export { HandlersScreen, useProbes } from './handlers-screen.tsx'
