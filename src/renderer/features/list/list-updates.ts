/**
 * The list of deliveries as plain data, with its updates as pure functions: `(state, …) => state`.
 *
 * Rows are in two parts, newest first: the `head`, which arrived since the list was anchored and is kept completely, and
 * below it `total` rows in pages of 100, each identified by its first seq. Only pages near the viewport are kept. While a
 * search is being counted, rows are appended at the bottom. Oldest first, there is no head: what arrives is appended too.
 */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'

export const PAGE_SIZE = 100
/** If the head is longer than this, its older half becomes pages. */
export const LONGEST_HEAD = 2_000
const PAGES_KEPT_AROUND = 3

export type Page = readonly (DeliveryRow | undefined)[]

export interface ListState {
  /** Rows newer than `newest`, newest first. */
  readonly head: readonly DeliveryRow[]
  /** Largest seq stored when the list was anchored, or last appended to; 0 for an empty store. */
  readonly newest: number
  /** Number of rows below the head. */
  readonly total: number
  /** The seq at which page `k` starts. */
  readonly anchors: readonly number[]
  /** The position to continue counting from; null once complete. */
  readonly next: number | null
  readonly pages: ReadonlyMap<number, Page>
  /** The seqs of all rows if they are sorted by a column, which deliveries that arrive later don't join; null if by time. */
  readonly order: readonly number[] | null
  readonly oldestFirst: boolean
  /** Number of rows added at the top since the list was built. The view moves by its increments, to stay in place. */
  readonly arrived: number
}

export interface Anchors {
  readonly total: number
  readonly anchors: readonly number[]
  readonly newest: number
  readonly next: number | null
}

export const emptyList: ListState = {
  head: [],
  newest: 0,
  total: 0,
  anchors: [],
  next: null,
  pages: new Map(),
  order: null,
  oldestFirst: false,
  arrived: 0,
}

export function rowCount(state: ListState): number {
  return state.head.length + state.total
}

/** The row at `index`; undefined if its page isn't loaded. */
export function rowAt(state: ListState, index: number): DeliveryRow | undefined {
  if (index < state.head.length) return state.head[index]
  const below = index - state.head.length
  return state.pages.get(Math.floor(below / PAGE_SIZE))?.[below % PAGE_SIZE]
}

/** The index of the row with this seq; null if its page isn't loaded or the list doesn't include it. */
export function indexOfSeq(state: ListState, seq: number): number | null {
  if (state.order !== null) {
    const index = state.order.indexOf(seq)
    return index === -1 ? null : index
  }
  if (seq > state.newest && !state.oldestFirst) {
    const index = state.head.findIndex((row) => row.seq === seq)
    return index === -1 ? null : index
  }
  const page = pageOfSeq(state, seq)
  const within = state.pages.get(page)?.findIndex((row) => row?.seq === seq) ?? -1
  return within === -1 ? null : state.head.length + page * PAGE_SIZE + within
}

/** Whether the list can tell if it includes this row: its page is loaded. */
export function isKnown(state: ListState, seq: number): boolean {
  return (
    (seq > state.newest && !state.oldestFirst) ||
    state.total === 0 ||
    state.pages.has(pageOfSeq(state, seq))
  )
}

/** A list from new anchors. Known rows are carried over, so that nothing flickers. */
export function anchored(state: ListState, fresh: Anchors): ListState {
  const head = state.head.filter((row) => row.seq > fresh.newest)
  const shift = head.length + fresh.total - rowCount(state)
  const known = new Map<number, DeliveryRow>()
  for (const row of state.head) known.set(row.seq, row)
  const pages = new Map<number, Page>()
  const next: ListState = {
    head,
    newest: fresh.newest,
    total: fresh.total,
    anchors: fresh.anchors,
    next: fresh.next,
    pages,
    order: null,
    oldestFirst: false,
    arrived: state.arrived + Math.max(0, shift),
  }
  const carry = (oldIndex: number) => {
    const row = rowAt(state, oldIndex)
    const below = oldIndex + shift - head.length
    if (row === undefined || below < 0 || below >= fresh.total) return
    const page = Math.floor(below / PAGE_SIZE)
    const rows =
      pages.get(page) ??
      new Array<DeliveryRow | undefined>(lengthOfPage(next, page)).fill(undefined)
    ;(rows as (DeliveryRow | undefined)[])[below % PAGE_SIZE] = row
    pages.set(page, rows)
  }
  if (shift < 0) return next
  state.head.forEach((_, index) => carry(index))
  for (const [page, rows] of state.pages)
    rows.forEach((_, within) => carry(state.head.length + page * PAGE_SIZE + within))
  return next
}

/** A list from new anchors, oldest first. Pages with the same bounds as before are carried over. */
export function anchoredUp(state: ListState, fresh: Anchors): ListState {
  const next: ListState = { ...emptyList, ...fresh, oldestFirst: true, arrived: state.arrived }
  const isSame = ([page, rows]: readonly [number, Page]) =>
    [page, page + 1].every((each) => state.anchors[each] === fresh.anchors[each]) &&
    rows.length === lengthOfPage(next, page)
  return state.oldestFirst ? { ...next, pages: new Map([...state.pages].filter(isSame)) } : next
}

/** A list from new anchors without known rows, after an inconsistency. */
export function rebuilt(state: ListState, fresh: Anchors): ListState {
  return {
    ...fresh,
    head: state.head.filter((row) => row.seq > fresh.newest),
    pages: new Map(),
    order: null,
    oldestFirst: state.oldestFirst,
    arrived: state.arrived,
  }
}

/** A list in the order of a column. Known rows are carried over. */
export function sorted(state: ListState, order: readonly number[]): ListState {
  const known = new Map(
    [...state.head, ...[...state.pages.values()].flat()].map((row) => [row?.seq, row]),
  )
  const pages = new Map<number, Page>()
  for (let from = 0; from < order.length; from += PAGE_SIZE) {
    const rows = order.slice(from, from + PAGE_SIZE).map((seq) => known.get(seq))
    if (!rows.includes(undefined)) pages.set(from / PAGE_SIZE, rows)
  }
  return { ...emptyList, total: order.length, pages, order, arrived: state.arrived }
}

/** Appends newly counted rows at the bottom. */
export function extended(state: ListState, more: Anchors): ListState {
  const next = {
    ...state,
    newest: state.oldestFirst ? more.newest : state.newest,
    total: state.total + more.total,
    anchors: [...state.anchors, ...more.anchors],
    next: more.next,
  }
  const last = state.anchors.length - 1
  const rows = state.pages.get(last)
  if (rows === undefined) return next
  return { ...next, pages: new Map(state.pages).set(last, padded(rows, lengthOfPage(next, last))) }
}

/** Turns the older part of a long head into complete pages, so that the pages below keep their boundaries. */
export function folded(state: ListState): { readonly list: ListState; readonly pages: number } {
  const count = Math.floor(state.head.length / 2 / PAGE_SIZE)
  if (count === 0) return { list: state, pages: 0 }
  const kept = state.head.length - count * PAGE_SIZE
  const made = Array.from({ length: count }, (_, page) =>
    state.head.slice(kept + page * PAGE_SIZE, kept + (page + 1) * PAGE_SIZE),
  )
  const list = {
    ...state,
    head: state.head.slice(0, kept),
    newest: made[0]?.[0]?.seq ?? state.newest,
    total: state.total + count * PAGE_SIZE,
    anchors: [...made.map((rows) => rows[0]?.seq ?? 0), ...state.anchors],
    pages: new Map<number, Page>([
      ...made.map((rows, page): [number, Page] => [page, rows]),
      ...[...state.pages].map(([page, rows]): [number, Page] => [page + count, rows]),
    ]),
  }
  return { list, pages: count }
}

/** Adds arrived rows at the top, newest first, without rows already in the list. */
export function withArrived(state: ListState, rows: readonly DeliveryRow[]): ListState {
  const last = state.head[0]?.seq ?? state.newest
  const added = rows.filter((row) => row.seq > last)
  if (added.length === 0) return state
  return { ...state, head: [...added, ...state.head], arrived: state.arrived + added.length }
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

/** Replaces changed rows, wherever they are. */
export function withUpdated(state: ListState, rows: readonly DeliveryRow[]): ListState {
  if (rows.length === 0) return state
  const changed = new Map(rows.map((row) => [row.seq, row]))
  const replace = <R extends DeliveryRow | undefined>(row: R): R =>
    ((row && changed.get(row.seq)) ?? row) as R
  const touches = (page: Page) => page.some((row) => row !== undefined && changed.has(row.seq))
  const pages = [...state.pages.values()].some(touches)
    ? new Map(
        [...state.pages].map(([index, page]): [number, Page] => [
          index,
          touches(page) ? page.map(replace) : page,
        ]),
      )
    : state.pages
  const head = touches(state.head) ? state.head.map(replace) : state.head
  return head === state.head && pages === state.pages ? state : { ...state, head, pages }
}

export function withPage(state: ListState, page: number, rows: readonly DeliveryRow[]): ListState {
  return {
    ...state,
    pages: new Map(state.pages).set(page, padded(rows, lengthOfPage(state, page))),
  }
}

function padded(rows: Page, length: number): Page {
  return Array.from({ length }, (_, index) => rows[index])
}

/** The last possible seq in page `page`; undefined if unknown. */
export function endOfPage(state: ListState, page: number): number | undefined {
  const below = state.anchors[page + 1] ?? state.next
  return below === null ? undefined : state.oldestFirst ? below - 1 : below + 1
}

/** Drops the pages far from the visible rows. */
export function keepingNear(state: ListState, first: number, end: number): ListState {
  const from = pageOfIndex(state, first) - PAGES_KEPT_AROUND
  const to = pageOfIndex(state, end) + PAGES_KEPT_AROUND
  const near = [...state.pages].filter(([page]) => page >= from && page <= to)
  return near.length === state.pages.size ? state : { ...state, pages: new Map(near) }
}

/** Pages needed by rows `first` to `end` (exclusive) that aren't completely loaded. */
export function missingPages(state: ListState, first: number, end: number): readonly number[] {
  if (state.total === 0 || end <= state.head.length) return []
  const missing: number[] = []
  for (let page = pageOfIndex(state, first); page <= pageOfIndex(state, end - 1); page++) {
    const rows = state.pages.get(page)
    if (rows === undefined || rows.includes(undefined)) missing.push(page)
  }
  return missing
}

/** Number of rows in page `page`. */
export function lengthOfPage(state: ListState, page: number): number {
  return Math.max(0, Math.min(PAGE_SIZE, state.total - page * PAGE_SIZE))
}

function pageOfIndex(state: ListState, index: number): number {
  const below = Math.max(0, Math.min(index - state.head.length, state.total - 1))
  return Math.floor(below / PAGE_SIZE)
}

/** The last page whose first seq is not past `seq`: anchors decrease from page to page, or increase if the oldest come first. */
function pageOfSeq(state: ListState, seq: number): number {
  let low = 0
  let high = state.anchors.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const anchor = state.anchors[middle] ?? 0
    if (state.oldestFirst ? anchor <= seq : anchor >= seq) low = middle
    else high = middle - 1
  }
  return low
}
