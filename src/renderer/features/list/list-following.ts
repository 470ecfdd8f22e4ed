/** Following the newest delivery: the list holds still while a row is selected or pointed at. */
import { placeOfSeq } from './row-list.ts'
import { isFollowing, isUpToDate } from './loader-state.ts'
import { isNewestFirst } from './list-sort.ts'
import type { ListTools } from './list-state.ts'

interface VisibleRows {
  readonly first: number
  readonly end: number
  /** Whether nothing newer is above the visible rows. */
  readonly isAtStart: boolean
}

export function followingActions({ set, get, loader }: ListTools) {
  /** Newest row when the view was last at the start; null if the user has scrolled away. */
  let newestSeen: number | null = null

  const actions = {
    /** Reports the rows in view. */
    setVisible({ first, end, isAtStart }: VisibleRows) {
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
    /** Stops following if the list is up to date; otherwise follows again. */
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
      if (rows.order === 'fixed') void loader.loadList('new')
    },
  }
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
  return { actions, release, releaseUnlessUsed }
}
