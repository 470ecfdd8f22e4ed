/** Days between the deliveries of a list sorted by time: an item of the view is a row, or the day of the row below it. */
import { dayKey } from '../../ui/moment.ts'
import { rowAt, type ListState } from './list-column.ts'

/** Rows in a step of the view, after which the days near it are found again. */
export const DAY_STEP = 100
/** Rows above and below the step in which days are found: those that were scrolled past are loaded. */
const AROUND = 300

/**
 * Returns the indexes of loaded rows near a step of the view that are of another day than the row above them, ascending. The first
 * row of the list counts unless it is of today.
 */
export function dayStarts(list: ListState, step: number, today: string): readonly number[] {
  const from = Math.max(0, step * DAY_STEP - AROUND)
  const end = Math.min(list.seqs.length, (step + 1) * DAY_STEP + AROUND)
  const starts: number[] = []
  let above = from === 0 ? today : undefined
  for (let index = from; index < end; index++) {
    const row = rowAt(list, index)
    const day = row === undefined ? undefined : dayKey(row.receivedAt)
    if (above !== undefined && day !== undefined && day !== above) starts.push(index)
    above = day
  }
  return starts
}

/** Returns the place of a row among the items. */
export function itemOfRow(starts: readonly number[], index: number): number {
  return index + starts.filter((start) => start <= index).length
}

/** Returns the row of an item, or the row below it if the item is a day. */
export function rowOfItem(
  starts: readonly number[],
  item: number,
): { readonly index: number; readonly isDay: boolean } {
  const above = starts.filter((start, place) => start + place < item).length
  return { index: item - above, isDay: starts[above] === item - above }
}
