/** A scrolling element that draws only visible rows: keeps the position, follows the element's height, handles scrolling. */
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import {
  afterScroll,
  clampTop,
  geometry,
  positionAt,
  range,
  topToShow,
  type Geometry,
  type Position,
  type RowRange,
} from './row-window.ts'

interface RowWindow {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly shape: Geometry
  readonly top: number
  readonly rows: RowRange
  readonly onScroll: () => void
  /** Scrolls to a distance from the first row, in row pixels. */
  scrollTo(top: number): void
  /** Scrolls a row into view with the least movement. */
  show(index: number): void
}

export function useRowWindow({
  count,
  rowHeight,
  overscan = 6,
  headerHeight = 0,
  reach = 0,
  assumedHeight = 600,
}: {
  readonly count: number
  readonly rowHeight: number
  readonly overscan?: number
  /** Height of fixed content above the rows, inside the same element. */
  readonly headerHeight?: number
  /** How far down the view's top edge may be, even if that leaves space below the last row. */
  readonly reach?: number
  /** Height to assume until the element has one. */
  readonly assumedHeight?: number
}): RowWindow {
  const scroller = useRef<HTMLDivElement>(null)
  const [viewport, setViewport] = useState(assumedHeight)
  const [position, setPosition] = useState<Position>({ top: 0, scrollTop: 0 })
  const shape = geometry(count, rowHeight, viewport, reach)
  /** `read`: the scroll position seen last. */
  const latest = useRef({ shape, position, read: 0 })
  latest.current.shape = shape

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => setViewport(Math.max(0, element.clientHeight - headerHeight))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [headerHeight])

  const place = (next: Position) => {
    latest.current.position = next
    setPosition(next)
  }

  // The scrollbar follows once the new height is in the document; earlier it would be clamped to the old one. A position that
  // matches the scrollbar needs nothing: reading it again would force a layout before the frame.
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || position.scrollTop === latest.current.read) return
    if (Math.abs(element.scrollTop - position.scrollTop) > 1) element.scrollTop = position.scrollTop
    latest.current.read = element.scrollTop
  }, [position])

  const top = clampTop(shape, position.top)
  return {
    scroller,
    shape,
    top,
    rows: range(shape, top, overscan),
    onScroll() {
      const element = scroller.current
      if (element === null) return
      const { scrollTop } = element
      latest.current.read = scrollTop
      if (Math.abs(scrollTop - latest.current.position.scrollTop) <= 1) return
      // Synchronous: scroll events fire just before drawing. If left to React, the rows would appear a frame later.
      flushSync(() => place(afterScroll(latest.current.shape, latest.current.position, scrollTop)))
    },
    scrollTo(next) {
      place(positionAt(latest.current.shape, next))
    },
    show(index) {
      const { shape: now, position: at } = latest.current
      const next = topToShow(now, clampTop(now, at.top), index)
      if (next !== at.top) place(positionAt(now, next))
    },
  }
}

/**
 * The element in which a window of rows scrolls: the drawn rows are placed by the position, and a spacer below gives the scrollbar
 * its length.
 */
export function RowScroller({
  label,
  view,
  wide = false,
  children,
}: {
  readonly label: string
  readonly view: RowWindow
  /** Rows may be wider than the element, and then scroll sideways. */
  readonly wide?: boolean
  /** The drawn rows, given the style that positions them. */
  readonly children: (place: { readonly transform: string }) => ReactNode
}) {
  return (
    <div
      ref={view.scroller}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={view.onScroll}
      className={`data h-full ${wide ? 'overflow-auto' : 'overflow-x-hidden overflow-y-auto'} outline-offset-[-2px] [overflow-anchor:none] select-text`}
    >
      <div className={`sticky top-0 h-0 ${wide ? 'w-max min-w-full' : ''}`}>
        {children({ transform: `translateY(${view.rows.offset}px)` })}
      </div>
      <div style={{ height: view.shape.scrollHeight }} />
    </div>
  )
}
