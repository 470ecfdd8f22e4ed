/** Where one looks in the drawing or the list of a flow. */
import type { StateCreator } from 'zustand/vanilla'
import type { FlowActor } from '../../../shared/model/flow.ts'

export interface FlowViewSlice {
  /** The run's place that is looked at: the number of a step, or the id of a delivery that no step asked for. */
  readonly flowPlace: string | null
  /** The lifeline that is looked at; null: none in particular. */
  readonly flowActor: FlowActor | null
  /** Null: what suits the width. */
  readonly flowView: 'diagram' | 'list' | null
  selectFlowPlace(place: string): void
  /** Looks at an actor, where it takes part. */
  lookAtFlowActor(actor: FlowActor, place: string): void
  setFlowView(view: 'diagram' | 'list'): void
}

export const createFlowViewSlice: StateCreator<FlowViewSlice> = (set, get) => ({
  flowPlace: null,
  flowActor: null,
  flowView: null,
  selectFlowPlace(place) {
    if (get().flowPlace !== place) set({ flowPlace: place, flowActor: null })
  },
  lookAtFlowActor(actor, place) {
    set({ flowActor: actor, flowPlace: place })
  },
  setFlowView(view) {
    set({ flowView: view })
  },
})
