/**
 * The list of deliveries: the column of its seqs, the rows near the view, following, the current row, and actions on capture as a
 * whole. In whatever order responses and deliveries arrive, no row is lost or shown twice. The next search ends the previous one.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import { sortKeySchema, type DeliveryRow, type SortKey } from '../../../shared/model/delivery.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { readColumn, type ColumnPart } from '../../../shared/rpc/seqs.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../core-data/act.ts'
import { createReloader } from '../../core-data/reloader.ts'
import { hidesFlowRuns } from './filter-slice.ts'
import {
  emptyList,
  indexOfSeq,
  isBelowTop,
  keepingNear,
  orderOf,
  placeOfSeq,
  rowAt,
  rowCount,
  withArrived,
  withColumn,
  withMembers,
  withRows,
  withUpdated,
  type ListState,
} from './list-column.ts'

/** More new rows than this fill the view, so they need not light up. */
const MOST_LIT = 20
/** Rows loaded above and below the view, so that they are there before they come into view. */
const ROWS_AROUND = 150
/** Rows of a view before it has been drawn. */
const FIRST_ROWS = 60
/** Hooks that a notice names. */
const MOST_NAMED = 3
/**
 * Pause between two reads of the whole list while an import adds deliveries in between, in
 * milliseconds.
 */
const PLACING_PAUSE_MS = 500

export interface ListSort {
  readonly by: SortKey
  readonly descending: boolean
}

export const NEWEST_FIRST: ListSort = { by: 'time', descending: true }

/** A sort as the address names it, like the option of the command line: `amount`, `-amount`. */
const sortText = ({ by, descending }: ListSort) => `${descending ? '-' : ''}${by}`

function sortOf(text: string): ListSort {
  const by = sortKeySchema.safeParse(text.replace(/^-/, ''))
  return by.success ? { by: by.data, descending: text.startsWith('-') } : NEWEST_FIRST
}

export const isNewestFirst = ({ by, descending }: ListSort): boolean => by === 'time' && descending

/** The seq above which added rows light up. */
const litAbove = (added: number, { newest }: ListState) =>
  added > MOST_LIT ? Number.POSITIVE_INFINITY : newest

const orderFor = (sort: ListSort, seqs: readonly number[]): ListState['order'] =>
  isNewestFirst(sort) ? orderOf(seqs) : 'fixed'

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
  /** The column that the list couldn't be sorted by, because too many deliveries match; null otherwise. */
  readonly unsorted: SortKey | null
  /** Rows that arrived above the view. */
  readonly unseen: number
  /** Rows above this seq arrived with the last change and light up. */
  readonly freshAbove: number
}

export type ListSlice = ReturnType<typeof createListSlice>

interface ListPlace extends ListPart {
  readonly selectedSeq: number | null
  /** Whether the pointer is over the list. */
  readonly pointed: boolean
  /** Whether the current row holds the list still. Closing its delivery ends that. */
  readonly selectionHolds: boolean
  /** Tells the view to scroll a row into view, as soon as it is listed; a new object each time. */
  readonly reveal: { readonly seq: number } | null
  readonly sending: boolean
}

interface PartsOfList {
  readonly core: { readonly status: { readonly store: { readonly deliveries: number } } | null }
  readonly navigation: Pick<NavigationSlice, 'at' | 'go' | 'select'>
  readonly views: { showHidden(): void }
}

const initial: ListPlace = {
  rows: emptyList,
  generation: 0,
  phase: 'loading',
  awaitsFirstPage: true,
  problem: null,
  query: '',
  queryProblem: null,
  follow: true,
  held: false,
  pointed: false,
  atTop: true,
  sort: NEWEST_FIRST,
  unsorted: null,
  unseen: 0,
  freshAbove: Number.POSITIVE_INFINITY,
  selectedSeq: null,
  selectionHolds: false,
  reveal: null,
  sending: false,
}

export function createListSlice({
  client,
  act,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<ListPlace, PartsOfList>) {
  const loader = createListLoader(client, set, get)
  /** The newest row when the view was last at the start; null if the user has scrolled away since. */
  let newestSeen: number | null = null

  /** Continues to follow, unless the user has scrolled away. */
  const release = () => {
    set({ held: false, selectionHolds: false })
    const { unseen, sort } = get()
    if (unseen > 0 && isFollowing(get()) && isNewestFirst(sort)) actions.jumpToNewest()
  }
  const releaseUnlessUsed = () => {
    const { held, pointed, selectionHolds } = get()
    if (held && !pointed && !selectionHolds) release()
  }
  /** Deleted last: the row that takes the place of the current one holds the list in its stead. */
  let deleted: readonly number[] = []
  subscribe(({ navigation }, before) => {
    const isClosed =
      navigation.at.deliveries.id === undefined && before.navigation.at.deliveries.id !== undefined
    if (isClosed && !deleted.includes(get().selectedSeq ?? 0)) release()
    const { sort = sortText(NEWEST_FIRST) } = navigation.at.deliveries
    const isMoved = navigation.at.deliveries.sort !== before.navigation.at.deliveries.sort
    if (isMoved && sort !== sortText(get().sort)) actions.sortBy(sortOf(sort))
  })

  const actions = {
    reload: () => loader.ask(get().phase === 'ready' ? 'again' : 'another'),
    /** Removes deleted deliveries; `more`: others besides these. */
    async deleted({ seqs, more }: PayloadOf<'deliveries.deleted'>) {
      deleted = seqs
      if (more) await actions.reload()
      else loader.remove(seqs)
    },
    changed(change: PayloadOf<'deliveries.changed'>) {
      const list = withUpdated(get().rows, change.updated)
      // Every state change notifies the whole window.
      if (list !== get().rows) set({ rows: list })
      loader.take(change.added, change.skipped)
      void loader.recheck(change.updated)
    },
    /** Reports the rows in view. `isAtStart`: nothing newer is above them. */
    setVisible({
      first,
      end,
      isAtStart,
    }: {
      readonly first: number
      readonly end: number
      readonly isAtStart: boolean
    }) {
      loader.setVisible(first, end)
      const { rows, held, atTop: wasAtTop, unseen } = get()
      // A list in another order gets new deliveries only when it is sorted again.
      if (rows.order === 'fixed') return
      if (isAtStart) newestSeen = rows.seqs[0] ?? 0
      const atTop =
        isAtStart || (held && newestSeen !== null && first <= placeOfSeq(rows, newestSeen))
      if (!atTop) newestSeen = null
      if (atTop !== wasAtTop || (isAtStart && unseen > 0))
        set({ atTop, unseen: isAtStart ? 0 : unseen })
    },
    /** Filters by this query; the empty query shows everything. */
    showOnly(query: string) {
      if (query === get().query && get().queryProblem === null) return
      set({ query, unsorted: null })
      void loader.ask('another')
    },
    /**
     * Sorts by a column; if more match than can be sorted, the list stays newest first and says so.
     */
    sortBy(sort: ListSort) {
      set({ sort, unsorted: null })
      const { at, select } = app().navigation
      select('deliveries', {
        ...at.deliveries,
        sort: isNewestFirst(sort) ? undefined : sortText(sort),
      })
      void loader.ask('another')
    },
    /** Reports that the pointer moved over the list, or left it. */
    point(pointed: boolean) {
      const { pointed: wasPointed, held } = get()
      if (pointed !== wasPointed || (pointed && !held))
        set(pointed ? { pointed, held: true } : { pointed })
      if (!pointed) releaseUnlessUsed()
    },
    setFollow(follow: boolean) {
      set({ follow })
      if (follow) actions.jumpToNewest()
    },
    /** Stops following the newest; continues if it stopped, or if new rows are out of view. */
    toggleFollow() {
      actions.setFollow(!isUpToDate(get()))
    },
    /** Shows the newest row and, if following is on, continues to follow. */
    jumpToNewest() {
      const { rows } = get()
      const [seq] = rows.seqs
      set({
        reveal: seq === undefined ? null : { seq },
        unseen: 0,
        held: false,
        selectionHolds: false,
      })
      if (rows.order === 'fixed') void loader.ask('another')
    },
    select(row: DeliveryRow | null) {
      if (row !== null) {
        set({ selectedSeq: row.seq, held: true, selectionHolds: true, reveal: null })
        return
      }
      set({ selectedSeq: null, selectionHolds: false, reveal: null })
      releaseUnlessUsed()
    },
    /**
     * Selects a delivery that the app opens, and scrolls to it as soon as it is listed: the user
     * hasn't seen its row yet.
     */
    show(row: DeliveryRow) {
      actions.select(row)
      set({ reveal: { seq: row.seq } })
      if (row.flowRun !== null && hidesFlowRuns(get().query)) app().views.showHidden()
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
    async pauseOrResume(paused: boolean) {
      await act(paused ? "Couldn't pause capture" : "Couldn't resume capture", async () => {
        await client.call(paused ? 'receiver.pause' : 'receiver.resume', {})
      })
    },
    async sendSample() {
      if (get().sending) return
      const isFirst = app().core.status?.store.deliveries === 0
      // The user wants to see it arrive.
      actions.jumpToNewest()
      await act("Couldn't send the sample", () => client.call('sandbox.sample', {}), {
        busy: (sending) => set({ sending }),
        done({ hookMade, result }) {
          const id = result.deliveries
            .flatMap(({ attempts }) => attempts)
            .find(({ deliveryId }) => deliveryId !== null)?.deliveryId
          if (isFirst && id != null) app().navigation.go('deliveries', { id, tab: 'signature' })
          const failures = result.deliveries.flatMap(({ event, url, attempts }) => {
            const failed = attempts.find(({ acknowledged }) => !acknowledged)
            const reason = failed?.error ?? `Returned ${failed?.status ?? 'no response'}.`
            return failed === undefined ? [] : [`${event} hook at ${url}: ${reason}`]
          })
          if (failures.length > 0)
            return {
              tone: 'bad',
              title: 'Sample sent, but not acknowledged',
              message: `${failures.slice(0, MOST_NAMED).join(' ')} The sandbox retries in one minute.`,
            }
          const message = 'Added a transaction.auth hook in sandbox-test to sign it with.'
          return hookMade ? { tone: 'ok', title: 'Sample sent', message } : null
        },
      })
    },
    async openLastFailing() {
      app().navigation.go('deliveries')
      const title = "Couldn't find the last failing delivery"
      const found = await act(
        title,
        () => client.call('deliveries.page', { query: 'response:failing', limit: 1 }),
        {
          done: ({ rows }) =>
            rows.length > 0
              ? null
              : {
                  tone: 'ok',
                  title: 'No delivery fails at your handler',
                  message:
                    'It acknowledged each valid, fresh delivery that it got, and no invalid one.',
                },
        },
      )
      const row = found?.rows[0]
      if (row !== undefined) app().navigation.go('deliveries', { id: row.id })
    },
  }
  return { ...initial, ...actions }
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
    set(({ rows: list }) => ({ rows: withMembers(withRows(list, rows), gone) }))
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
    set({
      rows: keepingNear(withRows(list, rows), view.first, view.end),
      freshAbove: litAbove(added, before),
      unseen: isFollowing(get()) ? 0 : unseen + added,
    })
    void loadView()
  }

  /** Reads what arrived if an event couldn't include it: with a filter, or in a burst. */
  const readNew = async (): Promise<void> => {
    missesNew = true
    if (readingNew) return
    readingNew = true
    let { signal } = asking
    try {
      while (missesNew && !awaitsFirst && get().rows.order !== 'fixed') {
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

  const show = (part: ColumnPart, isFirst: boolean) =>
    set(({ rows: list, sort, generation }) => {
      const seqs = (part.seqs ?? []).filter((seq) => !removed.has(seq))
      if (!isFirst) return { rows: { ...list, seqs: list.seqs.concat(seqs), isWhole: part.isLast } }
      return {
        rows: {
          ...emptyList,
          seqs,
          order: orderFor(sort, seqs),
          newest: part.newest,
          isWhole: part.isLast,
          arrived: list.arrived,
        },
        generation: generation + 1,
        queryProblem: null,
        problem: null,
        unseen: 0,
        atTop: true,
      }
    })

  /** Shows each part of the column when it arrives; resolves once the first rows are shown. */
  const readAnother = async (signal: AbortSignal): Promise<void> => {
    const { query, sort } = get()
    awaitsFirst = true
    const parts = readColumn(client, { query, ...sort }, signal)
    const first = await parts.next()
    signal.throwIfAborted()
    if (first.done === true) return
    if (first.value.seqs === null) {
      set({ sort: NEWEST_FIRST, unsorted: sort.by })
      return readAnother(signal)
    }
    isOfOtherQuery = false
    awaitsFirst = false
    view = { first: 0, end: FIRST_ROWS }
    show(first.value, true)
    await load(0, FIRST_ROWS)
    signal.throwIfAborted()
    set({ phase: 'ready', awaitsFirstPage: false })
    const rest = async () => {
      if (missesNew) void readNew()
      for await (const part of parts) {
        show(part, false)
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
    const { query, sort } = get()
    const seqs: number[] = []
    let newest: number | null = null
    for await (const part of readColumn(client, { query, ...sort }, signal)) {
      if (part.seqs === null) return readAnother(signal)
      for (const seq of part.seqs) seqs.push(seq)
      newest ??= part.newest
    }
    const kept = seqs.filter((seq) => !removed.has(seq))
    set((before) => {
      const { rows: list } = before
      const rows = withColumn(list, {
        seqs: kept,
        newest: newest ?? 0,
        order: orderFor(sort, kept),
      })
      const above = Math.max(0, rows.seqs.indexOf(list.seqs[0] ?? 0))
      return {
        rows,
        freshAbove: litAbove(rows.arrived - list.arrived, list),
        unseen: isFollowing(before) ? 0 : before.unseen + above,
        queryProblem: null,
        problem: null,
      }
    })
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

  const placeAgain = createReloader(() => ask('again'), PLACING_PAUSE_MS)

  return {
    ask,
    /** Adds rows from an event, and reads those that it couldn't include. */
    take(added: readonly DeliveryRow[], skipped: number) {
      const { rows, query } = get()
      if (added.length === 0 && skipped === 0) return
      if (rows.order === 'fixed') set(({ unseen }) => ({ unseen: unseen + added.length + skipped }))
      else if (added.some((row) => isBelowTop(rows, row))) {
        // Their content is known before their places.
        set({ rows: withRows(rows, added) })
        placeAgain()
      }
      // Deliveries being read come first: newer ones above a gap would hide it.
      else if (query === '' && skipped === 0 && !readingNew && !awaitsFirst) {
        const listed = added.filter(({ flowRun }) => flowRun === null)
        arrive(listed.map(({ seq }) => seq).reverse(), added[0]?.seq ?? 0, listed)
      } else void readNew()
    },
    /** Checks whether updated rows started or stopped matching. */
    async recheck(updated: readonly DeliveryRow[]) {
      const { query, rows } = get()
      // Without a filter, only what turns out to be a flow run's leaves the list.
      const isSure = query === '' && updated.every(({ flowRun }) => flowRun === null)
      if (updated.length === 0 || isSure || !rows.isWhole || rows.order === 'fixed') return
      try {
        const seqs = updated.map(({ seq }) => seq)
        const matching = new Set((await client.call('deliveries.matching', { query, seqs })).seqs)
        if (query !== get().query) return
        const members = new Map(seqs.map((seq) => [seq, matching.has(seq)]))
        const list = withMembers(get().rows, members)
        if (list !== get().rows) set({ rows: list })
        void loadView()
      } catch (error) {
        fail(error)
      }
    },
    remove(seqs: readonly number[]) {
      for (const seq of seqs) removed.add(seq)
      const gone = new Map(seqs.map((seq) => [seq, false]))
      set({ rows: withMembers(get().rows, gone) })
      void loadView()
    },
    /** Reports the visible rows: they are loaded, and distant ones dropped. */
    setVisible(first: number, end: number) {
      view = { first, end }
      const list = keepingNear(get().rows, first, end)
      if (list !== get().rows) set({ rows: list })
      void loadView()
    },
    firstInView: () => view.first,
    /** Loads one row, or the one that takes its place if it was deleted. */
    async reach(index: number) {
      await load(index, index + 1)
      if (rowAt(get().rows, index) === undefined) await load(index, index + 1)
    },
  }
}
