import type { AppStore } from '../../ui-state/store.ts'
import { isFlowOpen } from './open-flow.ts'

/** Closes the flow and focuses its row in the list. False if the list is already shown. */
export function leaveFlow(store: AppStore): boolean {
  const state = store.getState()
  if (!isFlowOpen(state)) return false
  const { flow } = state.navigation.at.flows
  state.navigation.go('flows', {})
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-flow-row="${CSS.escape(flow ?? '')}"]`)?.focus(),
  )
  return true
}
