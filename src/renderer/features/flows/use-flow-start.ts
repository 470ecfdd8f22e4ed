/** Begins a run of the flow that is open, and holds what has to be agreed to first: a host, or a live environment. */
import { useApp } from '../../state/use-app.ts'
import { useConsents, type Consents } from '../../ui/use-consents.ts'
import type { FlowAsked } from './flow-start.ts'

type Way = Pick<FlowAsked, 'paused' | 'from'> & { readonly step: boolean }

export interface FlowStart extends Consents {
  start(way: Way): void
}

export function useFlowStart(): FlowStart {
  const startFlow = useApp((state) => state.flows.start)
  const consents = useConsents()
  return {
    ...consents,
    start(way) {
      consents.begin((consent) => startFlow({ ...way, ...consent }))
    },
  }
}
