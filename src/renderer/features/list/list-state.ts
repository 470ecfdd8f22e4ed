/** The state of the list, and what its actions share. */
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { emptyList } from './row-list.ts'
import type { ListLoader } from './list-loader.ts'
import type { LoaderState } from './loader-state.ts'
import { NEWEST_FIRST } from './list-sort.ts'

export interface ListSliceState extends LoaderState {
  readonly selectedSeq: number | null
  /** Whether the pointer is over the list. */
  readonly pointed: boolean
  /** Whether the current row holds the list still until its delivery closes. */
  readonly selectionHolds: boolean
  /** Row to scroll into view as soon as it is listed; a new object for each request. */
  readonly reveal: { readonly seq: number } | null
  readonly sending: boolean
}

export interface ListContext {
  readonly core: { readonly status: { readonly store: { readonly deliveries: number } } | null }
  readonly navigation: Pick<NavigationSlice, 'at' | 'go' | 'select'>
  readonly views: { showHidden(): void }
}

export interface ListTools extends FeatureTools<ListSliceState, ListContext> {
  readonly loader: ListLoader
}

export const initialList: ListSliceState = {
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
