/** The deliveries that are selected in the list, beside the one that it stands on. */
import type { StateCreator } from 'zustand/vanilla'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'

export interface SelectionSlice {
  /** By seq. */
  readonly picked: ReadonlyMap<number, DeliveryRow>
  togglePicked(row: DeliveryRow): void
  addPicked(rows: readonly DeliveryRow[]): void
  /** Takes over what has changed of those selected. */
  refreshPicked(rows: readonly DeliveryRow[]): void
  clearPicked(): void
}

const none: ReadonlyMap<number, DeliveryRow> = new Map()

export const createSelectionSlice: StateCreator<SelectionSlice> = (set, get) => ({
  picked: none,
  togglePicked(row) {
    set(({ picked }) => {
      const next = new Map(picked)
      if (!next.delete(row.seq)) next.set(row.seq, row)
      return { picked: next }
    })
  },
  addPicked(rows) {
    set(({ picked }) => ({ picked: new Map([...picked, ...rows.map((row) => [row.seq, row] as const)]) }))
  },
  refreshPicked(rows) {
    const { picked } = get()
    const changed = rows.filter(({ seq }) => picked.has(seq))
    if (changed.length > 0) set({ picked: new Map([...picked, ...changed.map((row) => [row.seq, row] as const)]) })
  },
  clearPicked() {
    set({ picked: none })
  },
})
