/**
 * Days between the deliveries of a list sorted by time: an item of the view is a row, or the day of
 * the row below it.
 */
import { dayKey } from '../../ui/moment.ts'
import { firstIndex, rowAt, type RowList } from './row-list.ts'

/** Rows per step: the days near the view are found again when it enters another step. */
export const DAY_STEP = 1_000
/** Rows above and below the step in which days are found. */
const MARGIN = 5_000

/**
 * Returns the indexes of the rows near the view where a new day starts, ascending, with the first
 * row unless it is of today.
 *
 * @param daysBySeq Days of all rows that were ever loaded, to which this function adds; so no day
 *   disappears if its rows are dropped.
 */
export function dayStarts(
  list: RowList,
  step: number,
  today: string,
  daysBySeq: Map<number, string>,
): readonly number[] {
  const from = Math.max(0, step * DAY_STEP - MARGIN)
  const end = Math.min(list.seqs.length, (step + 1) * DAY_STEP + MARGIN)
  const starts: number[] = []
  let above = from === 0 ? today : undefined
  for (let index = from; index < end; index++) {
    const seq = list.seqs[index] ?? 0
    const row = daysBySeq.has(seq) ? undefined : rowAt(list, index)
    if (row !== undefined) daysBySeq.set(seq, dayKey(row.receivedAt))
    const day = daysBySeq.get(seq)
    if (above !== undefined && day !== undefined && day !== above) starts.push(index)
    above = day
  }
  return starts
}

/** Returns the item of a row. */
export function itemOfRow(starts: readonly number[], index: number): number {
  return index + firstIndex(starts.length, (place) => (starts[place] ?? 0) > index)
}

/** Returns the row of an item, or the row below it if the item is a day. */
export function rowOfItem(
  starts: readonly number[],
  item: number,
): { readonly index: number; readonly isDay: boolean } {
  const above = firstIndex(starts.length, (place) => (starts[place] ?? 0) + place >= item)
  return { index: item - above, isDay: starts[above] === item - above }
}
