/** Where one looks in the drawing or the list of a flow. */
import type { FlowActor } from '../../../shared/model/flow.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'

export interface FlowViewSlice {
  /** The run's place that is looked at: the number of a step, or the id of a delivery that no step asked for. */
  readonly place: string | null
  /** The lifeline that is looked at; null: none in particular. */
  readonly actor: FlowActor | null
  /** Null: what suits the width. */
  readonly view: 'diagram' | 'list' | null
  selectPlace(place: string): void
  /** Looks at an actor, where it takes part. */
  lookAtActor(actor: FlowActor, place: string): void
  setView(view: 'diagram' | 'list'): void
}

export function createFlowViewSlice({ set, get }: FeatureTools<FlowViewSlice>): FlowViewSlice {
  return {
    place: null,
    actor: null,
    view: null,
    selectPlace(place) {
      if (get().place !== place) set({ place, actor: null })
    },
    lookAtActor(actor, place) {
      set({ actor, place })
    },
    setView(view) {
      set({ view })
    },
  }
}
