/** The current row of the list. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { isUnlisted } from './filter-slice.ts'
import { indexOfSeq, rowAt, rowCount } from './row-list.ts'
import type { ListTools } from './list-state.ts'

export function currentRowActions(
  { set, get, app, loader }: ListTools,
  releaseUnlessUsed: () => void,
) {
  const actions = {
    select(row: DeliveryRow | null) {
      if (row !== null) {
        set({ selectedSeq: row.seq, held: true, selectionHolds: true, reveal: null })
        return
      }
      set({ selectedSeq: null, selectionHolds: false, reveal: null })
      releaseUnlessUsed()
    },
    /** Selects a delivery that the app opens, and scrolls to its row as soon as it is listed. */
    show(row: DeliveryRow) {
      actions.select(row)
      set({ reveal: { seq: row.seq } })
      if (isUnlisted(row, get().query)) app().views.showHidden()
    },
    async selectIndex(index: number) {
      const clamped = () => Math.max(0, Math.min(index, rowCount(get().rows) - 1))
      const seq = get().rows.seqs[clamped()]
      if (seq === undefined) return null
      set({ reveal: { seq } })
      if (rowAt(get().rows, clamped()) === undefined) await loader.reach(clamped())
      const row = rowAt(get().rows, clamped()) ?? null
      if (row !== null) set({ selectedSeq: row.seq, held: true, selectionHolds: true })
      return row
    },
    moveSelection(by: number) {
      const { selectedSeq, rows } = get()
      const from = selectedSeq === null ? null : indexOfSeq(rows, selectedSeq)
      if (from === null) return actions.selectIndex(selectedSeq === null ? loader.firstInView() : 0)
      return actions.selectIndex(from + by)
    },
  }
  return actions
}
