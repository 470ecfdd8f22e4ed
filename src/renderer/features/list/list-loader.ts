/**
 * Loads the list of deliveries and keeps it complete: anchors, pages near the view, and the newest rows if an event couldn't
 * deliver them all. In whatever order responses arrive, no row is lost or shown twice. A slow count is shown while it grows, and
 * the next search ends it.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { ColumnSortKey, DeliveryRow, SortKey } from '../../../shared/model/delivery.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'
import {
  LONGEST_HEAD,
  PAGE_SIZE,
  anchored,
  anchoredUp,
  emptyList,
  endOfPage,
  extended,
  folded,
  indexOfSeq,
  isKnown,
  keepingNear,
  lengthOfPage,
  missingPages,
  rebuilt,
  rowAt,
  rowCount,
  sorted,
  withArrived,
  withPage,
  type ListState,
} from './list-updates.ts'

const HEAD_READ = 1_000
/** A rebuilt list shows its first rows after this many milliseconds, and more of them at each further step. */
const FIRST_COUNT_MS = 25
const FURTHER_COUNT_MS = 200
/** Once nothing has arrived for this long, the number of rows must be consistent. */
const QUIET_MS = 1_000
/** More new rows than this fill the view, so they need not light up. */
const MOST_LIT = 20
/** Sorting that takes longer is shown, and can be cancelled. */
const SHOW_SORTING_AFTER_MS = 150
/** Minimum interval for reordering rows that started or stopped matching. */
const RECHECK_MS = 500

/** While scrolling, pages are loaded before they come into view. */
const ROWS_AHEAD = 2 * PAGE_SIZE
const nothingAhead = { above: 0, below: 0 }
/** Above this number of pages, distant ones are dropped. */
const MOST_PAGES = 16

export interface ListSort {
  readonly by: SortKey
  readonly descending: boolean
}

export const NEWEST_FIRST: ListSort = { by: 'time', descending: true }

export const isNewestFirst = ({ by, descending }: ListSort): boolean => by === 'time' && descending

/** Whether the list moves down for new rows. If not, no visible row moves. */
export function isFollowing({
  follow,
  held,
  atTop,
}: Pick<ListPart, 'follow' | 'held' | 'atTop'>): boolean {
  return follow && !held && atTop
}

/** Whether the list follows and has no new rows out of view. If so, the follow key stops following; otherwise it continues. */
export function isUpToDate({
  follow,
  held,
  unseen,
}: Pick<ListPart, 'follow' | 'held' | 'unseen'>): boolean {
  return follow && !held && unseen === 0
}

/** The list's part of the state, and the instructions for its next change. */
export interface ListPart {
  readonly rows: ListState
  /** Incremented for each rebuilt list (another filter): the view then returns to the top. */
  readonly generation: number
  readonly phase: 'loading' | 'ready' | 'failed'
  /** Another list is loading, and its first page isn't shown yet. */
  readonly awaitsFirstPage: boolean
  readonly problem: string | null
  /** The applied filter. */
  readonly query: string
  readonly queryProblem: string | null
  readonly follow: boolean
  /** Nothing moves: a row was selected, or the pointer moved over the list. */
  readonly held: boolean
  /** The view starts at the newest row, or at the one that was the newest when the list was held. */
  readonly atTop: boolean
  readonly sort: ListSort
  /** Whether a slow sort is in progress. */
  readonly sorting: boolean
  /** The column that the list couldn't be sorted by, because too many deliveries match; null otherwise. */
  readonly unsorted: SortKey | null
  /** Rows that arrived above the view. */
  readonly unseen: number
  /** Rows above this seq arrived with the last change and light up. */
  readonly freshAbove: number
}

type Change = Partial<ListPart> | ((state: ListPart) => Partial<ListPart>)

interface ListLoader {
  /** Queries the core again: for another filter, for an update that keeps known rows, or after an inconsistency. */
  anchorAgain(how: 'from-scratch' | 'carry-over' | 'rebuild'): Promise<void>
  /** Adds rows from an event, and loads those that it couldn't include. */
  take(added: readonly DeliveryRow[], skipped: number, total: number): void
  /** With a filter, checks whether updated rows started or stopped matching. */
  recheck(updated: readonly DeliveryRow[]): Promise<void>
  /** Reports the visible rows: their pages are loaded, and distant ones dropped. */
  look(first: number, end: number): void
  /** The first visible row. */
  firstInView(): number
  /** Loads the page of one row and, if the row isn't in it, the whole list. */
  reach(index: number): Promise<void>
}

export function createListLoader(
  client: Client,
  set: (change: Change) => void,
  get: () => ListPart,
  /** How many stored deliveries the list without a filter leaves out, as far as they are counted. */
  hidden: () => number,
): ListLoader {
  let listToken = 0
  let view = { first: 0, end: 50 }
  /** Number of arrived rows when the view was last reported. */
  let arrivedAtView = 0
  let ahead = nothingAhead
  /** By page, counted from the first anchor, so that pages added on top don't change it. */
  const loadingPages = new Map<number, Promise<void>>()
  let pagesOnTop = 0
  let asking = new AbortController()
  let readingHead = false
  let headChanged = false
  let anchoring = false
  /** The query has changed, and the list still shows the previous query's rows. */
  let isOfOtherQuery = false
  let quietTimer: ReturnType<typeof setTimeout> | undefined
  let recheckTimer: ReturnType<typeof setTimeout> | undefined

  const queryInput = () => (get().query === '' ? {} : { query: get().query })
  const direction = () => (get().rows.oldestFirst ? { oldestFirst: true } : {})

  const arrive = (rows: readonly DeliveryRow[]) => {
    const before = get().rows
    if (before.order !== null || before.oldestFirst) return
    const list = withArrived(before, rows)
    if (list === before) return
    const { unseen } = get()
    const added = list.arrived - before.arrived
    const freshAbove =
      added > MOST_LIT ? Number.POSITIVE_INFINITY : (before.head[0]?.seq ?? before.newest)
    const { list: shorter, pages } =
      list.head.length > LONGEST_HEAD ? folded(list) : { list, pages: 0 }
    pagesOnTop += pages
    set({ rows: shorter, freshAbove, unseen: isFollowing(get()) ? 0 : unseen + added })
  }

  /** Loads the newest rows if an event couldn't include them all: with a filter, in a burst, or oldest first. */
  const readHead = async () => {
    if (readingHead) {
      headChanged = true
      return
    }
    readingHead = true
    try {
      do {
        headChanged = false
        const token = listToken
        if (get().rows.oldestFirst) {
          await appendNew(token)
          continue
        }
        const last = get().rows.head[0]?.seq ?? get().rows.newest
        const { rows } = await client.call('deliveries.page', {
          ...queryInput(),
          to: last + 1,
          limit: HEAD_READ,
        })
        if (token !== listToken) {
          // The list was anchored meanwhile, possibly before these rows were stored: load them again.
          headChanged = true
          continue
        }
        if (rows.length < HEAD_READ) arrive(rows)
        else await anchorAgain('carry-over')
      } while (headChanged && get().rows.order === null)
    } catch (error) {
      if (!isQuiet(error)) set({ problem: sentenceOf(error) })
    } finally {
      readingHead = false
    }
  }

  /** Rebuilds the list if, once quiet, it doesn't have `total` rows (null: always). */
  const checkWhenQuiet = (total: number | null) => {
    clearTimeout(quietTimer)
    quietTimer = setTimeout(() => {
      if (anchoring || readingHead || get().rows.next !== null) checkWhenQuiet(total)
      else if (total === null || (get().query === '' && rowCount(get().rows) !== total - hidden()))
        void anchorAgain('rebuild')
    }, QUIET_MS)
  }

  const loadPage = (page: number): Promise<void> => {
    const key = page - pagesOnTop
    const under = loadingPages.get(key)
    if (under !== undefined) return under
    const { order, anchors } = get().rows
    const from = anchors[page]
    if (from === undefined && order === null) return Promise.resolve()
    const token = listToken
    const expected = lengthOfPage(get().rows, page)
    const { signal } = asking
    const loading = (
      order === null
        ? client.call(
            'deliveries.page',
            {
              ...queryInput(),
              ...direction(),
              from,
              to: endOfPage(get().rows, page),
              limit: PAGE_SIZE,
            },
            { signal },
          )
        : client.call(
            'deliveries.rows',
            { seqs: order.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE) },
            { signal },
          )
    )
      .then(({ rows }) => {
        if (token !== listToken) return
        // Rows were deleted since the list was anchored, so it no longer matches the store.
        if (rows.length < expected) checkWhenQuiet(null)
        set(({ rows: list }) => ({ rows: withPage(list, key + pagesOnTop, rows) }))
      })
      .catch((error: unknown) => {
        if (token === listToken && !isQuiet(error)) set({ problem: sentenceOf(error) })
      })
      .finally(() => {
        if (loadingPages.get(key) === loading) loadingPages.delete(key)
        // More of the page was counted during loading.
        if (token === listToken && lengthOfPage(get().rows, key + pagesOnTop) > expected)
          void loadView()
      })
    loadingPages.set(key, loading)
    return loading
  }

  const loadView = () =>
    Promise.all(
      missingPages(get().rows, view.first - ahead.above, view.end + ahead.below).map(loadPage),
    )

  /** Counts the remaining rows and appends them at the bottom. */
  const countOn = async (token: number, signal: AbortSignal, start = get().rows.next) => {
    for (let from = start; from !== null;) {
      const skip = get().rows.total
      const input = {
        ...queryInput(),
        ...direction(),
        pageSize: PAGE_SIZE,
        from,
        skip,
        patience: FURTHER_COUNT_MS,
      }
      const more = await client.call('deliveries.anchors', input, { signal })
      if (token !== listToken) return
      from = more.next
      set(({ rows: list }) => ({ rows: extended(list, more) }))
      await loadView()
      if (token !== listToken) return
    }
  }

  /** Oldest first, new deliveries are added at the bottom, so no row moves. */
  const appendNew = async (token: number) => {
    const { rows: before, unseen } = get()
    const showsEnd = view.end >= rowCount(before)
    await countOn(token, asking.signal, before.newest + 1)
    if (token === listToken && !showsEnd)
      set({ unseen: unseen + rowCount(get().rows) - rowCount(before) })
  }

  /** Null if too many match. */
  const readOrder = async (
    sort: { readonly by: ColumnSortKey; readonly descending: boolean },
    signal: AbortSignal,
  ) => {
    const timer = setTimeout(() => set({ sorting: true }), SHOW_SORTING_AFTER_MS)
    try {
      return (await client.call('deliveries.sorted', { ...queryInput(), ...sort }, { signal })).seqs
    } finally {
      clearTimeout(timer)
      if (get().sorting) set({ sorting: false })
    }
  }

  const showSorted = async (seqs: readonly number[], fromScratch: boolean, token: number) => {
    pagesOnTop = 0
    isOfOtherQuery = false
    set(({ rows: list, generation }) => ({
      rows: sorted(list, seqs),
      generation: fromScratch ? generation + 1 : generation,
      queryProblem: null,
      problem: null,
      unsorted: null,
      unseen: 0,
    }))
    if (fromScratch) {
      view = { first: 0, end: 60 }
      ahead = nothingAhead
      arrivedAtView = get().rows.arrived
    }
    await loadView()
    if (token === listToken) set({ phase: 'ready', awaitsFirstPage: false })
  }

  const anchorAgain = async (how: 'from-scratch' | 'carry-over' | 'rebuild') => {
    // An update that overtakes a new query must not keep the previous query's rows.
    const fromScratch = how === 'from-scratch' || isOfOtherQuery
    isOfOtherQuery = fromScratch
    if (fromScratch) set({ awaitsFirstPage: true })
    const token = ++listToken
    loadingPages.clear()
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    anchoring = true
    try {
      const {
        sort: { by, descending },
      } = get()
      if (by !== 'time') {
        const seqs = await readOrder({ by, descending }, signal)
        if (token !== listToken) return
        if (seqs !== null) {
          await showSorted(seqs, fromScratch, token)
          return
        }
        set({ sort: NEWEST_FIRST, unsorted: by })
      }
      const oldestFirst = !get().sort.descending
      const input = {
        ...queryInput(),
        ...(oldestFirst ? { oldestFirst } : {}),
        pageSize: PAGE_SIZE,
        ...(fromScratch ? { patience: FIRST_COUNT_MS } : {}),
      }
      const fresh = await client.call('deliveries.anchors', input, { signal })
      if (token !== listToken) return
      pagesOnTop = 0
      isOfOtherQuery = false
      if (fromScratch) {
        view = { first: 0, end: 60 }
        ahead = nothingAhead
      }
      set(({ rows: list, generation: listGeneration }) => ({
        rows:
          how === 'rebuild' && !fromScratch
            ? rebuilt(list, fresh)
            : (oldestFirst ? anchoredUp : anchored)(fromScratch ? emptyList : list, fresh),
        generation: fromScratch ? listGeneration + 1 : listGeneration,
        queryProblem: null,
        problem: null,
        ...(fromScratch ? { unseen: 0 } : {}),
      }))
      if (fromScratch) arrivedAtView = get().rows.arrived
      await loadView()
      if (token !== listToken) return
      set({ phase: 'ready', awaitsFirstPage: false })
      await countOn(token, signal)
      if (headChanged && oldestFirst && token === listToken) void readHead()
    } catch (error) {
      if (token !== listToken || isQuiet(error)) return
      const isInvalid = error instanceof AppError && error.code === 'INVALID_QUERY'
      set(({ phase }) => ({
        ...(isInvalid ? { queryProblem: error.message } : { problem: sentenceOf(error) }),
        phase: isInvalid || phase === 'ready' ? 'ready' : 'failed',
        awaitsFirstPage: false,
      }))
    } finally {
      if (token === listToken) anchoring = false
    }
  }

  return {
    anchorAgain,
    take(added, skipped, total) {
      if (added.length === 0 && skipped === 0) return
      if (get().rows.order !== null) {
        set(({ unseen }) => ({ unseen: unseen + added.length + skipped }))
        return
      }
      checkWhenQuiet(total)
      if (get().rows.oldestFirst) {
        // The running count may end before these rows.
        if (anchoring) headChanged = true
        else void readHead()
        return
      }
      // Rows being loaded come first: newer ones above a gap would hide it.
      if (get().query === '' && skipped === 0 && !readingHead)
        arrive(added.filter(({ flowRun }) => flowRun === null))
      else void readHead()
    },
    async recheck(updated) {
      const { query } = get()
      // A partial count isn't final yet; it will be consistent when complete.
      if (
        updated.length === 0 ||
        // Without a filter, only what turns out to be a flow run's leaves the list.
        (query === '' && updated.every(({ flowRun }) => flowRun === null)) ||
        get().rows.next !== null ||
        get().rows.order !== null
      )
        return
      try {
        const { seqs } = await client.call('deliveries.matching', {
          query,
          seqs: updated.map(({ seq }) => seq),
        })
        if (query !== get().query) return
        const found = new Set(seqs)
        if (
          updated.every(
            ({ seq }) =>
              !isKnown(get().rows, seq) ||
              found.has(seq) === (indexOfSeq(get().rows, seq) !== null),
          )
        )
          return
        recheckTimer ??= setTimeout(() => {
          recheckTimer = undefined
          void anchorAgain('carry-over')
        }, RECHECK_MS)
      } catch (error) {
        if (!isQuiet(error)) set({ problem: sentenceOf(error) })
      }
    },
    look(first, end) {
      const { arrived } = get().rows
      const moved = first - arrived - (view.first - arrivedAtView)
      arrivedAtView = arrived
      if (Math.abs(moved) > end - first) ahead = nothingAhead
      else if (moved !== 0)
        ahead = moved > 0 ? { above: 0, below: ROWS_AHEAD } : { above: ROWS_AHEAD, below: 0 }
      view = { first, end }
      const list =
        get().rows.pages.size > MOST_PAGES ? keepingNear(get().rows, first, end) : get().rows
      if (list !== get().rows) set({ rows: list })
      if (list.oldestFirst && end >= rowCount(list) && get().unseen > 0) set({ unseen: 0 })
      void loadView()
    },
    firstInView: () => view.first,
    async reach(index) {
      await Promise.all(missingPages(get().rows, index, index + 1).map(loadPage))
      if (rowAt(get().rows, index) !== undefined) return
      // The list changed beneath its anchors. It's needed now, so it doesn't wait for quiet.
      await anchorAgain('rebuild')
      const last = rowCount(get().rows) - 1
      await Promise.all(
        missingPages(get().rows, Math.min(index, last), Math.min(index, last) + 1).map(loadPage),
      )
    },
  }
}
