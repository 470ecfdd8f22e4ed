/** The Flows screen: the list of flows with their last results, or the open flow. */
import { useApp } from '../../ui-state/use-app.ts'
import { AllFlows } from './all-flows.tsx'
import { FlowView } from './flow-view.tsx'
import { isFlowOpen } from './open-flow.ts'

export function FlowsScreen() {
  const { flow, file } = useApp((state) => state.navigation.at.flows)
  const isOpen = useApp(isFlowOpen)
  return isOpen ? <FlowView key={`${flow} ${file}`} /> : <AllFlows />
}
