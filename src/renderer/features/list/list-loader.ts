/**
 * Loads the list of deliveries: the column of its seqs, and the rows near the view. Arriving deliveries are added to the column. In
 * whatever order responses arrive, no row is lost or shown twice. The next search ends the previous one.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { DeliveryRow, SortKey } from '../../../shared/model/delivery.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { readColumn, type ColumnPart } from '../../../shared/rpc/seqs.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import {
  emptyList,
  keepingNear,
  rowAt,
  rowCount,
  withArrived,
  withColumn,
  withMembers,
  withRows,
  type ListState,
} from './list-column.ts'

/** More new rows than this fill the view, so they need not light up. */
const MOST_LIT = 20
/** Sorting that takes longer is shown, and can be cancelled. */
const SHOW_SORTING_AFTER_MS = 150
/** Rows loaded above and below the view, so that they are there before they come into view. */
const ROWS_AROUND = 150
/** Rows of a view before it has been drawn. */
const FIRST_ROWS = 60

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
  /** Another list is loading, and its first rows aren't shown yet. */
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

export function createListLoader(
  client: Client,
  set: (change: Change) => void,
  get: () => ListPart,
) {
  let view = { first: 0, end: FIRST_ROWS }
  /** Rows that are loading, by seq. */
  const loading = new Map<number, Promise<void>>()
  let asking = new AbortController()
  let readingNew = false
  /** The first rows of another list aren't read yet: they may be older than what arrives meanwhile. */
  let awaitsFirst = false
  /** Deliveries arrived that the list must read after the current read. */
  let missesNew = false
  /** Deleted since the current list began to load: responses may still have them. */
  const removed = new Set<number>()
  /** The query has changed, and the list still shows the previous query's rows. */
  let isOfOtherQuery = false

  const fail = (error: unknown) => {
    if (!isQuiet(error)) set({ problem: sentenceOf(error) })
  }

  const loadRows = async (seqs: number[]): Promise<void> => {
    const { rows } = await client.call('deliveries.rows', { seqs })
    const found = new Set(rows.map(({ seq }) => seq))
    // The others were deleted since.
    const gone = new Map(seqs.flatMap((seq) => (found.has(seq) ? [] : [[seq, false] as const])))
    set(({ rows: list }) => ({ rows: withMembers(withRows(list, rows), gone, view.first) }))
  }

  /** Loads what is missing of some rows; resolves once they are there. */
  const load = async (first: number, end: number): Promise<void> => {
    const { seqs, rows } = get().rows
    const wanted = seqs.slice(Math.max(0, first), Math.max(0, end))
    const missing = wanted.filter((seq) => !rows.has(seq) && !loading.has(seq))
    if (missing.length > 0) {
      const ended = loadRows(missing)
        .catch(fail)
        .finally(() => {
          for (const seq of missing) loading.delete(seq)
        })
      for (const seq of missing) loading.set(seq, ended)
    }
    await Promise.all(new Set(wanted.flatMap((seq) => loading.get(seq) ?? [])))
  }

  const loadView = (): Promise<void> => {
    const { first, end } = view
    return load(first - ROWS_AROUND, end + ROWS_AROUND)
  }

  const arrive = (seqs: readonly number[], newest: number, rows: readonly DeliveryRow[]) => {
    const { rows: before, unseen } = get()
    const list = withArrived(before, seqs, newest)
    if (list === before) return
    const added = rowCount(list) - rowCount(before)
    if (added === 0) {
      set({ rows: list })
      return
    }
    const isBelow = list.order === 'oldest'
    const isSeen = isBelow ? view.end >= rowCount(before) : isFollowing(get())
    set({
      rows: keepingNear(withRows(list, rows), view.first, view.end),
      freshAbove: isBelow || added > MOST_LIT ? Number.POSITIVE_INFINITY : before.newest,
      unseen: isSeen ? 0 : unseen + added,
    })
    void loadView()
  }

  /** Reads what arrived if an event couldn't include it: with a filter, in a burst, or oldest first. */
  const readNew = async (): Promise<void> => {
    missesNew = true
    // Oldest first, the rest of the list comes before these.
    const comesLater = () => awaitsFirst || (get().rows.order === 'oldest' && !get().rows.isWhole)
    if (readingNew) return
    readingNew = true
    let { signal } = asking
    try {
      while (missesNew && !comesLater()) {
        missesNew = false
        ;({ signal } = asking)
        const { query, rows } = get()
        const seqs: number[] = []
        let { newest } = rows
        const column = { query, descending: false, from: newest + 1 }
        for await (const part of readColumn(client, column, signal)) {
          seqs.push(...(part.seqs ?? []))
          newest = part.newest
        }
        const seen = seqs.slice(-FIRST_ROWS)
        const shown =
          seen.length === 0 ? [] : (await client.call('deliveries.rows', { seqs: seen })).rows
        signal.throwIfAborted()
        const kept = seqs.filter((seq) => !removed.has(seq))
        arrive(kept, newest, shown)
      }
    } catch (error) {
      // Another list began to load meanwhile, possibly before these were stored.
      if (signal.aborted) missesNew = true
      else fail(error)
    } finally {
      readingNew = false
    }
    if (signal.aborted && signal !== asking.signal) await readNew()
  }

  const show = (part: ColumnPart, order: ListState['order'], isFirst: boolean) =>
    set(({ rows: list, generation }) => {
      const seqs = (part.seqs ?? []).filter((seq) => !removed.has(seq))
      const grown = {
        ...list,
        seqs: list.seqs.concat(seqs),
        newest: Math.max(part.newest, list.newest),
        isWhole: part.isLast,
      }
      if (!isFirst) return { rows: order === 'oldest' ? grown : { ...grown, newest: list.newest } }
      return {
        rows: {
          ...emptyList,
          seqs,
          order,
          newest: part.newest,
          isWhole: part.isLast,
          arrived: list.arrived,
        },
        generation: generation + 1,
        queryProblem: null,
        problem: null,
        unseen: 0,
      }
    })

  /** Shows each part of the column when it arrives; resolves once the first rows are shown. */
  const readAnother = async (signal: AbortSignal): Promise<void> => {
    const { query, sort } = get()
    const order = sort.by !== 'time' ? 'column' : sort.descending ? 'newest' : 'oldest'
    awaitsFirst = true
    const slow = setTimeout(() => set({ sorting: order === 'column' }), SHOW_SORTING_AFTER_MS)
    const parts = readColumn(client, { query, ...sort }, signal)
    const first = await parts.next().finally(() => {
      clearTimeout(slow)
      if (get().sorting) set({ sorting: false })
    })
    signal.throwIfAborted()
    if (first.done === true) return
    if (first.value.seqs === null) {
      set({ sort: NEWEST_FIRST, unsorted: sort.by })
      return readAnother(signal)
    }
    isOfOtherQuery = false
    awaitsFirst = false
    view = { first: 0, end: FIRST_ROWS }
    show(first.value, order, true)
    await load(0, FIRST_ROWS)
    signal.throwIfAborted()
    set({ phase: 'ready', awaitsFirstPage: false })
    const rest = async () => {
      if (missesNew) void readNew()
      for await (const part of parts) {
        show(part, order, false)
        void loadView()
      }
      if (missesNew) await readNew()
    }
    void rest().catch((error: unknown) => {
      if (signal.aborted || isQuiet(error)) return
      set(({ rows: list }) => ({ rows: { ...list, isWhole: true }, problem: sentenceOf(error) }))
    })
  }

  /** Reads the whole column before it replaces the shown one, so that nothing flickers. */
  const readAgain = async (signal: AbortSignal): Promise<void> => {
    const { query, sort, rows: before } = get()
    const seqs: number[] = []
    let newest: number | null = null
    for await (const part of readColumn(client, { query, ...sort }, signal)) {
      if (part.seqs === null) return readAnother(signal)
      for (const seq of part.seqs) seqs.push(seq)
      newest = before.order === 'oldest' ? part.newest : (newest ?? part.newest)
    }
    const kept = seqs.filter((seq) => !removed.has(seq))
    set(({ rows: list }) => ({
      rows: withColumn(list, { seqs: kept, newest: newest ?? 0 }),
      queryProblem: null,
      problem: null,
    }))
    await loadView()
    if (missesNew) await readNew()
  }

  /** Queries the core again: for another filter or order, or to update the same list. */
  const ask = async (how: 'another' | 'again'): Promise<void> => {
    // An update that overtakes a new query must not keep the previous query's rows.
    const isAnother = how === 'another' || isOfOtherQuery
    isOfOtherQuery = isAnother
    removed.clear()
    if (isAnother) set({ awaitsFirstPage: true })
    asking.abort()
    const { signal } = (asking = new AbortController())
    try {
      await (isAnother ? readAnother(signal) : readAgain(signal))
    } catch (error) {
      if (signal.aborted || isQuiet(error)) return
      const isInvalid = error instanceof AppError && error.code === 'INVALID_QUERY'
      set(({ phase }) => ({
        ...(isInvalid ? { queryProblem: error.message } : { problem: sentenceOf(error) }),
        phase: isInvalid || phase === 'ready' ? 'ready' : 'failed',
        awaitsFirstPage: false,
      }))
    }
  }

  return {
    ask,
    /** Adds rows from an event, and reads those that it couldn't include. */
    take(added: readonly DeliveryRow[], skipped: number) {
      const { rows, query } = get()
      if (added.length === 0 && skipped === 0) return
      if (rows.order === 'column')
        set(({ unseen }) => ({ unseen: unseen + added.length + skipped }))
      // Deliveries being read come first: newer ones above a gap would hide it.
      else if (
        query === '' &&
        skipped === 0 &&
        !readingNew &&
        !awaitsFirst &&
        rows.order === 'newest'
      ) {
        const listed = added.filter(({ flowRun }) => flowRun === null)
        arrive(listed.map(({ seq }) => seq).reverse(), added[0]?.seq ?? 0, listed)
      } else void readNew()
    },
    /** Checks whether updated rows started or stopped matching. */
    async recheck(updated: readonly DeliveryRow[]) {
      const { query, rows } = get()
      // Without a filter, only what turns out to be a flow run's leaves the list.
      const isSure = query === '' && updated.every(({ flowRun }) => flowRun === null)
      if (updated.length === 0 || isSure || !rows.isWhole || rows.order === 'column') return
      try {
        const seqs = updated.map(({ seq }) => seq)
        const matching = new Set((await client.call('deliveries.matching', { query, seqs })).seqs)
        if (query !== get().query) return
        const members = new Map(seqs.map((seq) => [seq, matching.has(seq)]))
        const list = withMembers(get().rows, members, view.first)
        if (list !== get().rows) set({ rows: list })
        void loadView()
      } catch (error) {
        fail(error)
      }
    },
    /** Deliveries were deleted. */
    remove(seqs: readonly number[]) {
      for (const seq of seqs) removed.add(seq)
      const gone = new Map(seqs.map((seq) => [seq, false]))
      set({ rows: withMembers(get().rows, gone, view.first) })
      void loadView()
    },
    /** Reports the visible rows: they are loaded, and distant ones dropped. */
    look(first: number, end: number) {
      view = { first, end }
      const list = keepingNear(get().rows, first, end)
      if (list !== get().rows) set({ rows: list })
      if (list.order === 'oldest' && end >= rowCount(list) && get().unseen > 0) set({ unseen: 0 })
      void loadView()
    },
    /** The first visible row. */
    firstInView: () => view.first,
    /** Loads one row, or the one that takes its place if it was deleted. */
    async reach(index: number) {
      await load(index, index + 1)
      if (rowAt(get().rows, index) === undefined) await load(index, index + 1)
    },
  }
}
