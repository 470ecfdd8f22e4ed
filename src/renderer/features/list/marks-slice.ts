/** Actions on deliveries: pin, note, delete, undo. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { deletionActions } from './deletion-actions.ts'
import { markActions } from './mark-actions.ts'
import { initialMarks, type OpenMarks, type MarksContext, type MarksTools } from './marks-state.ts'
import { UndoHistory, type UndoStep } from './undo-history.ts'

export function createMarksSlice(tools: FeatureTools<OpenMarks, MarksContext>) {
  const { data, app } = tools
  const history = new UndoHistory(() => performance.now())
  const openDelivery = (): DeliveryRow | undefined => {
    const { id } = app().navigation.at.deliveries
    return id === undefined ? undefined : data.cachedOutput('deliveries.get', { id })
  }
  const marksTools: MarksTools = { ...tools, history, openDelivery }
  return {
    ...initialMarks,
    ...markActions(marksTools),
    ...deletionActions(marksTools),
    /**
     * Returns the deliveries to act on: the selected ones, else the current row or open delivery.
     */
    chosen() {
      const {
        selection: { rows: selected },
        list: { rows: list, selectedSeq },
      } = app()
      if (selected.size > 0) return [...selected.values()]
      const row = selectedSeq === null ? undefined : list.rows.get(selectedSeq)
      if (row !== undefined) return [row]
      const open = openDelivery()
      return open === undefined ? [] : [open]
    },
    undo: () => history.undo(),
    /** Adds an undo step for a limited time, and returns its part of a notice. */
    offerUndo(undo: () => void, forMs: number) {
      const step: UndoStep = { undo, until: performance.now() + forMs }
      history.add(step)
      const run = () => {
        history.forget(step)
        undo()
      }
      return { action: { label: 'Undo', run }, shownForMs: forMs }
    },
  }
}
