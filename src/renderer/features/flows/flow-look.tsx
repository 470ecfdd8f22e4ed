/** The icon and word of a step, from the table of outcomes. */
import { stepOutcomes, type Outcome } from '../../../shared/model/outcomes.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import type { FlowPlace } from './places.ts'

function outcomeOfPlace(place: FlowPlace): Outcome {
  if (place.kind === 'stray') return stepOutcomes[place.stray.kind]
  if (!('state' in place.step)) return stepOutcomes.planned
  const { outcome, state } = place.step
  return stepOutcomes[outcome ?? (state === 'running' ? 'running' : 'planned')]
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
