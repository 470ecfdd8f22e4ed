/**
 * Reads the list of deliveries from the core and keeps it whole: anchors, pages near the view, and the newest rows where an
 * event could not bring them all. Whatever order the answers come in, rows are neither lost nor shown twice.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'
import {
  LONGEST_HEAD,
  PAGE_SIZE,
  anchored,
  emptyList,
  keepingNear,
  lengthOfPage,
  missingPages,
  rebuilt,
  rowAt,
  rowCount,
  withArrived,
  withPage,
  type ListState,
} from './list-updates.ts'

const HEAD_READ = 200
/** Once nothing has come for so long, the rows must add up. */
const QUIET_MS = 1_000

/** The part of the state that the list is, and what says how it is to change. */
export interface ListPart {
  readonly list: ListState
  /** Rises with each list made anew (another filter): the view goes back to the top then. */
  readonly listGeneration: number
  readonly listPhase: 'loading' | 'ready' | 'failed'
  readonly listProblem: string | null
  /** The filter in force. */
  readonly query: string
  readonly queryProblem: string | null
  readonly follow: boolean
  readonly atTop: boolean
  /** Rows that arrived above what is in view. */
  readonly unseen: number
  /** Rows above this seq arrived with the last change. */
  readonly freshAbove: number
}

type Change = Partial<ListPart> | ((state: ListPart) => Partial<ListPart>)

export interface ListLoader {
  /** Asks the core anew: for another filter, keeping what is known, or because what is known does not fit together. */
  anchorAgain(how: 'anew' | 'carry-over' | 'rebuild'): Promise<void>
  /** Takes rows that an event brought, and reads those that it could not bring. */
  take(added: readonly DeliveryRow[], skipped: number, total: number): void
  /** Says which rows are in view: their pages are read, those far away forgotten. */
  look(first: number, end: number): void
  /** The first row in view. */
  firstInView(): number
  /** Reads the page of one row, and where the row is not in it, the list anew. */
  reach(index: number): Promise<void>
}

export function createListLoader(client: Client, set: (change: Change) => void, get: () => ListPart): ListLoader {
  let listToken = 0
  let view = { first: 0, end: 50 }
  const loadingPages = new Map<number, Promise<void>>()
  let readingHead = false
  let headChanged = false
  let anchoring = false
  let quietTimer: ReturnType<typeof setTimeout> | undefined

  const queryInput = () => (get().query === '' ? {} : { query: get().query })

  const arrive = (rows: readonly DeliveryRow[]) => {
    const before = get().list
    const list = withArrived(before, rows)
    if (list === before) return
    const { follow, atTop, unseen } = get()
    const freshAbove = before.head[0]?.seq ?? before.newest
    set({ list, freshAbove, unseen: follow && atTop ? 0 : unseen + list.arrived - before.arrived })
    if (list.head.length > LONGEST_HEAD && !anchoring) void anchorAgain('carry-over')
  }

  /** Reads the newest rows, where an event could not bring them all: under a filter, or in a burst. */
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
        const { rows } = await client.call('deliveries.page', { ...queryInput(), limit: HEAD_READ })
        if (token !== listToken) {
          // The list was anchored meanwhile, maybe before these rows were stored: read them again.
          headChanged = true
          continue
        }
        const last = get().list.head[0]?.seq ?? get().list.newest
        const reachesDown = rows.length < HEAD_READ || (rows.at(-1)?.seq ?? 0) <= last
        if (reachesDown) arrive(rows)
        else await anchorAgain('carry-over')
      } while (headChanged)
    } catch (error) {
      if (!isQuiet(error)) set({ listProblem: sentenceOf(error) })
    } finally {
      readingHead = false
    }
  }

  /** Makes the list anew if, once it is quiet, it does not hold `total` rows (null: whatever it holds). */
  const checkWhenQuiet = (total: number | null) => {
    clearTimeout(quietTimer)
    quietTimer = setTimeout(() => {
      if (anchoring || readingHead) checkWhenQuiet(total)
      else if (total === null || (get().query === '' && rowCount(get().list) !== total)) void anchorAgain('rebuild')
    }, QUIET_MS)
  }

  const loadPage = (page: number): Promise<void> => {
    const under = loadingPages.get(page)
    if (under !== undefined) return under
    const from = get().list.anchors[page]
    if (from === undefined) return Promise.resolve()
    const token = listToken
    const loading = client
      .call('deliveries.page', { ...queryInput(), from, limit: PAGE_SIZE })
      .then(({ rows }) => {
        if (token !== listToken) return
        // Rows went away since the list was anchored: it does not fit the store any more.
        if (rows.length < lengthOfPage(get().list, page)) checkWhenQuiet(null)
        set(({ list }) => ({ list: withPage(list, page, rows) }))
      })
      .catch((error: unknown) => {
        if (!isQuiet(error)) set({ listProblem: sentenceOf(error) })
      })
      .finally(() => {
        if (loadingPages.get(page) === loading) loadingPages.delete(page)
      })
    loadingPages.set(page, loading)
    return loading
  }

  const loadView = () => Promise.all(missingPages(get().list, view.first, view.end).map(loadPage))

  const anchorAgain = async (how: 'anew' | 'carry-over' | 'rebuild') => {
    const fromScratch = how === 'anew'
    const token = ++listToken
    loadingPages.clear()
    anchoring = true
    try {
      const fresh = await client.call('deliveries.anchors', { ...queryInput(), pageSize: PAGE_SIZE })
      if (token !== listToken) return
      if (fromScratch) view = { first: 0, end: 60 }
      set(({ list, listGeneration }) => ({
        list: how === 'rebuild' ? rebuilt(list, fresh) : anchored(fromScratch ? emptyList : list, fresh),
        listGeneration: fromScratch ? listGeneration + 1 : listGeneration,
        queryProblem: null,
        listProblem: null,
        ...(fromScratch ? { unseen: 0 } : {}),
      }))
      await loadView()
      if (token === listToken) set({ listPhase: 'ready' })
    } catch (error) {
      if (token !== listToken || isQuiet(error)) return
      if (error instanceof AppError && error.code === 'INVALID_QUERY') set({ queryProblem: error.message, listPhase: 'ready' })
      else set(({ listPhase }) => ({ listProblem: sentenceOf(error), listPhase: listPhase === 'ready' ? 'ready' : 'failed' }))
    } finally {
      if (token === listToken) anchoring = false
    }
  }

  return {
    anchorAgain,
    take(added, skipped, total) {
      if (added.length === 0 && skipped === 0) return
      checkWhenQuiet(total)
      // Rows that are being read come first: newer ones on top of a hole would hide it.
      if (get().query === '' && skipped === 0 && !readingHead) arrive(added)
      else void readHead()
    },
    look(first, end) {
      view = { first, end }
      set(({ list }) => ({ list: keepingNear(list, first, end) }))
      void loadView()
    },
    firstInView: () => view.first,
    async reach(index) {
      await Promise.all(missingPages(get().list, index, index + 1).map(loadPage))
      if (rowAt(get().list, index) !== undefined) return
      // The list changed under the anchors; it is wanted now, so it does not wait for quiet.
      await anchorAgain('rebuild')
      const last = rowCount(get().list) - 1
      await Promise.all(missingPages(get().list, Math.min(index, last), Math.min(index, last) + 1).map(loadPage))
    },
  }
}
