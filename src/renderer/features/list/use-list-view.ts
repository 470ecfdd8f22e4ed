/** The view of the list: days between rows, scrolling, and loading the visible rows. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useAppParts, useAppStore } from '../../ui-state/use-app.ts'
import { ROW_HEIGHT } from '../../ui/list.tsx'
import { dayKey, useNow } from '../../ui/moment.ts'
import { DAY_STEP, dayStarts, itemOfRow, rowOfItem } from './days.ts'
import { indexOfSeq, rowAt, rowCount } from './row-list.ts'
import { isFollowing } from './loader-state.ts'
import { useRows } from '../../ui/use-rows.ts'

/** Interval at which the list checks whether another day has begun. */
const MINUTE_MS = 60_000

/** Pause of scrolling before rows are requested: dragging the scrollbar passes thousands. */
const SCROLL_PAUSE_MS = 40

/**
 * Returns the drawn items of the list, the rows at which a day starts, the visible range, and the
 * time of the row whose day stays above the rows; null if none does.
 */
export function useListView() {
  const store = useAppStore()
  const { list, generation, following, reveal, isByTime } = useAppParts((state) => ({
    list: state.list.rows,
    generation: state.list.generation,
    following: isFollowing(state.list),
    reveal: state.list.reveal,
    isByTime: state.list.sort.by === 'time',
  }))
  const before = useRef<{
    generation: number
    reveal: typeof reveal
    first: number
    end: number
  }>({ generation, reveal: null, first: 0, end: 0 })
  const { seqs } = list
  const today = dayKey(useNow(MINUTE_MS))
  const [step, setStep] = useState(0)
  const [daysBySeq] = useState(() => new Map<number, string>())
  const found = useMemo(
    () => (isByTime ? dayStarts(list, step, today, daysBySeq) : []),
    [isByTime, list, step, today, daysBySeq],
  )
  // The same while equal: other starts change the keys of all rows.
  const starts = useShallow((days: readonly number[]) => days)(found)
  const rows = useRows({
    count: rowCount(list) + starts.length,
    rowHeight: ROW_HEIGHT,
    keyOf: useCallback(
      (item: number) => {
        const { index, isDay } = rowOfItem(starts, item)
        const seq = seqs[index] ?? -index
        return isDay ? `day ${seq}` : seq
      },
      [seqs, starts],
    ),
    holds: !following && generation === before.current.generation,
  })
  /** Returns when a row of an earlier day was received; null for today and other orders. */
  const earlierDay = (index: number) => {
    const at = isByTime ? rowAt(list, index)?.receivedAt : undefined
    return at === undefined || dayKey(at) === today ? null : at
  }
  const { top } = rows
  const above = rowOfItem(starts, rows.first)
  const end = rowOfItem(starts, rows.end - 1).index + 1
  const dayAbove = above.isDay ? null : earlierDay(above.index)
  const first = dayAbove === null ? above.index : Math.min(above.index + 1, end - 1)
  const shownStep = Math.floor(first / DAY_STEP)
  if (shownStep !== step) setStep(shownStep)

  useLayoutEffect(() => {
    const last = before.current
    const isAnother = generation !== last.generation
    before.current = { ...last, generation }
    if (isAnother) rows.toStart()
    // The view must be measured first.
    if (reveal === null || reveal === last.reveal || rows.viewport === 0) return
    // A row that isn't listed yet is revealed later.
    const index = indexOfSeq(list, reveal.seq)
    if (index === null) return
    before.current.reveal = reveal
    rows.show(itemOfRow(starts, index), earlierDay(index) === null ? 0 : ROW_HEIGHT)
  })

  useEffect(() => {
    const last = before.current
    const isJump = first >= last.end || end <= last.first
    before.current = { ...last, first, end }
    const report = () => store.getState().list.setVisible({ first, end, isAtStart: top < 1 })
    if (!isJump) {
      report()
      return
    }
    const timer = setTimeout(report, SCROLL_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [store, list, first, end, top])

  return { rows, starts, first, end, dayAbove }
}
