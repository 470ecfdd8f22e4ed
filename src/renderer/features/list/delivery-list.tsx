/**
 * The list: one tab stop, and rows drawn only while in view. At the top it follows new deliveries until a row is selected or the
 * pointer moves over the list; otherwise the visible rows stay in place while new ones arrive above.
 */
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
} from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { rowValue } from '../../state/delivery-actions.ts'
import { useAppParts, useAppStore } from '../../state/use-app.ts'
import { pointOf } from '../../ui/delivery-menu.tsx'
import { ROW_HEIGHT } from '../../ui/row-grid.tsx'
import { placeOf, PLACES_HEIGHT, useRowSlots } from '../../ui/row-slots.ts'
import { useRowWindow } from '../../ui/use-row-window.tsx'
import { DeliveryColumns, useColumnLayout } from './column-header.tsx'
import { COLUMNS } from './columns.tsx'
import { cellsOf, DeliveryRowView, rowId, seqOfRow } from './delivery-row.tsx'
import { isFollowing, type ListSort } from './list-loader.ts'
import type { ListSlice } from './list-slice.ts'
import { indexOfSeq, placeAfter, rowAt, rowCount, type ViewPlace } from './list-column.ts'

const HEADER_HEIGHT = 28
/**
 * When the visible rows change, their pages are requested once scrolling pauses: dragging the scrollbar passes thousands of rows.
 */
const REST_MS = 40

export const LIST_ID = 'delivery-list'

export function DeliveryList() {
  const store = useAppStore()
  const {
    list,
    generation,
    selectedSeq,
    held,
    following,
    freshAbove,
    reveal,
    orderWords,
    picked,
    environments,
  } = useAppParts((state) => ({
    list: state.list.rows,
    generation: state.list.generation,
    selectedSeq: state.list.selectedSeq,
    held: state.list.held,
    following: isFollowing(state.list),
    freshAbove: state.list.freshAbove,
    reveal: state.list.reveal,
    orderWords: orderWordsOf(state.list.sort),
    picked: state.selection.rows,
    environments: state.core.environments,
  }))
  const count = rowCount(list)
  const { arrived } = list
  const before = useRef<Omit<ViewPlace, 'top'> & Pick<ListSlice, 'generation' | 'reveal'>>({
    arrived,
    generation,
    reveal,
    seen: arrived,
  })
  // A list shorter than the view can be held still too.
  const rowsAbove = held
    ? Math.max(0, Math.min(arrived - (before.current.seen ?? arrived), count - 1))
    : 0
  const view = useRowWindow({
    count,
    rowHeight: ROW_HEIGHT,
    headerHeight: HEADER_HEIGHT,
    overscan: 0,
    reach: rowsAbove * ROW_HEIGHT,
  })

  const isAnother = generation !== before.current.generation
  const place = placeAfter(
    {
      top: isAnother ? 0 : view.top,
      arrived: isAnother ? arrived : before.current.arrived,
      seen: before.current.seen,
    },
    { arrived, rowHeight: ROW_HEIGHT, held, following },
  )
  useLayoutEffect(() => {
    const last = before.current
    before.current = { arrived, generation, reveal, seen: place.seen }
    if (place.top !== view.top) view.scrollTo(place.top)
    if (reveal !== last.reveal && reveal !== null) view.show(reveal.index)
  })

  const { layout, columns } = useColumnLayout()
  useLayoutEffect(() => {
    const element = view.scroller.current
    if (element === null) return
    const measure = () => store.getState().list.setRoom(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [store, view.scroller])

  const { atTop, showsNewest } = place
  useEffect(() => {
    store.getState().list.setPlace({ atTop, showsNewest })
  }, [store, atTop, showsNewest, arrived])

  // Pointing at the list holds it still: a row must not move away under the pointer.
  const onPointerMove = () => store.getState().list.point(true)
  const onPointerLeave = () => store.getState().list.point(false)
  useEffect(() => () => store.getState().list.point(false), [store])

  const { first, end } = view.rows
  const looked = useRef({ first: 0, end: 0 })
  useEffect(() => {
    const { first: from, end: to } = looked.current
    looked.current = { first, end }
    if (first < to && end > from) {
      store.getState().list.showRows(first, end)
      return
    }
    const timer = setTimeout(() => store.getState().list.showRows(first, end), REST_MS)
    return () => clearTimeout(timer)
  }, [store, first, end])

  const onSelect = useCallback(
    (row: DeliveryRow, _index: number, adds: boolean) => {
      const state = store.getState()
      state.list.select(row)
      if (adds) {
        state.selection.toggle(row)
        return
      }
      state.detail.open(row.id, false, row)
    },
    [store],
  )

  const onMenu = (event: MouseEvent<HTMLDivElement>) => {
    const target = event.target instanceof Element ? event.target : null
    const line = target?.closest('[role=row][id]') ?? null
    const row = line === null ? undefined : rowAt(list, indexOfSeq(list, seqOfRow(line.id)) ?? -1)
    if (line === null || row === undefined) return
    event.preventDefault()
    const state = store.getState()
    const isPicked = picked.has(row.seq)
    if (!isPicked) state.list.select(row)
    const rows = isPicked ? [...picked.values()] : [row]
    const drawnAt = [...line.querySelectorAll('[role=gridcell]')].findIndex((drawnCell) =>
      drawnCell.contains(target),
    )
    const cell = rows.length > 1 ? undefined : cellsOf(row, columns)[drawnAt]
    state.menu.open({
      at: pointOf(event, line),
      rows,
      value: cell === undefined ? null : rowValue(row, cell.id),
    })
  }

  const selectedRow = selectedSeq === null ? null : indexOfSeq(list, selectedSeq)
  const selectedDrawn = selectedRow !== null && selectedRow >= first && selectedRow < end
  // Where keys act: without a selected row in view, they begin at the first one.
  const cursorIndex = selectedDrawn ? selectedRow : first
  const drawn = useRowSlots(view.rows, arrived, ROW_HEIGHT)
  const placeOfRow = (index: number) => placeOf(drawn, index, ROW_HEIGHT)
  const cursor = rowAt(list, cursorIndex)
  const someAbsent = drawn.slots.some(({ index }) => rowAt(list, index) === undefined)
  // While scrolling, rows get no pointer events, because each row under the pointer would be restyled and redrawn. The overlay that
  // blocks the events finds the clicked row by position. It is hidden, not removed: a click that begins on an element and ends after
  // its removal never arrives.
  const onClickWhileScrolling = (click: MouseEvent<HTMLDivElement>) => {
    if (click.target instanceof Element && click.target.closest('[role=rowgroup]') !== null) return
    const down = click.clientY - click.currentTarget.getBoundingClientRect().top - view.rows.offset
    const index = first + Math.floor(down / ROW_HEIGHT)
    const row = rowAt(list, index)
    if (row !== undefined) onSelect(row, index, click.ctrlKey || click.metaKey)
  }
  const rowsStyle: CSSProperties = {
    height: PLACES_HEIGHT,
    transform: `translateY(${view.rows.offset - placeOfRow(first)}px)`,
  }
  return (
    <div
      className="relative min-h-0 flex-1"
      onPointerMove={onPointerMove}
      onPointerLeave={onPointerLeave}
    >
      <div
        ref={view.scroller}
        id={LIST_ID}
        role="grid"
        tabIndex={0}
        aria-label={`Deliveries, ${orderWords}`}
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-multiselectable
        {...(cursor === undefined ? {} : { 'aria-activedescendant': rowId(cursor.seq) })}
        style={{ '--columns': layout.template } as CSSProperties}
        onScroll={view.onScroll}
        onContextMenu={onMenu}
        className={`group/list @container h-full overflow-x-hidden overflow-y-scroll overscroll-contain outline-none [overflow-anchor:none]`}
      >
        <div className="sticky top-0 z-10">
          <DeliveryColumns layout={layout} />
        </div>
        <div
          className="sticky top-7 overflow-clip bg-ground contain-strict"
          style={{ height: view.shape.viewport, marginBottom: -view.shape.viewport }}
          onClick={onClickWhileScrolling}
        >
          <div role="rowgroup" className="relative" style={rowsStyle}>
            {someAbsent && (
              <div
                aria-hidden
                className="delivery-skeleton late absolute inset-x-0"
                style={{
                  top: placeOfRow(first),
                  height: (end - first) * ROW_HEIGHT,
                  backgroundSize: `100% ${ROW_HEIGHT}px`,
                }}
              />
            )}
            {drawn.slots.map(({ key, index }) => {
              const row = rowAt(list, index)
              return (
                <DeliveryRowView
                  key={key}
                  row={row}
                  columns={columns}
                  index={index}
                  top={placeOfRow(index)}
                  cursor={index === cursorIndex}
                  selected={row !== undefined && row.seq === selectedSeq}
                  picked={row !== undefined && picked.has(row.seq)}
                  fresh={row !== undefined && row.seq > freshAbove}
                  environments={environments}
                  onSelect={onSelect}
                />
              )
            })}
          </div>
          <div className="absolute inset-0" hidden={drawn.inOrder} />
        </div>
        <div style={{ height: view.shape.scrollHeight }} />
      </div>
      <NewRowsAnnouncement />
    </div>
  )
}

/** `newest first`, `sorted by merchant`. */
function orderWordsOf({ by, descending }: ListSort): string {
  if (by === 'time') return descending ? 'newest first' : 'oldest first'
  return `sorted by ${COLUMNS.find(({ sort }) => sort === by)?.title.toLowerCase() ?? by}`
}

const EVERY_MS = 5_000

const NewRowsAnnouncement = memo(function NewRowsAnnouncement() {
  const store = useAppStore()
  const told = useRef(store.getState().list.rows.arrived)
  const [sentence, setSentence] = useState('')
  useEffect(() => {
    const timer = setInterval(() => {
      const { arrived } = store.getState().list.rows
      const count = arrived - told.current
      told.current = arrived
      if (count > 0)
        setSentence(count === 1 ? '1 new delivery' : `${count.toLocaleString('en')} new deliveries`)
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [store])
  return (
    <p aria-live="polite" className="sr-only">
      {sentence}
    </p>
  )
})
