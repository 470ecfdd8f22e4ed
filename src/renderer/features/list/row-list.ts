/** The list of deliveries as plain data, with pure updates: `(list, …) => list`. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'

/** Loaded rows above which rows far from the view are dropped. */
const MAX_ROWS = 2_000
const KEPT_MARGIN = 300

export interface RowList {
  /** Seqs of all rows in the order shown. */
  readonly seqs: readonly number[]
  /**
   * Order of `seqs`: `newest` by seq, `times` by time because imported deliveries are in between,
   * `fixed` for any other, in which new deliveries aren't inserted.
   */
  readonly order: 'newest' | 'times' | 'fixed'
  /** Largest seq read; deliveries that arrive have larger ones. */
  readonly newest: number
  /** Whether all matches are listed. */
  readonly isWhole: boolean
  /** Loaded rows by seq. */
  readonly rows: ReadonlyMap<number, DeliveryRow>
  /** Number of deliveries that were added at the top when they arrived. */
  readonly arrived: number
}

export const emptyList: RowList = {
  seqs: [],
  order: 'newest',
  newest: 0,
  isWhole: true,
  rows: new Map(),
  arrived: 0,
}

export function rowCount(list: RowList): number {
  return list.seqs.length
}

/** Returns the row at `index`; undefined if it isn't loaded. */
export function rowAt(list: RowList, index: number): DeliveryRow | undefined {
  return list.rows.get(list.seqs[index] ?? 0)
}

/** Returns the order of a list that was read newest first. */
export function orderOf(seqs: readonly number[]): 'newest' | 'times' {
  return seqs.every((seq, index) => index === 0 || seq < (seqs[index - 1] ?? 0))
    ? 'newest'
    : 'times'
}

/** Returns the first index below `count` from which on a test holds; `count` if there is none. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the index of a seq in a list from the newest, or the index to insert it at. */
export function placeOfSeq({ seqs, order }: RowList, seq: number): number {
  if (order === 'times') {
    const index = seqs.findIndex((other) => other <= seq)
    return index < 0 ? seqs.length : index
  }
  return firstIndex(seqs.length, (index) => (seqs[index] ?? 0) <= seq)
}

export function indexOfSeq(list: RowList, seq: number): number | null {
  const index = list.order === 'newest' ? placeOfSeq(list, seq) : list.seqs.indexOf(seq)
  return list.seqs[index] === seq ? index : null
}

/**
 * Whether a new delivery may belong elsewhere than at the top: it was received elsewhere, or before
 * an imported one at the top.
 */
export function isBelowTop(
  list: RowList,
  { origin, receivedAt }: Pick<DeliveryRow, 'origin' | 'receivedAt'>,
): boolean {
  const top = rowAt(list, 0)
  const isImportedTop = top !== undefined && top.origin !== 'received'
  return origin !== 'received' || (isImportedTop && receivedAt < top.receivedAt)
}

/** Adds deliveries that arrived, oldest first; `newest` is the largest seq read. */
export function withArrived(list: RowList, seqs: readonly number[], newest: number): RowList {
  const added = seqs.filter((seq) => seq > list.newest)
  if (newest <= list.newest && added.length === 0) return list
  return {
    ...list,
    newest: Math.max(newest, list.newest),
    seqs: added.reverse().concat(list.seqs),
    arrived: list.arrived + added.length,
  }
}

/** Replaces the column after it was read again, with deliveries that arrived meanwhile. */
export function withColumn(
  list: RowList,
  { seqs, newest, order }: Pick<RowList, 'seqs' | 'newest' | 'order'>,
): RowList {
  const later = list.seqs.filter((seq) => seq > newest)
  const added = seqs.filter((seq) => seq > list.newest).length
  return {
    ...list,
    order,
    seqs: later.concat(seqs),
    newest: Math.max(newest, list.newest),
    isWhole: true,
    arrived: list.arrived + added,
  }
}

/** Removes rows that no longer match and adds those that do, by seq. */
export function withMembers(list: RowList, members: ReadonlyMap<number, boolean>): RowList {
  const changed = [...members].filter(
    ([seq, isIn]) => seq <= list.newest && isIn !== (indexOfSeq(list, seq) !== null),
  )
  const gone = new Set(changed.flatMap(([seq, isIn]) => (isIn ? [] : [seq])))
  let next = gone.size === 0 ? list : { ...list, seqs: list.seqs.filter((seq) => !gone.has(seq)) }
  for (const [seq, isIn] of changed)
    if (isIn) next = { ...next, seqs: next.seqs.toSpliced(placeOfSeq(next, seq), 0, seq) }
  return next
}

export function withUpdated(list: RowList, rows: readonly DeliveryRow[]): RowList {
  const loaded = rows.filter(({ seq }) => list.rows.has(seq))
  return loaded.length === 0 ? list : withRows(list, loaded)
}

export function withRows(list: RowList, rows: readonly DeliveryRow[]): RowList {
  return { ...list, rows: new Map([...list.rows, ...rows.map((row) => [row.seq, row] as const)]) }
}

/** Drops loaded rows that are far from the visible ones, if there are many. */
export function keepingNear(list: RowList, first: number, end: number): RowList {
  if (list.rows.size <= MAX_ROWS) return list
  const near = list.seqs.slice(Math.max(0, first - KEPT_MARGIN), end + KEPT_MARGIN)
  const rows = near.flatMap((seq) => list.rows.get(seq) ?? [])
  return { ...list, rows: new Map(rows.map((row) => [row.seq, row])) }
}
