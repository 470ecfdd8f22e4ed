/** Icons and words of steps, from the table of outcomes. */
import type { Look } from '../../../shared/flow-diagram/rows.ts'
import type { FlowRunSummary } from '../../../shared/model/flow-run.ts'
import { labelOf, lookOfRun, stepOutcomes, type Outcome } from '../../../shared/model/outcomes.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import type { FlowPlace } from './places.ts'

export function outcomeOfLook(look: Look): Outcome {
  return stepOutcomes[look === 'stray' ? 'unexpected' : look]
}

export function lookOfPlace(place: FlowPlace): Look {
  if (place.kind === 'stray') return 'stray'
  if (!('state' in place.step)) return 'planned'
  return place.step.outcome ?? (place.step.state === 'running' ? 'running' : 'planned')
}

function outcomeOfPlace(place: FlowPlace): Outcome {
  return place.kind === 'stray' ? stepOutcomes[place.stray.kind] : outcomeOfLook(lookOfPlace(place))
}

export function PlaceMark({
  place,
  large = false,
}: {
  readonly place: FlowPlace
  readonly large?: boolean
}) {
  return <OutcomeMark outcome={outcomeOfPlace(place)} large={large} />
}

export function wordOfRun(run: FlowRunSummary): string {
  return labelOf(lookOfRun(run))
}
