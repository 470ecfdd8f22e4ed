/** The Flows screen: the list of flows, or the open one. */
import { useEffect } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import { LoadingRows, NotRead } from '../../ui/message.tsx'
import { TourOffer } from '../tour/index.ts'
import { FlowList } from './flow-list.tsx'
import { FlowView } from './flow-view.tsx'

export function FlowsScreen() {
  const { flows, problem, opened, connected, readFlows } = useAppParts((state) => ({
    flows: state.flows.all,
    problem: state.flows.problem,
    opened: state.flows.opened,
    connected: state.core.connection.phase === 'open',
    readFlows: state.flows.read,
  }))
  useEffect(() => {
    if (connected) void readFlows()
  }, [connected, readFlows])
  if (opened !== null) return <FlowView key={opened.plan.name} plan={opened.plan} />
  return (
    <section aria-label="Flows" data-pane="flows" className="flex h-full flex-col bg-ground">
      <header className="window-drag flex h-11 shrink-0 items-center gap-3 border-b border-line bg-surface px-4">
        <h1 className="text-title font-medium">Flows</h1>
        <p className="min-w-0 truncate text-small text-muted">Test-mode scenarios, run step by step in an isolated sandbox</p>
        <span className="flex-1" />
        <TourOffer short />
      </header>
      {flows === null && problem === null && (
        <LoadingRows
          label="Loading flows"
          count={8}
          columns={['flex-1', 'w-16']}
          row="h-12 items-center gap-8"
          className="px-4 pt-4"
        />
      )}
      {flows === null && problem !== null && (
        <div className="px-8 pt-12">
          <NotRead title="Couldn't load flows" problem={problem} onAgain={() => void readFlows()} />
        </div>
      )}
      {flows !== null && <FlowList flows={flows} />}
    </section>
  )
}
