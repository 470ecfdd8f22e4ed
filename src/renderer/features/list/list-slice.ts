/** The list of deliveries: rows, filter, following, selection, and actions on capture as a whole. */
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import {
  NEWEST_FIRST,
  createListLoader,
  isFollowing,
  isNewestFirst,
  isUpToDate,
  type ListPart,
  type ListSort,
} from './list-loader.ts'
import { hidesFlowRuns } from './filter-slice.ts'
import { emptyList, indexOfSeq, rowAt, rowCount, withUpdated } from './list-column.ts'

export interface ListSlice extends ListPart {
  readonly selectedSeq: number | null
  /** Whether the pointer is over the list. */
  readonly pointed: boolean
  /** Tells the view to scroll a row into view; a new object each time. */
  readonly reveal: { readonly index: number } | null
  readonly sending: boolean
  /** Width of the list, in pixels. */
  readonly room: number

  reload(): Promise<void>
  /** Deliveries were deleted; `more`: others besides these. */
  deleted(change: PayloadOf<'deliveries.deleted'>): Promise<void>
  changed(change: PayloadOf<'deliveries.changed'>): void
  showRows(first: number, end: number): void
  /** Filters by this query; the empty query shows everything. */
  showOnly(query: string): void
  setRoom(room: number): void
  /** Sorts by a column; if more match than can be sorted, the list stays newest first and says so. */
  sortBy(sort: ListSort): void
  /** Reports where the view is; `showsNewest`: nothing newer is above it. */
  setPlace(place: { readonly atTop: boolean; readonly showsNewest: boolean }): void
  /** Reports that the pointer moved over the list, or left it. */
  point(pointed: boolean): void
  setFollow(follow: boolean): void
  /** Stops following the newest; continues if it stopped, or if new rows are out of view. */
  toggleFollow(): void
  /** Shows the newest row and, if following is on, continues to follow. */
  jumpToNewest(): void
  select(row: DeliveryRow | null): void
  /** Selects a delivery that the app opens, and scrolls to it: the user hasn't seen its row yet. */
  show(row: DeliveryRow): void
  selectIndex(index: number): Promise<DeliveryRow | null>
  moveSelection(by: number): Promise<DeliveryRow | null>
  pauseOrResume(paused: boolean): Promise<void>
  sendSample(): Promise<void>
  /** Opens the last delivery that fails at the user's handler. */
  openLastFailing(): Promise<void>
}

interface PartsOfList {
  readonly detail: { goTo(id: string): Promise<void>; setTab(tab: 'signature'): void }
  readonly core: { readonly status: { readonly store: { readonly deliveries: number } } | null }
  readonly navigation: { go(screen: 'deliveries'): void }
  readonly views: { showHidden(): void }
}

export function createListSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<ListSlice, PartsOfList>): ListSlice {
  const loader = createListLoader(client, set, get)
  let loading = Promise.resolve()

  /** Continues to follow once the pointer has left and nothing is selected, unless the user has scrolled away. */
  const resumeFollowing = () => {
    const { held, pointed, selectedSeq, unseen, sort } = get()
    if (!held || pointed || selectedSeq !== null) return
    set({ held: false })
    if (unseen > 0 && isFollowing(get()) && isNewestFirst(sort)) get().jumpToNewest()
  }

  return {
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
    sorting: false,
    unsorted: null,
    unseen: 0,
    freshAbove: Number.POSITIVE_INFINITY,
    selectedSeq: null,
    reveal: null,
    sending: false,
    room: 1_372,

    reload: () => loader.ask(get().phase === 'ready' ? 'again' : 'another'),
    async deleted({ seqs, more }) {
      if (more) await get().reload()
      else loader.remove(seqs)
    },
    changed(change) {
      const { selectedSeq } = get()
      const isAwaited = selectedSeq !== null && change.added.some(({ seq }) => seq === selectedSeq)
      const list = withUpdated(get().rows, change.updated)
      // Every state change notifies the whole window.
      if (list !== get().rows) set({ rows: list })
      loader.take(change.added, change.skipped)
      // The app selected a delivery before its row arrived: a list that holds still would hide it.
      const index = isAwaited ? indexOfSeq(get().rows, selectedSeq) : null
      if (index !== null) set({ reveal: { index } })
      void loader.recheck(change.updated)
    },
    showRows: loader.look,
    showOnly(query) {
      if (query === get().query && get().queryProblem === null) return
      set({ query, unsorted: null })
      loading = loader.ask('another')
    },
    setPlace({ atTop, showsNewest }) {
      const { atTop: wasAtTop, unseen, rows } = get()
      // A sorted list gets new deliveries only when it is sorted again. Oldest first, they are added at the bottom.
      if (rows.order !== 'newest') return
      if (atTop !== wasAtTop || (showsNewest && unseen > 0))
        set({ atTop, unseen: showsNewest ? 0 : unseen })
    },
    sortBy(sort) {
      set({ sort, unsorted: null })
      void loader.ask('another')
    },
    setRoom(room) {
      if (room !== get().room) set({ room })
    },
    point(pointed) {
      const { pointed: wasPointed, held } = get()
      if (pointed !== wasPointed || (pointed && !held))
        set(pointed ? { pointed, held: true } : { pointed })
      if (!pointed) resumeFollowing()
    },
    setFollow(follow) {
      set({ follow })
      if (follow) get().jumpToNewest()
    },
    toggleFollow() {
      get().setFollow(!isUpToDate(get()))
    },
    jumpToNewest() {
      const { rows } = get()
      set({
        reveal: { index: rows.order === 'oldest' ? Math.max(0, rowCount(rows) - 1) : 0 },
        unseen: 0,
        held: false,
      })
      if (rows.order === 'column') void loader.ask('another')
    },
    select(row) {
      set(row === null ? { selectedSeq: null } : { selectedSeq: row.seq, held: true })
      if (row === null) resumeFollowing()
    },
    show(row) {
      const reveal = () => {
        const index = indexOfSeq(get().rows, row.seq)
        if (index !== null && get().selectedSeq === row.seq) set({ reveal: { index } })
      }
      set({ selectedSeq: row.seq, held: true })
      reveal()
      if (row.flowRun === null || !hidesFlowRuns(get().query)) return
      app().views.showHidden()
      void loading.then(reveal)
    },
    async selectIndex(index) {
      const clamped = () => Math.max(0, Math.min(index, rowCount(get().rows) - 1))
      if (rowCount(get().rows) === 0) return null
      set({ reveal: { index: clamped() } })
      if (rowAt(get().rows, clamped()) === undefined) await loader.reach(clamped())
      const row = rowAt(get().rows, clamped()) ?? null
      if (row !== null) set({ selectedSeq: row.seq, held: true })
      return row
    },
    moveSelection(by) {
      const { selectedSeq, rows, selectIndex } = get()
      const from = selectedSeq === null ? null : indexOfSeq(rows, selectedSeq)
      if (from === null) return selectIndex(selectedSeq === null ? loader.firstInView() : 0)
      return selectIndex(from + by)
    },
    async pauseOrResume(paused) {
      await act(paused ? "Couldn't pause capture" : "Couldn't resume capture", async () => {
        await client.call(paused ? 'receiver.pause' : 'receiver.resume', {})
      })
    },
    async sendSample() {
      if (get().sending) return
      const isFirst = app().core.status?.store.deliveries === 0
      await act("Couldn't send the sample", () => client.call('sandbox.sample', {}), {
        busy: (sending) => set({ sending }),
        done({ hookMade, result }) {
          const id = result.deliveries
            .flatMap(({ attempts }) => attempts)
            .find(({ deliveryId }) => deliveryId !== null)?.deliveryId
          if (isFirst && id != null) {
            app().navigation.go('deliveries')
            app().detail.setTab('signature')
            void app().detail.goTo(id)
          }
          const failed = result.deliveries
            .flatMap((delivery) => delivery.attempts)
            .find((attempt) => !attempt.acknowledged)
          if (failed !== undefined) {
            const reason =
              failed.error ?? `The receiver returned ${failed.status ?? 'no response'}.`
            return {
              tone: 'bad',
              title: 'Sample sent, but not acknowledged',
              message: `${reason} The sandbox retries in one minute.`,
            }
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
      if (row !== undefined) await app().detail.goTo(row.id)
    },
  }
}
