/** Rows of one height, of which only the visible ones are drawn, on `@tanstack/react-virtual`. */
import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { TRACK_ROWS, trackAfter, trackAt, type ListShape } from './row-track.ts'

export interface Rows {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly drawn: readonly number[]
  readonly first: number
  /** Index after the last drawn row. */
  readonly end: number
  /** Pixels from the first row to the top of the view. */
  readonly top: number
  /** Height of the view, in pixels. */
  readonly viewport: number
  /** Height of what scrolls, and the start of the drawn rows in it, in pixels. */
  readonly height: number
  readonly start: number
  /** @param covered Pixels at the top of the view that something covers. */
  show(index: number, covered?: number): void
  toStart(): void
}

interface RowOptions {
  readonly count: number
  readonly rowHeight: number
  /** Rows drawn above and below the view. */
  readonly overscan?: number
  /** Returns the key of a row; must itself change only if some row's key does. */
  readonly keyOf?: (index: number) => number | string
  /** Whether rows in view stay in place when others are added or removed above them. */
  readonly holds?: boolean
}

const indexAsKey = (index: number) => index

/**
 * Returns the pixels to add below the last row, so that a short list can keep its rows in place
 * when rows are added above.
 */
function paddingBelow({ count, rowHeight, viewport }: ListShape, offset: number): number {
  const rest = offset + viewport - Math.min(count, TRACK_ROWS) * rowHeight
  return offset === 0 ? 0 : Math.max(0, rest)
}

/** Scrolls an element; returns null if it doesn't move, because no scroll event fires then. */
function scrollElement(element: HTMLElement | null, top: number): number | null {
  if (element === null) return null
  const { scrollTop } = element
  element.scrollTo({ top })
  return element.scrollTop === scrollTop ? null : element.scrollTop
}

export function useRows({
  count,
  rowHeight,
  overscan = 0,
  keyOf = indexAsKey,
  holds = false,
}: RowOptions): Rows {
  const scroller = useRef<HTMLDivElement>(null)
  const [requestedBase, setBase] = useState(0)
  const base = Math.min(requestedBase, Math.max(0, count - TRACK_ROWS))
  const keyAt = useCallback((index: number) => keyOf(base + index), [keyOf, base])
  /** Last rendered values, read by the scroll observer, which is created once. */
  const last = useRef({ base, offset: 0, count, rowHeight, viewport: 0 })
  const { current: before } = last
  /** Offset that this list wrote itself, until it is reported. */
  const written = useRef<number | null>(null)
  const report = useRef<(offset: number, isScrolling: boolean) => void>(() => undefined)

  const offsetToKeep = before.offset + (holds ? Math.max(0, count - before.count) : 0) * rowHeight
  const view = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: Math.min(count, TRACK_ROWS),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyAt,
    overscan,
    // The rows of another track aren't those that were in view.
    anchorTo: holds && before.base === base ? 'end' : 'start',
    paddingEnd: paddingBelow({ count, rowHeight, viewport: before.viewport }, offsetToKeep),
    scrollToFn(offset, { adjustments = 0 }) {
      written.current = scrollElement(scroller.current, offset + adjustments) ?? written.current
    },
    observeElementOffset(instance, reportTo) {
      report.current = reportTo
      return observeElementOffset(instance, (offset, isScrolling) => {
        const from = last.current
        const isOwn = written.current !== null && Math.abs(offset - written.current) <= 1.5
        written.current = null
        const to = isOwn ? { base: from.base, offset } : trackAfter(from, from, offset)
        if (to.base !== from.base) setBase(to.base)
        if (to.offset !== offset) instance.options.scrollToFn(to.offset, {}, instance)
        from.offset = to.offset
        reportTo(to.offset, isScrolling)
      })
    },
  })
  const offset = view.scrollOffset ?? 0
  const viewport = view.scrollRect?.height ?? 0
  useLayoutEffect(() => {
    last.current = { base, offset, count, rowHeight, viewport }
  })

  const items = view.getVirtualItems()
  const top = base * rowHeight + offset
  const goTo = (place: number) => {
    const to = trackAt({ count, rowHeight, viewport }, Math.max(0, place))
    setBase(to.base)
    view.scrollToOffset(to.offset)
    // No scroll event fires if the view moves down and back up before it is drawn.
    report.current(scroller.current?.scrollTop ?? to.offset, false)
  }
  return {
    scroller,
    drawn: items.map(({ index }) => base + index),
    first: base + (items[0]?.index ?? 0),
    end: base + (items.at(-1)?.index ?? -1) + 1,
    top,
    viewport,
    height: view.getTotalSize(),
    start: items[0]?.start ?? 0,
    show(index, covered = 0) {
      const place = index * rowHeight
      if (place < top + covered) goTo(place - covered)
      else if (place + rowHeight > top + viewport) goTo(place + rowHeight - viewport)
    },
    toStart: () => goTo(0),
  }
}
