/** The list of deliveries: its rows, the filter, following the newest, the selection, and what acts on the capture as a whole. */
import type { StateCreator } from 'zustand/vanilla'
import { AppError } from '../../../shared/contract/errors.ts'
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import {
  LONGEST_HEAD,
  PAGE_SIZE,
  anchored,
  emptyList,
  indexOfSeq,
  keepingNear,
  missingPages,
  rowAt,
  rowCount,
  withArrived,
  withPage,
  withUpdated,
  type ListState,
} from './list-updates.ts'

const FILTER_PAUSE_MS = 200
const HEAD_READ = 200

export interface DeliveriesSlice {
  readonly list: ListState
  /** Rises with each list made anew (another filter): the view goes back to the top then. */
  readonly listGeneration: number
  readonly listPhase: 'loading' | 'ready' | 'failed'
  readonly listProblem: string | null
  /** The filter in force, and what stands in its field. */
  readonly query: string
  readonly draft: string
  readonly queryProblem: string | null
  readonly follow: boolean
  readonly atTop: boolean
  /** Rows that arrived above what is in view. */
  readonly unseen: number
  /** Rows above this seq arrived with the last change. */
  readonly freshAbove: number
  readonly selectedSeq: number | null
  /** Asks the view to bring a row into sight; a new object each time. */
  readonly reveal: { readonly index: number } | null
  readonly sending: boolean

  reloadList(): Promise<void>
  deliveriesChanged(change: PayloadOf<'deliveries.changed'>): void
  showRows(first: number, end: number): void
  setDraft(draft: string): void
  clearQuery(): void
  setAtTop(atTop: boolean): void
  setFollow(follow: boolean): void
  jumpToNewest(): void
  select(row: DeliveryRow | null): void
  selectIndex(index: number): Promise<DeliveryRow | null>
  moveSelection(by: number): Promise<DeliveryRow | null>
  pauseOrResume(paused: boolean): Promise<void>
  sendSample(): Promise<void>
}

export function createDeliveriesSlice({ client, notify }: SliceContext): StateCreator<DeliveriesSlice> {
  return (set, get) => {
    let listToken = 0
    let filterTimer: ReturnType<typeof setTimeout> | undefined
    let view = { first: 0, end: 50 }
    const loadingPages = new Map<number, Promise<void>>()
    let readingHead = false
    let headChanged = false
    let anchoring = false

    const queryInput = () => (get().query === '' ? {} : { query: get().query })

    const arrive = (rows: readonly DeliveryRow[]) => {
      const before = get().list
      const list = withArrived(before, rows)
      if (list === before) return
      const { follow, atTop, unseen } = get()
      const freshAbove = before.head[0]?.seq ?? before.newest
      set({ list, freshAbove, unseen: follow && atTop ? 0 : unseen + list.arrived - before.arrived })
      if (list.head.length > LONGEST_HEAD && !anchoring) void anchorAgain(false)
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
          else await anchorAgain(false)
        } while (headChanged)
      } catch (error) {
        if (!isQuiet(error)) set({ listProblem: sentenceOf(error) })
      } finally {
        readingHead = false
      }
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
          if (token === listToken) set(({ list }) => ({ list: withPage(list, page, rows) }))
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

    const anchorAgain = async (fromScratch: boolean) => {
      const token = ++listToken
      loadingPages.clear()
      anchoring = true
      try {
        const fresh = await client.call('deliveries.anchors', { ...queryInput(), pageSize: PAGE_SIZE })
        if (token !== listToken) return
        if (fromScratch) view = { first: 0, end: 60 }
        set(({ list, listGeneration }) => ({
          list: anchored(fromScratch ? emptyList : list, fresh),
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

    const applyQuery = (query: string) => {
      clearTimeout(filterTimer)
      if (query === get().query && get().queryProblem === null) return
      set({ query })
      void anchorAgain(true)
    }

    return {
      list: emptyList,
      listGeneration: 0,
      listPhase: 'loading',
      listProblem: null,
      query: '',
      draft: '',
      queryProblem: null,
      follow: true,
      atTop: true,
      unseen: 0,
      freshAbove: Number.POSITIVE_INFINITY,
      selectedSeq: null,
      reveal: null,
      sending: false,

      reloadList: () => anchorAgain(get().listPhase !== 'ready'),
      deliveriesChanged(change) {
        set(({ list }) => ({ list: withUpdated(list, change.updated) }))
        if (change.added.length === 0 && change.skipped === 0) return
        // Rows that are being read come first: newer ones on top of a hole would hide it.
        if (get().query === '' && change.skipped === 0 && !readingHead) arrive(change.added)
        else void readHead()
      },
      showRows(first, end) {
        view = { first, end }
        set(({ list }) => ({ list: keepingNear(list, first, end) }))
        void loadView()
      },
      setDraft(draft) {
        set({ draft })
        clearTimeout(filterTimer)
        filterTimer = setTimeout(() => {
          applyQuery(draft.trim())
        }, FILTER_PAUSE_MS)
      },
      clearQuery() {
        set({ draft: '' })
        applyQuery('')
      },
      setAtTop(atTop) {
        if (atTop === get().atTop) return
        set(atTop && get().follow ? { atTop, unseen: 0 } : { atTop })
      },
      setFollow(follow) {
        set({ follow })
        if (follow) get().jumpToNewest()
      },
      jumpToNewest() {
        set({ reveal: { index: 0 }, unseen: 0 })
      },
      select(row) {
        set({ selectedSeq: row?.seq ?? null })
      },
      async selectIndex(index) {
        const count = rowCount(get().list)
        if (count === 0) return null
        const held = Math.max(0, Math.min(index, count - 1))
        set({ reveal: { index: held } })
        if (rowAt(get().list, held) === undefined) await Promise.all(missingPages(get().list, held, held + 1).map(loadPage))
        const row = rowAt(get().list, held) ?? null
        if (row !== null) set({ selectedSeq: row.seq })
        return row
      },
      moveSelection(by) {
        const { selectedSeq, list, selectIndex } = get()
        const from = selectedSeq === null ? null : indexOfSeq(list, selectedSeq)
        if (from === null) return selectIndex(selectedSeq === null ? (by > 0 ? view.first + (view.first > 0 ? 8 : 0) : 0) : 0)
        return selectIndex(from + by)
      },
      async pauseOrResume(paused) {
        try {
          await client.call(paused ? 'receiver.pause' : 'receiver.resume', {})
        } catch (error) {
          if (!isQuiet(error))
            notify({
              tone: 'bad',
              title: paused ? 'Capture was not paused' : 'Capture was not resumed',
              message: sentenceOf(error),
            })
        }
      },
      async sendSample() {
        if (get().sending) return
        set({ sending: true })
        try {
          const { hookMade, result } = await client.call('sandbox.sample', {})
          const failed = result.deliveries.flatMap((delivery) => delivery.attempts).find((attempt) => !attempt.acknowledged)
          if (failed !== undefined) {
            const reason = failed.error ?? `The receiver answered ${failed.status ?? 'nothing'}.`
            notify({
              tone: 'bad',
              title: 'The sample was sent, and not acknowledged',
              message: `${reason} The sandbox tries again in one minute.`,
            })
          } else if (hookMade)
            notify({
              tone: 'ok',
              title: 'Sample sent',
              message: 'A hook for transaction.auth was made in sandbox-test to sign it with.',
            })
        } catch (error) {
          if (!isQuiet(error)) notify({ tone: 'bad', title: 'The sample was not sent', message: sentenceOf(error) })
        } finally {
          set({ sending: false })
        }
      },
    }
  }
}
