/** A scrolling element that draws only the rows in view: keeps the position, follows the element's height, answers to scrolling. */
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
  /** Scrolls to a distance from the first row, in pixels of rows. */
  scrollTo(top: number): void
  /** Moves as little as needed to bring a row into view. */
  show(index: number): void
}

interface RowWindowOptions {
  readonly count: number
  readonly rowHeight: number
  readonly overscan?: number
  /** Height of what stands still above the rows, inside the same element. */
  readonly headerHeight?: number
  /** Height to assume until the element has one. */
  readonly assumedHeight?: number
}

export function useRowWindow({
  count,
  rowHeight,
  overscan = 6,
  headerHeight = 0,
  assumedHeight = 600,
}: RowWindowOptions): RowWindow {
  const scroller = useRef<HTMLDivElement>(null)
  const [viewport, setViewport] = useState(assumedHeight)
  const [position, setPosition] = useState<Position>({ top: 0, scrollTop: 0 })
  const shape = geometry(count, rowHeight, viewport)
  /** `read`: where the element was last seen to stand. */
  const latest = useRef({ shape, position, read: 0 })
  latest.current.shape = shape

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => {
      setViewport(Math.max(0, element.clientHeight - headerHeight))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      observer.disconnect()
    }
  }, [headerHeight])

  const place = (next: Position) => {
    latest.current.position = next
    setPosition(next)
  }

  // The bar follows the position once the new height is in the document: setting it before would be clamped to the old one.
  // A position that is where the bar was seen needs nothing: asking the bar again would lay the rows out before their frame.
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
      // At once: the page is told of scrolling just before it is drawn. Left to React, the rows would come a frame later.
      flushSync(() => {
        place(afterScroll(latest.current.shape, latest.current.position, scrollTop))
      })
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

interface RowScrollerProps {
  readonly label: string
  readonly view: RowWindow
  /** Rows may be wider than the element, and are scrolled sideways then. */
  readonly wide?: boolean
  /** The rows drawn, given what puts them in their place. */
  readonly children: (place: { readonly transform: string }) => ReactNode
}

/** The element that a window of rows scrolls in: the rows drawn stand where the position puts them, what is below them gives the bar its length. */
export function RowScroller({ label, view, wide = false, children }: RowScrollerProps) {
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
