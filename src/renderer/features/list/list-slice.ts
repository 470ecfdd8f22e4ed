/** The list of deliveries: its rows, following, the current row, and actions on capture. */
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { captureActions } from './capture-actions.ts'
import { withUpdated } from './row-list.ts'
import { currentRowActions } from './list-current-row.ts'
import { followingActions } from './list-following.ts'
import { ListLoader } from './list-loader.ts'
import { isNewestFirst, NEWEST_FIRST, parseSort, sortText, type ListSort } from './list-sort.ts'
import { initialList, type ListContext, type ListSliceState, type ListTools } from './list-state.ts'

export type ListSlice = ReturnType<typeof createListSlice>

export function createListSlice(tools: FeatureTools<ListSliceState, ListContext>) {
  const { set, get, subscribe } = tools
  const loader = new ListLoader(tools.client, set, get)
  const listTools: ListTools = { ...tools, loader }
  const { actions: following, release, releaseUnlessUsed } = followingActions(listTools)
  const queries = queryActions(listTools)
  /** Last deleted seqs; if one was the current row, closing its detail keeps the list held. */
  let lastDeleted: readonly number[] = []
  subscribe(({ navigation }, before) => {
    const isClosed =
      navigation.at.deliveries.id === undefined && before.navigation.at.deliveries.id !== undefined
    if (isClosed && !lastDeleted.includes(get().selectedSeq ?? 0)) release()
    const { sort = sortText(NEWEST_FIRST) } = navigation.at.deliveries
    const isMoved = navigation.at.deliveries.sort !== before.navigation.at.deliveries.sort
    if (isMoved && sort !== sortText(get().sort)) queries.sortBy(parseSort(sort))
  })
  return {
    ...initialList,
    ...following,
    ...queries,
    ...currentRowActions(listTools, releaseUnlessUsed),
    ...captureActions(listTools, following.jumpToNewest),
    /** Removes deleted deliveries; with `more`, others were deleted too. */
    async deleted({ seqs, more }: PayloadOf<'deliveries.deleted'>) {
      lastDeleted = seqs
      if (more) await queries.reload()
      else loader.remove(seqs)
    },
    changed(change: PayloadOf<'deliveries.changed'>) {
      const list = withUpdated(get().rows, change.updated)
      // Every state change notifies the whole window.
      if (list !== get().rows) set({ rows: list })
      loader.take(change.added, change.skipped)
      void loader.recheck(change.updated)
    },
  }
}

function queryActions({ set, get, app, loader }: ListTools) {
  return {
    reload: () => loader.loadList(get().phase === 'ready' ? 'refresh' : 'new'),
    /** Filters by a query; the empty query shows everything. */
    showOnly(query: string) {
      if (query === get().query && get().queryProblem === null) return
      set({ query, unsorted: null })
      void loader.loadList('new')
    },
    /** Sorts by a column; if too many match, the list stays newest first and says so. */
    sortBy(sort: ListSort) {
      set({ sort, unsorted: null })
      const { at, select } = app().navigation
      select('deliveries', {
        ...at.deliveries,
        sort: isNewestFirst(sort) ? undefined : sortText(sort),
      })
      void loader.loadList('new')
    },
  }
}
