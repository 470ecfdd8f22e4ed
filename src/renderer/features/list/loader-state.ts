/** The part of the list's state that its loader reads and changes. */
import type { SortKey } from '../../../shared/model/delivery.ts'
import type { RowList } from './row-list.ts'
import type { ListSort } from './list-sort.ts'

export interface LoaderState {
  readonly rows: RowList
  /** Incremented for each rebuilt list (another filter): the view then returns to the top. */
  readonly generation: number
  readonly phase: 'loading' | 'ready' | 'failed'
  /** Whether another list is loading and its first rows aren't shown yet. */
  readonly awaitsFirstPage: boolean
  readonly problem: string | null
  /** Applied filter. */
  readonly query: string
  readonly queryProblem: string | null
  readonly follow: boolean
  /** Whether the list holds still, because a row was selected or the pointer moved over it. */
  readonly held: boolean
  /** Whether the view is at the top, or at the row that was on top when the list was held. */
  readonly atTop: boolean
  readonly sort: ListSort
  /** Column that too many deliveries match to sort by; null otherwise. */
  readonly unsorted: SortKey | null
  /** Number of rows that arrived above the view. */
  readonly unseen: number
  /** Seq above which rows arrived with the last change and light up. */
  readonly freshAbove: number
}

/** Whether the list moves down for new rows; if not, no visible row moves. */
export function isFollowing({
  follow,
  held,
  atTop,
}: Pick<LoaderState, 'follow' | 'held' | 'atTop'>): boolean {
  return follow && !held && atTop
}

/** Whether the list follows and has no new rows out of view, so that the follow key stops it. */
export function isUpToDate({
  follow,
  held,
  unseen,
}: Pick<LoaderState, 'follow' | 'held' | 'unseen'>): boolean {
  return follow && !held && unseen === 0
}
