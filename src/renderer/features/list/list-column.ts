/**
 * The list of deliveries as plain data: the seqs of all rows in the order shown, and the rows near the view. Updates are pure
 * functions: `(list, …) => list`.
 */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'

/** Above this number of loaded rows, those far from the view are dropped. */
const MOST_ROWS = 2_000
const ROWS_KEPT_AROUND = 300

export interface ListState {
  readonly seqs: readonly number[]
  /** By time from the newest or the oldest, or by a column, which deliveries that arrive later don't join. */
  readonly order: 'newest' | 'oldest' | 'column'
  /** The largest stored seq that the list knows: what arrives is larger. */
  readonly newest: number
  /** Whether all matches are listed. */
  readonly isWhole: boolean
  readonly rows: ReadonlyMap<number, DeliveryRow>
  /** Number of rows added at the top since the list was built. The view moves by its increments, to stay in place. */
  readonly arrived: number
}

export const emptyList: ListState = {
  seqs: [],
  order: 'newest',
  newest: 0,
  isWhole: true,
  rows: new Map(),
  arrived: 0,
}

export function rowCount(list: ListState): number {
  return list.seqs.length
}

/** The row at `index`; undefined if it isn't loaded. */
export function rowAt(list: ListState, index: number): DeliveryRow | undefined {
  return list.rows.get(list.seqs[index] ?? 0)
}

/** The index of a seq in a list by time, or the one at which it would be inserted. */
function placeOfSeq({ seqs, order }: ListState, seq: number): number {
  let low = 0
  let high = seqs.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const one = seqs[middle] ?? 0
    if (order === 'oldest' ? one < seq : one > seq) low = middle + 1
    else high = middle
  }
  return low
}

/** The index of the row with this seq; null if the list doesn't include it. */
export function indexOfSeq(list: ListState, seq: number): number | null {
  const index = list.order === 'column' ? list.seqs.indexOf(seq) : placeOfSeq(list, seq)
  return list.seqs[index] === seq ? index : null
}

/** Adds what arrived, oldest first, at the top, or at the bottom if the oldest come first. `newest`: the largest seq known now. */
export function withArrived(list: ListState, seqs: readonly number[], newest: number): ListState {
  const added = seqs.filter((seq) => seq > list.newest)
  if (newest <= list.newest && added.length === 0) return list
  const known = { ...list, newest: Math.max(newest, list.newest) }
  if (list.order === 'oldest') return { ...known, seqs: list.seqs.concat(added) }
  return {
    ...known,
    seqs: added.reverse().concat(list.seqs),
    arrived: list.arrived + added.length,
  }
}

/** The list once it was read again: what arrived meanwhile is added, and known rows are kept. */
export function withColumn(
  list: ListState,
  { seqs, newest }: Pick<ListState, 'seqs' | 'newest'>,
): ListState {
  const later = list.seqs.filter((seq) => seq > newest)
  const all = list.order === 'oldest' ? seqs.concat(later) : later.concat(seqs)
  const added = list.order === 'newest' ? Math.max(0, all.length - list.seqs.length) : 0
  return {
    ...list,
    seqs: all,
    newest: Math.max(newest, list.newest),
    isWhole: true,
    arrived: list.arrived + added,
  }
}

/**
 * The list without rows that left it, and with those that joined it, by seq. Rows that join above row `first` of the view don't
 * move it.
 */
export function withMembers(
  list: ListState,
  members: ReadonlyMap<number, boolean>,
  first: number,
): ListState {
  const changed = [...members].filter(
    ([seq, isIn]) => seq <= list.newest && isIn !== (indexOfSeq(list, seq) !== null),
  )
  const gone = new Set(changed.flatMap(([seq, isIn]) => (isIn ? [] : [seq])))
  let next = gone.size === 0 ? list : { ...list, seqs: list.seqs.filter((seq) => !gone.has(seq)) }
  for (const [seq, isIn] of changed) {
    if (!isIn) continue
    const index = placeOfSeq(next, seq)
    next = {
      ...next,
      seqs: next.seqs.toSpliced(index, 0, seq),
      arrived: next.arrived + (index <= first ? 1 : 0),
    }
  }
  return next
}

/** Replaces changed rows that are loaded. */
export function withUpdated(list: ListState, rows: readonly DeliveryRow[]): ListState {
  const known = rows.filter(({ seq }) => list.rows.has(seq))
  return known.length === 0 ? list : withRows(list, known)
}

/** Adds loaded rows. */
export function withRows(list: ListState, rows: readonly DeliveryRow[]): ListState {
  return { ...list, rows: new Map([...list.rows, ...rows.map((row) => [row.seq, row] as const)]) }
}

/** Drops loaded rows that are far from the visible ones, if there are many. */
export function keepingNear(list: ListState, first: number, end: number): ListState {
  if (list.rows.size <= MOST_ROWS) return list
  const near = list.seqs.slice(Math.max(0, first - ROWS_KEPT_AROUND), end + ROWS_KEPT_AROUND)
  const rows = near.flatMap((seq) => list.rows.get(seq) ?? [])
  return { ...list, rows: new Map(rows.map((row) => [row.seq, row])) }
}

/**
 * The view's place: its offset in row pixels, the lines added at the top so far, and how many there were when it last started at
 * the newest; null if the user has scrolled away since.
 */
export interface ViewPlace {
  readonly top: number
  readonly arrived: number
  readonly seen: number | null
}

interface Drawn {
  readonly arrived: number
  readonly rowHeight: number
  readonly held: boolean
  readonly following: boolean
}

/** The view's place once `arrived` lines were added: while following, it stays at the top; otherwise every line stays in place. */
export function placeAfter(
  before: ViewPlace,
  { arrived, rowHeight, held, following }: Drawn,
): ViewPlace & { readonly atTop: boolean; readonly showsNewest: boolean } {
  const added = Math.max(0, arrived - before.arrived)
  const top = following ? before.top : before.top + added * rowHeight
  const showsNewest = top < 1
  const seen = showsNewest ? arrived : held ? before.seen : null
  return {
    top,
    arrived,
    seen,
    showsNewest,
    atTop: seen !== null && top < (arrived - seen) * rowHeight + 1,
  }
}
