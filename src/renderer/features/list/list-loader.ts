/**
 * The loader of the list. In whatever order responses and deliveries arrive, no row is lost or
 * shown twice; each search ends the previous one.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { readSeqsInParts, type ColumnPart } from '../../../shared/rpc/delivery-seqs.ts'
import { isQuiet, sentenceOf } from '../../core-data/act.ts'
import { createReloader } from '../../core-data/reloader.ts'
import {
  emptyList,
  isBelowTop,
  keepingNear,
  rowAt,
  rowCount,
  withArrived,
  withColumn,
  withMembers,
  withRows,
  type RowList,
} from './row-list.ts'
import { isUnlisted } from './filter-slice.ts'
import { isFollowing, type LoaderState } from './loader-state.ts'
import { NEWEST_FIRST, listOrder } from './list-sort.ts'

/** Most new rows that are highlighted; more would fill the view. */
const MAX_LIT = 20
/** Rows loaded above and below the view before they come into view. */
const ROWS_MARGIN = 150
/** Rows of a view that isn't drawn yet. */
const FIRST_ROWS = 60
/** Pause between reads of the whole list while an import adds deliveries, in milliseconds. */
const PLACING_PAUSE_MS = 500

/** Returns the seq above which added rows are highlighted. */
const litAbove = (added: number, { newest }: RowList) =>
  added > MAX_LIT ? Number.POSITIVE_INFINITY : newest

type Change = Partial<LoaderState> | ((state: LoaderState) => Partial<LoaderState>)

export class ListLoader {
  readonly #client: Client
  readonly #set: (change: Change) => void
  readonly #get: () => LoaderState
  #view = { first: 0, end: FIRST_ROWS }
  /** Rows that are loading, by seq. */
  readonly #loading = new Map<number, Promise<void>>()
  #request = new AbortController()
  #isReadingNew = false
  /**
   * Whether the first rows of another list are still loading; new deliveries must wait for them.
   */
  #awaitsFirst = false
  /** Whether deliveries arrived that the list must read after the current read. */
  #missesNew = false
  /** Seqs deleted since the current list began to load; responses may still have them. */
  readonly #removed = new Set<number>()
  /** Whether the list still shows the rows of the previous query. */
  #showsOtherQuery = false
  readonly #placeAgain = createReloader(() => this.loadList('refresh'), PLACING_PAUSE_MS)

  constructor(client: Client, set: (change: Change) => void, get: () => LoaderState) {
    this.#client = client
    this.#set = set
    this.#get = get
  }

  /** Queries the core for another filter or order, or to update the same list. */
  async loadList(kind: 'new' | 'refresh'): Promise<void> {
    // An update that overtakes a new query must not keep the previous query's rows.
    const isNew = kind === 'new' || this.#showsOtherQuery
    this.#showsOtherQuery = isNew
    this.#removed.clear()
    if (isNew) this.#set({ awaitsFirstPage: true })
    this.#request.abort()
    const { signal } = (this.#request = new AbortController())
    try {
      await (isNew ? this.#readAnother(signal) : this.#readAgain(signal))
    } catch (error) {
      if (signal.aborted || isQuiet(error)) return
      const isInvalid = error instanceof AppError && error.code === 'INVALID_QUERY'
      this.#set(({ phase }) => ({
        ...(isInvalid ? { queryProblem: error.message } : { problem: sentenceOf(error) }),
        phase: isInvalid || phase === 'ready' ? 'ready' : 'failed',
        awaitsFirstPage: false,
      }))
    }
  }

  /** Shows each part of the column when it arrives; resolves once the first rows are shown. */
  async #readAnother(signal: AbortSignal): Promise<void> {
    const { query, sort } = this.#get()
    this.#awaitsFirst = true
    const parts = readSeqsInParts(this.#client, { query, ...sort }, signal)
    const first = await parts.next()
    signal.throwIfAborted()
    if (first.done === true) return
    if (first.value.seqs === null) {
      this.#set({ sort: NEWEST_FIRST, unsorted: sort.by })
      return this.#readAnother(signal)
    }
    this.#showsOtherQuery = false
    this.#awaitsFirst = false
    this.#view = { first: 0, end: FIRST_ROWS }
    this.#showFirst(first.value)
    await this.#load(0, FIRST_ROWS)
    signal.throwIfAborted()
    this.#set({ phase: 'ready', awaitsFirstPage: false })
    void this.#readRest(parts).catch((error: unknown) => {
      if (signal.aborted || isQuiet(error)) return
      this.#set(({ rows }) => ({ rows: { ...rows, isWhole: true }, problem: sentenceOf(error) }))
    })
  }

  async #readRest(parts: AsyncIterable<ColumnPart>): Promise<void> {
    if (this.#missesNew) void this.#readNew()
    for await (const part of parts) {
      this.#set(({ rows }) => ({
        rows: { ...rows, seqs: rows.seqs.concat(this.#seqsOf(part)), isWhole: part.isLast },
      }))
      void this.#loadView()
    }
    if (this.#missesNew) await this.#readNew()
  }

  #seqsOf({ seqs }: ColumnPart): number[] {
    return (seqs ?? []).filter((seq) => !this.#removed.has(seq))
  }

  #showFirst(part: ColumnPart): void {
    this.#set(({ rows: { arrived }, sort, generation }) => {
      const seqs = this.#seqsOf(part)
      return {
        rows: {
          ...emptyList,
          seqs,
          order: listOrder(sort, seqs),
          newest: part.newest,
          isWhole: part.isLast,
          arrived,
        },
        generation: generation + 1,
        queryProblem: null,
        problem: null,
        unseen: 0,
        atTop: true,
      }
    })
  }

  /** Reads the whole column before it replaces the shown one, so that nothing flickers. */
  async #readAgain(signal: AbortSignal): Promise<void> {
    const { query, sort } = this.#get()
    const column: number[] = []
    let newest: number | null = null
    for await (const part of readSeqsInParts(this.#client, { query, ...sort }, signal)) {
      if (part.seqs === null) return this.#readAnother(signal)
      for (const seq of part.seqs) column.push(seq)
      newest ??= part.newest
    }
    const seqs = column.filter((seq) => !this.#removed.has(seq))
    this.#set((before) => {
      const list = before.rows
      const rows = withColumn(list, { seqs, newest: newest ?? 0, order: listOrder(sort, seqs) })
      const above = Math.max(0, rows.seqs.indexOf(list.seqs[0] ?? 0))
      return {
        rows,
        freshAbove: litAbove(rows.arrived - list.arrived, list),
        unseen: isFollowing(before) ? 0 : before.unseen + above,
        queryProblem: null,
        problem: null,
      }
    })
    await this.#loadView()
    if (this.#missesNew) await this.#readNew()
  }

  /** Adds rows from an event, and reads those that the event couldn't include. */
  take(added: readonly DeliveryRow[], skipped: number): void {
    const { rows, query } = this.#get()
    if (added.length === 0 && skipped === 0) return
    if (rows.order === 'fixed')
      this.#set(({ unseen }) => ({ unseen: unseen + added.length + skipped }))
    else if (added.some((row) => isBelowTop(rows, row))) {
      // The content of the rows is here; their places are read next.
      this.#set({ rows: withRows(rows, added) })
      this.#placeAgain()
    }
    // During a read, newer deliveries wait: added now, they would hide the gap below them.
    else if (query === '' && skipped === 0 && !this.#isReadingNew && !this.#awaitsFirst) {
      const listed = added.filter((row) => !isUnlisted(row, query))
      this.#addArrived(listed.map(({ seq }) => seq).reverse(), added[0]?.seq ?? 0, listed)
    } else void this.#readNew()
  }

  /** Reads deliveries that an event couldn't include: with a filter, or in a burst. */
  async #readNew(): Promise<void> {
    this.#missesNew = true
    if (this.#isReadingNew) return
    this.#isReadingNew = true
    let { signal } = this.#request
    try {
      while (this.#missesNew && !this.#awaitsFirst && this.#get().rows.order !== 'fixed') {
        this.#missesNew = false
        ;({ signal } = this.#request)
        await this.#readArrived(signal)
      }
    } catch (error) {
      // Another list began to load meanwhile; it may lack the deliveries of this read.
      if (signal.aborted) this.#missesNew = true
      else this.#fail(error)
    } finally {
      this.#isReadingNew = false
    }
    if (signal.aborted && signal !== this.#request.signal) await this.#readNew()
  }

  async #readArrived(signal: AbortSignal): Promise<void> {
    const { query, rows } = this.#get()
    const seqs: number[] = []
    let { newest } = rows
    const column = { query, descending: false, from: newest + 1 }
    for await (const part of readSeqsInParts(this.#client, column, signal)) {
      seqs.push(...(part.seqs ?? []))
      newest = part.newest
    }
    const topSeqs = seqs.slice(-FIRST_ROWS)
    const topRows =
      topSeqs.length === 0
        ? []
        : (await this.#client.call('deliveries.rows', { seqs: topSeqs })).rows
    signal.throwIfAborted()
    this.#addArrived(
      seqs.filter((seq) => !this.#removed.has(seq)),
      newest,
      topRows,
    )
  }

  #addArrived(seqs: readonly number[], newest: number, rows: readonly DeliveryRow[]): void {
    const { rows: before, unseen } = this.#get()
    const list = withArrived(before, seqs, newest)
    if (list === before) return
    const added = rowCount(list) - rowCount(before)
    if (added === 0) {
      this.#set({ rows: list })
      return
    }
    this.#set({
      rows: keepingNear(withRows(list, rows), this.#view.first, this.#view.end),
      freshAbove: litAbove(added, before),
      unseen: isFollowing(this.#get()) ? 0 : unseen + added,
    })
    void this.#loadView()
  }

  /** Checks whether updated rows started or stopped matching. */
  async recheck(updated: readonly DeliveryRow[]): Promise<void> {
    const { query, rows } = this.#get()
    // Without a filter, only deliveries that it leaves out leave the list.
    const isSure = query === '' && updated.every((row) => !isUnlisted(row, query))
    if (updated.length === 0 || isSure || !rows.isWhole || rows.order === 'fixed') return
    try {
      const seqs = updated.map(({ seq }) => seq)
      const response = await this.#client.call('deliveries.matching', { query, seqs })
      const matching = new Set(response.seqs)
      if (query !== this.#get().query) return
      const members = new Map(seqs.map((seq) => [seq, matching.has(seq)]))
      const list = withMembers(this.#get().rows, members)
      if (list !== this.#get().rows) this.#set({ rows: list })
      void this.#loadView()
    } catch (error) {
      this.#fail(error)
    }
  }

  remove(seqs: readonly number[]): void {
    for (const seq of seqs) this.#removed.add(seq)
    const gone = new Map(seqs.map((seq) => [seq, false]))
    this.#set({ rows: withMembers(this.#get().rows, gone) })
    void this.#loadView()
  }

  /** Loads the visible rows and drops distant ones. */
  setVisible(first: number, end: number): void {
    this.#view = { first, end }
    const list = keepingNear(this.#get().rows, first, end)
    if (list !== this.#get().rows) this.#set({ rows: list })
    void this.#loadView()
  }

  firstInView(): number {
    return this.#view.first
  }

  /** Loads one row, or the one that takes its place if it was deleted. */
  async reach(index: number): Promise<void> {
    await this.#load(index, index + 1)
    if (rowAt(this.#get().rows, index) === undefined) await this.#load(index, index + 1)
  }

  #loadView(): Promise<void> {
    const { first, end } = this.#view
    return this.#load(first - ROWS_MARGIN, end + ROWS_MARGIN)
  }

  /** Loads the missing rows of a range; resolves once all rows of the range are loaded. */
  async #load(first: number, end: number): Promise<void> {
    const { seqs, rows } = this.#get().rows
    const range = seqs.slice(Math.max(0, first), Math.max(0, end))
    const missing = range.filter((seq) => !rows.has(seq) && !this.#loading.has(seq))
    if (missing.length > 0) {
      const loaded = this.#loadRows(missing)
        .catch((error: unknown) => this.#fail(error))
        .finally(() => {
          for (const seq of missing) this.#loading.delete(seq)
        })
      for (const seq of missing) this.#loading.set(seq, loaded)
    }
    await Promise.all(new Set(range.flatMap((seq) => this.#loading.get(seq) ?? [])))
  }

  async #loadRows(seqs: number[]): Promise<void> {
    const { rows } = await this.#client.call('deliveries.rows', { seqs })
    const stored = new Set(rows.map(({ seq }) => seq))
    const deleted = new Map(seqs.flatMap((seq) => (stored.has(seq) ? [] : [[seq, false] as const])))
    this.#set(({ rows: list }) => ({ rows: withMembers(withRows(list, rows), deleted) }))
  }

  #fail(error: unknown): void {
    if (!isQuiet(error)) this.#set({ problem: sentenceOf(error) })
  }
}
