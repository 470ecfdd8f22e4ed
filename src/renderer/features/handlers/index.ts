import type { Screens } from '../../ui-state/commands.ts'
import { CheckScreen } from './check-screen.tsx'
import { HandlersScreen } from './handlers-screen.tsx'

export { ForwardDialogs } from './forwarding-dialogs.tsx'
export { HandlerDialog } from './handler-form.tsx'
export { ReachabilityMark } from './handler-parts.tsx'
export { useProbes } from './handlers-screen.tsx'

export const ownScreens: Screens<'handlers' | 'forward' | 'check'> = {
  handlers: { Screen: HandlersScreen },
  forward: { Screen: HandlersScreen },
  check: { Screen: CheckScreen },
}
